// Compares a fleet's true history with the output topic: every session closed exactly once, with the counts it had, its
// tombstone after its summary. Judges by the ledger alone; whether the closes are right against the log is another
// question.
//
// Owns: the closes expected and those seen.
// Does not own: reading either.
//
// Invariants
//   LC1  The verdict does not depend on how ledger entries and outputs interleave, only on the order within each.
//   LC2  Memory grows with the sessions of the fleet, and with nothing else: violations are counted, the first few kept.
import type { DurationMs } from '@flatline/base';
import type { LedgerEntry } from './ledger.ts';

export interface ObservedSummary {
  readonly kind: 'summary';
  readonly sessionId: string;
  readonly incarnation: string;
  readonly revision: number;
  readonly reason: string;
  readonly eventCount: number;
  readonly duplicateCount: number;
  readonly outOfOrderCount: number;
  readonly missingCount: number;
}

export interface ObservedTombstone {
  readonly kind: 'tombstone';
  readonly sessionId: string;
  readonly incarnation: string;
}

export type ObservedOutput = ObservedSummary | ObservedTombstone;

export interface LedgerViolation {
  /** The broken rule of docs/SPEC.md. */
  readonly rule: 'S4' | 'S5' | 'S6' | 'O2' | 'O3' | 'S2';
  readonly sessionId: string;
  readonly detail: string;
}

export interface FleetVerdict {
  readonly sessions: number;
  /** Sessions with exactly one close. */
  readonly closedOnce: number;
  /**
   * Sessions closed more than once, and rightly: the fleet itself stalled for longer than the timeout, so that the
   * log shows a silence inside them. Their counts are checked as a sum.
   */
  readonly split: number;
  /** Sessions not closed yet, or closed without a tombstone so far. */
  readonly open: number;
  readonly violations: number;
  readonly firstViolations: readonly LedgerViolation[];
}

const VIOLATIONS_SHOWN_MAX = 20;

class Violations {
  count = 0;
  readonly first: LedgerViolation[] = [];

  add(rule: LedgerViolation['rule'], sessionId: string, detail: string): void {
    this.count += 1;
    if (this.first.length < VIOLATIONS_SHOWN_MAX) this.first.push({ rule, sessionId, detail });
  }

  copy(): Violations {
    const copy = new Violations();
    copy.count = this.count;
    copy.first.push(...this.first);
    return copy;
  }
}

interface SeenSession {
  readonly summaries: ObservedSummary[];
  readonly tombstones: Set<string>;
}

export class FleetCheck {
  readonly #timeoutMs: DurationMs;
  readonly #expected = new Map<string, LedgerEntry>();
  readonly #seen = new Map<string, SeenSession>();
  /** Violations visible in the outputs alone, whatever the ledger says. */
  readonly #disorder = new Violations();
  #closed = 0;

  constructor(timeoutMs: DurationMs) {
    this.#timeoutMs = timeoutMs;
  }

