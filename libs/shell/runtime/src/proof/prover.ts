// Decides when the log must be asked to prove its own silence (C2), or that somebody listens (C8).
//
// Owns: the estimate of the log's present.      Does not own: the partition clock (it moves by records only, C1), sending.
//
// The estimate may be wrong without harm: it decides when to *ask*. What closes a session is the record read back.
//
// Invariants
//   PR1  At most one clock record is under way, and they keep their distance (AskPace). One not read back for
//        PROOF_PATIENCE_MS is given up: it may be lost, or lie behind an open transaction.
//   PR2  On CreateTime none is made while the stream is not live: its stamp would be invented.
import type { DurationMs, Millis } from '@flatline/base';
import { AskPace } from './ask-pace.ts';
import { PROOF_PATIENCE_MS } from '../instance/limits.ts';

/** Of `unheardMs` a third may pass between records (C8); asking at a quarter leaves time to be written. */
const HEARD_SHARE = 4;

export interface ProofRules {
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly proofIntervalMs: DurationMs;
  /** Timers fire up to this much after their instant (W2): a record stamped later than that closes what is due at once. */
  readonly tickMs: DurationMs;
  /** C8; 0: off. */
  readonly unheardMs: DurationMs;
}

/** What the task knows when it has read all there is. */
export interface Silence {
  readonly clock: Millis;
  readonly earliestDue: Millis | undefined;
  /** C2: see InputPosition.live. */
  readonly live: boolean;
  /** Sessions that the clock has closed since the start. */
  readonly closed: number;
}

export type ProofAdvice =
  /** Nothing can be due. */
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly delayMs: DurationMs }
  /** `timestamp` undefined: the broker stamps it. */
  | { readonly kind: 'ask'; readonly timestamp: Millis | undefined };

export class Prover {
  readonly #rules: ProofRules;
  /** Monotonic time at which the clock was last known to be the log's present; undefined since a start. */
  #anchoredAt: DurationMs | undefined;
  readonly #startedAt: DurationMs;
  readonly #pace: AskPace;
  #closed = 0;
  #underWay = false;

  constructor(rules: ProofRules, monotonicNow: DurationMs) {
    this.#rules = rules;
    this.#pace = new AskPace(rules.proofIntervalMs);
    this.#startedAt = monotonicNow;
  }

  /** A record was read that arrived at `receivedAt`: the log's present was its timestamp, or later. */
  anchor(receivedAt: DurationMs): void {
    this.#anchoredAt = receivedAt;
  }

  /** Old records are being read: the clock is behind the log's present by nobody knows how much. */
  lostTouch(): void {
    this.#anchoredAt = undefined;
  }

  asked(monotonicNow: DurationMs): void {
    this.#underWay = true;
    this.#pace.asked(monotonicNow, this.#closed);
  }

  /** The clock record was read back, or could not be written. */
  answered(): void {
    this.#underWay = false;
  }

  advise(silence: Silence, monotonicNow: DurationMs): ProofAdvice {
    const { earliestDue } = silence;
    this.#closed = silence.closed;
    if (earliestDue === undefined) return { kind: 'none' };
    const { unheardMs, tickMs } = this.#rules;
    const heardWithinMs = unheardMs === 0 ? Infinity : unheardMs / HEARD_SHARE;
    const patienceMs = Math.min(PROOF_PATIENCE_MS, heardWithinMs);
    const patience = this.#underWay ? this.#pace.lastAskedAt + patienceMs - monotonicNow : 0;
    if (patience > 0) return { kind: 'wait', delayMs: patience };
    const byCreateTime = this.#rules.timestampType === 'CreateTime';
    if (byCreateTime && !silence.live) return { kind: 'none' };
    const pace = this.#pace.delayMs(monotonicNow, silence.closed);
    // After a start nothing tells how old the clock is: one record does, where the broker stamps it.
    if (this.#anchoredAt === undefined && !byCreateTime) return adviseAfter(pace, undefined);
    const present = silence.clock + Math.floor(monotonicNow - (this.#anchoredAt ?? this.#startedAt));
    const wantedAt = Math.min(earliestDue + tickMs, silence.clock + heardWithinMs);
    const delayMs = Math.max(pace, wantedAt - present);
    return adviseAfter(delayMs, byCreateTime ? present : undefined);
  }
}

function adviseAfter(delayMs: DurationMs, timestamp: Millis | undefined): ProofAdvice {
  return delayMs > 0 ? { kind: 'wait', delayMs } : { kind: 'ask', timestamp };
}
