// Findings of the checker, and their collector.
//
// Owns: the first violations of each rule, the counts.
// Does not own: judging.
//
// Invariants
//   VR1  Memory grows neither with the number of violations nor with that of undecided findings; and one damage that breaks a rule
//        in every later commit leaves room for the others.
import type { DurationMs } from '@flatline/base';
import type { DelayCause } from './delay-cause.ts';
import { Delays, type DelaySummary } from './delays.ts';
import { KeyPlaces, type MisplacedKeys } from './key-places.ts';
import { SettingsDifferences, type SettingsDifference } from './settings-differences.ts';
import { blankReach, type Reach } from './reach.ts';

/** A broken rule of docs/SPEC.md, and where. */
export interface Violation {
  readonly rule: string;
  readonly topic: string;
  /** undefined: the whole topic. */
  readonly partition: number | undefined;
  /** undefined: something is missing, which has no offset. */
  readonly offset: number | undefined;
  /** The session id as text; undefined: no single session. */
  readonly key: string | undefined;
  readonly what: string;
}

export interface VerificationReport {
  readonly violationCount: number;
  /** The first of them of each rule. */
  readonly violations: readonly Violation[];
  readonly records: { readonly input: number; readonly changelog: number; readonly output: number };
  readonly commits: number;
  /** Lives of keys that the input opened. */
  readonly incarnations: number;
  readonly closed: number;
  readonly open: number;
  /** V9: from the deadline to the append time of the commit that closes, both by broker time. */
  readonly delaysMs: DelaySummary;
  /** The same, by cause of the delay. */
  readonly delaysByCauseMs: Readonly<Record<DelayCause, DelaySummary>>;
  /** V12 */
  readonly reach: Reach;
  /** I9; these are no violations. */
  readonly misplacedKeys: MisplacedKeys;
  /** Settings in force, as the changelog gives them last, that differ from the configuration: no violations. */
  readonly settingsDiffer: readonly SettingsDifference[];
  /** Findings that could not be judged, and why: not violations. */
  readonly undecidedCount: number;
  /** The first few. */
  readonly undecided: readonly string[];
}

/** Rules that rest on the fold of the input. */
const BY_THE_FOLD = ['V1', 'V2', 'V3', 'V4', 'V5', 'V11', 'O4'];

export const SHOWN_PER_RULE_MAX = 10;
export const UNDECIDED_SHOWN_MAX = 100;
/** Beyond this many, a repetition is counted again. */
export const UNDECIDED_KNOWN_MAX = 10_000;

export class Findings {
  readonly reach = blankReach();
  readonly delays = new Delays();
  readonly delaysByCause: Readonly<Record<DelayCause, Delays>> = {
    caughtUp: new Delays(),
    backlog: new Delays(),
    unproved: new Delays(),
  };
  readonly keyPlaces: KeyPlaces;
  readonly settings = new SettingsDifferences();
  readonly records = { input: 0, changelog: 0, output: 0 };
  commits = 0;
  closed = 0;
  open = 0;
  readonly #violations: Violation[] = [];
  /** Violations that may come of another calculation than the checker's, and their number. */
  readonly #explicable: Violation[] = [];
  #explicableCount = 0;
  /** Set for the partition being judged. */
  mayBeOtherwise: ((key: string) => boolean) | undefined;
  /** Undecided findings so far, in order, up to UNDECIDED_KNOWN_MAX. */
  readonly #undecided = new Set<string>();
  readonly #undecidable: ReadonlySet<string>;
  #undecidedCount = 0;
  #violationCount = 0;
  readonly #countByRule = new Map<string, number>();
  #isOtherwise = false;

  /** `keyPartitions`: see KeyPlaces. */
  constructor(undecidable: Iterable<string> = [], keyPartitions?: number) {
    this.keyPlaces = new KeyPlaces(keyPartitions);
    this.#undecidable = new Set(undecidable);
  }

  violation(violation: Violation): void {
    const { rule, topic, partition, key } = violation;
    if (this.#undecidable.has(rule)) {
      this.undecided(`${topic}-${partition ?? 'all'}: ${rule}, by which these logs cannot be judged`);
      return;
    }
    const isExplicable = BY_THE_FOLD.includes(rule) && key !== undefined && this.mayBeOtherwise?.(key) === true;
    const counted = isExplicable ? `${rule}, explicable` : rule;
    const count = (this.#countByRule.get(counted) ?? 0) + 1;
    this.#countByRule.set(counted, count);
    this.#violationCount += 1;
    if (isExplicable) this.#explicableCount += 1;
    if (count > SHOWN_PER_RULE_MAX) return;
    this.#violations.push(violation);
    if (isExplicable) this.#explicable.push(violation);
  }

  undecided(what: string): void {
    if (this.#undecided.has(what)) return;
    this.#undecidedCount += 1;
    if (this.#undecided.size < UNDECIDED_KNOWN_MAX) this.#undecided.add(what);
  }

  /** The processor turns out to calculate otherwise: findings that this may explain, past and future, become undecided. */
  withdraw(why: string): void {
    this.#isOtherwise = true;
    this.undecided(why);
  }

  delay(ms: DurationMs, cause: DelayCause): void {
    this.delays.add(ms);
    this.delaysByCause[cause].add(ms);
  }

  report(): VerificationReport {
    const withdrawn = new Set(this.#isOtherwise ? this.#explicable : []);
    return {
      violationCount: this.#violationCount - (this.#isOtherwise ? this.#explicableCount : 0),
      violations: this.#violations.filter((each) => !withdrawn.has(each)),
      records: this.records,
      commits: this.commits,
      incarnations: this.reach.opened,
      closed: this.closed,
      open: this.open,
      delaysMs: this.delays.summary(),
      delaysByCauseMs: {
        caughtUp: this.delaysByCause.caughtUp.summary(),
        backlog: this.delaysByCause.backlog.summary(),
        unproved: this.delaysByCause.unproved.summary(),
      },
      misplacedKeys: this.keyPlaces.summary(),
      reach: this.reach,
      settingsDiffer: this.settings.all(),
      undecidedCount: this.#undecidedCount,
      undecided: [...this.#undecided].slice(0, UNDECIDED_SHOWN_MAX),
    };
  }
}