  expect(entry: LedgerEntry): void {
    this.#expected.set(entry.sessionId, entry);
    if (this.#isClosed(entry.sessionId)) this.#closed += 1;
  }

  observe(output: ObservedOutput): void {
    const { sessionId } = output;
    const seen = this.#seenSession(sessionId);
    const wasClosed = this.#isClosed(sessionId);
    if (output.kind === 'summary') this.#observeSummary(seen, output);
    else this.#observeTombstone(seen, output);
    if (this.#expected.has(sessionId)) this.#closed += Number(this.#isClosed(sessionId)) - Number(wasClosed);
  }

  /** Sessions of the ledger that are fully closed: a tombstone for every summary, and at least one. */
  get closed(): number {
    return this.#closed;
  }

  /** To be asked once no more output is expected; has no side effects and can be asked again. */
  verdict(): FleetVerdict {
    const violations = this.#disorder.copy();
    let closedOnce = 0;
    let split = 0;
    for (const entry of this.#expected.values()) {
      const summaries = this.#seen.get(entry.sessionId)?.summaries ?? [];
      if (!this.#isClosed(entry.sessionId)) violations.add('S4', entry.sessionId, openDetail(summaries.length));
      else if (summaries.length === 1) closedOnce += 1;
      else if (entry.longestGapMs >= this.#timeoutMs) split += 1;
      this.#compare(entry, summaries, violations);
    }
    for (const id of this.#seen.keys())
      if (!this.#expected.has(id)) violations.add('S4', id, 'was closed, but the fleet never had such a session');
    const sessions = this.#expected.size;
    const open = sessions - this.#closed;
    return { sessions, closedOnce, split, open, violations: violations.count, firstViolations: violations.first };
  }

  #observeSummary(seen: SeenSession, summary: ObservedSummary): void {
    const { sessionId, incarnation, revision } = summary;
    if (seen.tombstones.has(incarnation))
      this.#disorder.add('O2', sessionId, `incarnation ${incarnation}: a summary came after the tombstone`);
    if (seen.summaries.some((former) => former.incarnation === incarnation))
      this.#disorder.add('S4', sessionId, `incarnation ${incarnation} was closed twice`);
    if (revision !== 0) this.#disorder.add('O3', sessionId, `incarnation ${incarnation} has revision ${revision}`);
    seen.summaries.push(summary);
  }

  #observeTombstone(seen: SeenSession, { sessionId, incarnation }: ObservedTombstone): void {
    if (seen.tombstones.has(incarnation))
      this.#disorder.add('O2', sessionId, `incarnation ${incarnation} has two tombstones`);
    if (!seen.summaries.some((summary) => summary.incarnation === incarnation))
      this.#disorder.add('O2', sessionId, `incarnation ${incarnation}: a tombstone came before any summary`);
    seen.tombstones.add(incarnation);
  }

  #compare(entry: LedgerEntry, summaries: readonly ObservedSummary[], violations: Violations): void {
    if (summaries.length === 0) return;
    if (summaries.length > 1 && entry.longestGapMs < this.#timeoutMs) {
      const gap = `its longest silence was ${entry.longestGapMs} ms, the timeout is ${this.#timeoutMs} ms`;
      violations.add('S4', entry.sessionId, `was closed ${summaries.length} times, although ${gap}`);
      return;
    }
    const last = summaries.at(-1)!;
    const reason = entry.ended === 'null' || entry.ended === 'event' ? 'ENDED' : 'TIMEOUT';
    if (last.reason !== reason) violations.add('S2', entry.sessionId, `closed for ${last.reason}, not ${reason}`);
    for (const { rule, detail } of countDifferences(entry, summaries)) violations.add(rule, entry.sessionId, detail);
  }

  #isClosed(sessionId: string): boolean {
    const seen = this.#seen.get(sessionId);
    return seen !== undefined && seen.summaries.length > 0 && seen.tombstones.size >= seen.summaries.length;
  }

  #seenSession(sessionId: string): SeenSession {
    let seen = this.#seen.get(sessionId);
    if (seen === undefined) {
      seen = { summaries: [], tombstones: new Set() };
      this.#seen.set(sessionId, seen);
    }
    return seen;
  }
}

function openDetail(summaries: number): string {
  return summaries === 0 ? 'was not closed' : 'was closed, but a tombstone is missing';
}

type CountDifference = Pick<LedgerViolation, 'rule' | 'detail'>;

function countDifferences(entry: LedgerEntry, summaries: readonly ObservedSummary[]): CountDifference[] {
  const sum = (field: 'eventCount' | 'duplicateCount' | 'outOfOrderCount' | 'missingCount'): number =>
    summaries.reduce((total, summary) => total + summary[field], 0);
  const differences: CountDifference[] = [];
  const compare = (rule: CountDifference['rule'], what: string, found: number, expected: number): void => {
    if (found !== expected)
      differences.push({ rule, detail: `${what}: ${found} in the summary, ${expected} in truth` });
  };
  // An explicit end is an event of its session, with or without a payload.
  const ends = entry.ended === 'event' || entry.ended === 'null' ? 1 : 0;
  const records = entry.acknowledged + entry.duplicates + ends;
  if (entry.format === 'bare') {
    // A bare heartbeat has no name: one sent twice counts as two.
    compare('S4', 'events', sum('eventCount'), records);
    return differences;
  }
  compare('S4', 'events and duplicates', sum('eventCount') + sum('duplicateCount'), records);
  // If a silence of the fleet's own cuts a session in two, each part knows only its own sequences.
  if (summaries.length > 1) return differences;
  compare('S5', 'duplicates', sum('duplicateCount'), entry.duplicates);
  compare('S6', 'out of order', sum('outOfOrderCount'), entry.reordered);
  if (entry.ended !== 'cutOff') compare('S6', 'missing', sum('missingCount'), entry.lost);
  return differences;
}

/** Checks a complete history at once: `outputs` in the order of the output topic, partition by partition. */
export function checkFleet(
  ledger: Iterable<LedgerEntry>,
  outputs: Iterable<ObservedOutput>,
  timeoutMs: DurationMs,
): FleetVerdict {
  const check = new FleetCheck(timeoutMs);
  for (const entry of ledger) check.expect(entry);
  for (const output of outputs) check.observe(output);
  return check.verdict();
}
