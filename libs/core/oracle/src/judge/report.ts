// What the checker says, and the collector of it.
//
// Owns: the first violations of each rule, the counts.      Does not own: judging.
//
// Invariants
//   VR1  Memory does not grow with the number of violations, nor of what is undecided; and one damage that breaks a rule in
//        every later commit leaves room for what the others show.
import type { DurationMs } from '@flatline/base';
import { Delays, type DelaySummary } from './delays.ts';
import { blankReach, type Reach } from './reach.ts';

/** A rule of docs/SPEC.md that is broken, and where. */
export interface Violation {
  readonly rule: string;
  readonly topic: string;
  /** undefined: all of the topic is concerned. */
  readonly partition: number | undefined;
  /** undefined: what is missing lies nowhere. */
  readonly offset: number | undefined;
  /** The session id as text; undefined where no single session is concerned. */
  readonly key: string | undefined;
  readonly what: string;
}

export interface VerificationReport {
  readonly violationCount: number;
  /** The first of them by each rule. */
  readonly violations: readonly Violation[];
  readonly records: { readonly input: number; readonly changelog: number; readonly output: number };
  readonly commits: number;
  /** Lives of keys that the input opened. */
  readonly incarnations: number;
  readonly closed: number;
  readonly open: number;
  /** V9: from the deadline to the append time of the commit that closes, both by broker time. */
  readonly delaysMs: DelaySummary;
  /** V12 */
  readonly reach: Reach;
  /** What could not be judged, and why: not violations. */
  readonly undecidedCount: number;
  /** The first of them. */
  readonly undecided: readonly string[];
}

export const SHOWN_PER_RULE_MAX = 10;
export const UNDECIDED_SHOWN_MAX = 100;
/** Beyond this many, a repetition is counted again. */
export const UNDECIDED_KNOWN_MAX = 10_000;

export class Findings {
  readonly reach = blankReach();
  readonly delays = new Delays();
  readonly records = { input: 0, changelog: 0, output: 0 };
  commits = 0;
  closed = 0;
  open = 0;
  readonly #violations: Violation[] = [];
  /** What has been said, in order, as far as it is told apart. */
  readonly #undecided = new Set<string>();
  readonly #undecidable: ReadonlySet<string>;
  #undecidedCount = 0;
  #violationCount = 0;
  readonly #countByRule = new Map<string, number>();
  readonly #withdrawn = new Set<string>();

  constructor(undecidable: Iterable<string> = []) {
    this.#undecidable = new Set(undecidable);
  }

  violation(violation: Violation): void {
    const { rule, topic, partition } = violation;
    if (this.#undecidable.has(rule)) {
      this.undecided(`${topic}-${partition ?? 'all'}: ${rule}, by which these logs cannot be judged`);
      return;
    }
    this.#violationCount += 1;
    const count = (this.#countByRule.get(rule) ?? 0) + 1;
    this.#countByRule.set(rule, count);
    if (count <= SHOWN_PER_RULE_MAX) this.#violations.push(violation);
  }

  undecided(what: string): void {
    if (this.#undecided.has(what)) return;
    this.#undecidedCount += 1;
    if (this.#undecided.size < UNDECIDED_KNOWN_MAX) this.#undecided.add(what);
  }

  /** It turns out that these logs cannot be judged by those rules: what was found by them, or will be, is undecided. */
  withdraw(rules: readonly string[], why: string): void {
    for (const rule of rules) this.#withdrawn.add(rule);
    this.undecided(why);
  }

  delay(ms: DurationMs): void {
    this.delays.add(ms);
  }

  report(): VerificationReport {
    const withdrawn = [...this.#countByRule].filter(([rule]) => this.#withdrawn.has(rule));
    const count = withdrawn.reduce((sum, [, each]) => sum + each, 0);
    return {
      violationCount: this.#violationCount - count,
      violations: this.#violations.filter(({ rule }) => !this.#withdrawn.has(rule)),
      records: this.records,
      commits: this.commits,
      incarnations: this.reach.opened,
      closed: this.closed,
      open: this.open,
      delaysMs: this.delays.summary(),
      reach: this.reach,
      undecidedCount: this.#undecidedCount,
      undecided: [...this.#undecided].slice(0, UNDECIDED_SHOWN_MAX),
    };
  }
}
