// Decides when the log must be asked to prove its own silence (C2), or that it is listened to (C8).
//
// The problem. A session ends if nothing came for a while, and a log shows what has come, never that nothing will. Where an
// input falls silent its clock stands still, and what is due stays open.
//
// Why the obvious fails. This machine's clock tells how late it is here, not how far the log has been read: a slow fetch, a
// partition without a leader or a process that was paused would close sessions whose heartbeats lie in the log. A fetch that
// found nothing tells of one leader's high watermark, which may lag, or be that of a leader that was deposed.
//
// The idea. Write a record to the partition itself, one that only moves the clock, and wait until it is read back. Log order
// makes it evidence: everything sent before it is written lies below it and has been read; the broker stamped it, so its time
// is the log's.
//
//   heartbeat   heartbeat              due      clock record
//   ────●───────────●───────────────────┊────────────●──────▶  offsets of one partition
//                   └──── timeout ──────┘            └ read back: all before it was, and time is past due; close
//
// It is asked for only where something is due and no record of others will close it anyway, one at a time and paced, so
// that a silent input costs a few records a second and a busy one none. When to ask is an estimate, and may be.
//
// Further reading: Chandy and Misra, Distributed Simulation (1979): null messages carry time where no event does; Akidau et
// al., The Dataflow Model (VLDB 2015), on watermarks that guess; KIP-32 (append time); ADR 7.
//
// Owns: the estimate of the log's present, the clock record under way.
// Does not own: the partition clock (it moves by records only, C1), sending.
//
// Invariants
//   PR1  At most one clock record is under way: until its append is answered and the record itself is read. They keep their
//        distance (AskPace). One not read back for PROOF_PATIENCE_MS is given up: it may be lost, or lie behind an open
//        transaction.
//   PR2  On CreateTime none is made while the stream is not live: its stamp would be invented.
//   PR3  None is made while records of others move the clock as often as clock records could: they close what is due.
import type { DurationMs, Millis } from '@flatline/base';
import { AskPace } from './ask-pace.ts';
import { PROOF_PATIENCE_MS } from '../limits.ts';

/** A third of `unheardMs` may pass between records (C8); asking at a quarter leaves time for the write. */
const HEARD_SHARE = 4;
const HEARD_SHARE_MOST = 3;

export interface ProofRules {
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly proofIntervalMs: DurationMs;
  /** Timers fire up to this much after their instant (W2): a record stamped later than that closes what is due at once. */
  readonly tickMs: DurationMs;
  /** C8; 0: off. */
  readonly unheardMs: DurationMs;
}

/** Facts of a task that has read all there is. */
export interface Silence {
  readonly clock: Millis;
  /** The earliest instant that the clock has yet to reach. */
  readonly earliestDue: Millis | undefined;
  /** C2: see InputPosition.live. */
  readonly live: boolean;
  /** Sessions that the clock has closed since the start. */
  readonly closed: number;
  /** The log's present, where it is known from elsewhere. Default: it is reckoned from when records came. */
  readonly present?: Millis | undefined;
}

export type ProofAdvice =
  /** Nothing can be due. */
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly delayMs: DurationMs }
  /** `timestamp` undefined: the broker stamps it. */
  | { readonly kind: 'ask'; readonly timestamp: Millis | undefined };

/** Some of the log that has come: from `from` to below `to`, received at `receivedAtMs` (monotonic). */
export interface Arrival {
  readonly from: number;
  readonly to: number;
  readonly receivedAtMs: DurationMs;
  /** Its records were appended just now: all before it had been read. */
  readonly isRecent: boolean;
}

/** A clock record under way. */
export class AskedRecord {
  readonly askedAt: DurationMs;
  /** Count of sessions that the clock had closed by then. */
  readonly closedBefore: number;
  /** Where it lies; undefined until its append is answered. */
  offset: number | undefined;
  /** Delay of this process itself until then. */
  ownDelayMs: DurationMs = 0;
  /** Count of arrivals since. */
  arrivals = 0;

  constructor(askedAt: DurationMs, closedBefore: number) {
    this.askedAt = askedAt;
    this.closedBefore = closedBefore;
  }
}

const NOTHING: Arrival = { from: -1, to: -1, receivedAtMs: -Infinity, isRecent: false };

export class Prover {
  readonly #rules: ProofRules;
  /** Monotonic time at which the clock was last known to be the log's present; undefined since a start. */
  #anchoredAt: DurationMs | undefined;
  readonly #startedAt: DurationMs;
  readonly #pace: AskPace;
  #closed = 0;
  #clock: Millis = -Infinity;
  #underWay: AskedRecord | undefined;
  /** One that was read back and would not have been needed by what else came; what it has closed shows with the next advice. */
  #useful: AskedRecord | undefined;
  /** True if records of others came between the asking and the reading of the last one. */
  #hadCompany = false;
  #last = NOTHING;
  /** When records of others came last, as far as is known, and before `#last`; when the last of them came that moved the clock. */
  #othersAt: DurationMs = -Infinity;
  #othersBeforeAt: DurationMs = -Infinity;
  #movedAt: DurationMs = -Infinity;

  constructor(rules: ProofRules, monotonicNow: DurationMs) {
    this.#rules = rules;
    this.#pace = new AskPace(rules.proofIntervalMs);
    this.#startedAt = monotonicNow;
  }

  /** The log's present was the stamp of what came last, or later; if that is old, the present is not known. */
  heard(arrival: Arrival): void {
    this.#anchoredAt = arrival.isRecent ? arrival.receivedAtMs : undefined;
    this.#last = arrival;
    this.#othersBeforeAt = this.#othersAt;
    this.#othersAt = arrival.receivedAtMs;
    if (this.#underWay === undefined) return;
    this.#underWay.arrivals += 1;
    this.#considerReadBack(this.#underWay, arrival.receivedAtMs);
  }

  asked(monotonicNow: DurationMs): AskedRecord {
    this.#pace.asked(monotonicNow);
    this.#underWay = new AskedRecord(monotonicNow, this.#closed);
    return this.#underWay;
  }

  /** The record lies at `offset`; it may have been read before its writer hears so. The process was late by `ownDelayMs` meanwhile. */
  written(asked: AskedRecord, offset: number, monotonicNow: DurationMs, ownDelayMs: DurationMs): void {
    asked.offset = offset;
    asked.ownDelayMs = ownDelayMs;
    this.#considerReadBack(asked, monotonicNow);
  }

  /** It could not be written. */
  failed(asked: AskedRecord): void {
    if (asked === this.#underWay) this.#underWay = undefined;
  }

  #considerReadBack(asked: AskedRecord, monotonicNow: DurationMs): void {
    if (asked !== this.#underWay || asked.offset === undefined || this.#last.to <= asked.offset) return;
    this.#underWay = undefined;
    this.#pace.answered(monotonicNow - asked.askedAt - asked.ownDelayMs);
    const { from, to } = this.#last;
    const isLast = from === asked.offset && to === from + 1;
    const hasCompany = !isLast || asked.arrivals > 1;
    // Once is chance, and twice is traffic that closes what is due without it.
    if (!hasCompany || !this.#hadCompany) this.#useful = asked;
    this.#hadCompany = hasCompany;
    if (!isLast) return;
    // The last to come was the record itself, not one of others.
    this.#othersAt = this.#othersBeforeAt;
    this.#movedAt = Math.min(this.#movedAt, this.#othersAt);
  }

  advise(silence: Silence, monotonicNow: DurationMs): ProofAdvice {
    const { earliestDue } = silence;
    this.#note(silence);
    if (earliestDue === undefined) return { kind: 'none' };
    const { unheardMs } = this.#rules;
    const heardWithinMs = unheardMs === 0 ? Infinity : unheardMs / HEARD_SHARE;
    const patienceMs = Math.min(PROOF_PATIENCE_MS, heardWithinMs);
    const patience = this.#underWay ? this.#underWay.askedAt + patienceMs - monotonicNow : 0;
    if (patience > 0) return { kind: 'wait', delayMs: patience };
    const byCreateTime = this.#rules.timestampType === 'CreateTime';
    if (byCreateTime && !silence.live) return { kind: 'none' };
    const pace = this.#pace.delayMs(monotonicNow);
    const quiet = this.#movedAt + this.#pace.leastMs - monotonicNow;
    // After a start, or a backlog, nothing tells how old the clock is: one record does, where the broker stamps it.
    if (this.#anchoredAt === undefined && !byCreateTime) return adviseAfter(Math.max(pace, quiet), undefined);
    const reckoned = silence.clock + Math.floor(monotonicNow - (this.#anchoredAt ?? this.#startedAt));
    const present = silence.present ?? reckoned;
    const delayMs = Math.max(pace, quiet, this.#wantedAt(silence.clock, earliestDue) - present);
    return adviseAfter(delayMs, byCreateTime ? present : undefined);
  }

  /** Asked for just before a deadline, the record that only says that the log is listened to would hold up that one's. */
  #wantedAt(clock: Millis, earliestDue: Millis): Millis {
    const { unheardMs, tickMs, proofIntervalMs } = this.#rules;
    const dueAt = earliestDue + tickMs;
    if (unheardMs === 0) return dueAt;
    const heardBy = clock + unheardMs / HEARD_SHARE;
    const latest = Math.min(heardBy + proofIntervalMs, clock + unheardMs / HEARD_SHARE_MOST);
    return dueAt <= latest ? dueAt : heardBy;
  }

  #note({ closed, clock }: Silence): void {
    if (this.#useful !== undefined && closed > this.#useful.closedBefore) this.#pace.boreFruit();
    this.#useful = undefined;
    this.#closed = closed;
    if (clock > this.#clock) this.#movedAt = this.#othersAt;
    this.#clock = clock;
  }
}

function adviseAfter(delayMs: DurationMs, timestamp: Millis | undefined): ProofAdvice {
  return delayMs > 0 ? { kind: 'wait', delayMs } : { kind: 'ask', timestamp };
}
