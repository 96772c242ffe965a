// Decides how far the clock may act where the input may not be written (C3), and when its end must be asked for.
//
// Owns: the estimate of the log's present, the request under way.
// Does not own: the partition clock, sending.
//
// The estimate is the greatest append time of a record plus the monotonic time since it was received. What was appended
// before a request for the leader's end was sent lies below the end that is answered; once all of that is applied, nothing
// stamped before the request is left to come, and the clock may act as the estimate of then, less `clockSkewMs`.
//
// That is weaker than a record read back (C2). It presumes that no deposed leader answers, that followers keep up, that the
// clocks of leaders agree and this machine's monotonic clock runs as fast as theirs, to within `clockSkewMs`. Where it was
// wrong the task finds a record below evidence already used, and the estimate starts over (`distrust`).
//
// Invariants
//   FP1  At most one request is under way, and they keep their distance (AskPace). One whose end was answered and is
//        not reached within PROOF_PATIENCE_MS is given up: the log may have been cut back, or lie behind an open transaction.
//   FP2  Evidence is of the moment a request is sent, whatever is heard before its answer comes.
import type { DurationMs, Millis } from '@flatline/base';
import { AskPace } from './ask-pace.ts';
import { PROOF_PATIENCE_MS } from '../limits.ts';
import type { ProofAdvice, Silence } from './prover.ts';

export interface FetchProofRules {
  readonly proofIntervalMs: DurationMs;
  /** How far clocks, and what is appended and not yet replicated, may be apart without harm. */
  readonly clockSkewMs: DurationMs;
  /** As in ProofRules. */
  readonly tickMs: DurationMs;
}

/** A record's append time, and the monotonic time at which it was received. */
export interface Heard {
  readonly appendedAt: Millis;
  readonly receivedAtMs: DurationMs;
}

interface EndRequest {
  readonly evidence: Millis;
  /** undefined until it is answered. */
  readonly end: number | undefined;
  /** Count of entries that the clock had closed by then. */
  readonly closedBefore: number;
  /** No record was heard since: what closes, closes by this. */
  readonly isAlone: boolean;
}

export class FetchProof {
  readonly #rules: FetchProofRules;
  /** Broker time less monotonic time, at the least. */
  #aheadMs: DurationMs = -Infinity;
  readonly #pace: AskPace;
  #closed = 0;
  #request: EndRequest | undefined;
  /** One that was acted on, and whose effect shows with the next advice. */
  #taken: EndRequest | undefined;

  constructor(rules: FetchProofRules) {
    this.#rules = rules;
    this.#pace = new AskPace(rules.proofIntervalMs);
  }

  heard({ appendedAt, receivedAtMs }: Heard): void {
    this.#aheadMs = Math.max(this.#aheadMs, appendedAt - receivedAtMs);
    if (this.#request !== undefined) this.#request = { ...this.#request, isAlone: false };
  }

  /** The estimate led the clock too far: forgets it, and the evidence of the request under way. */
  distrust(): void {
    this.#aheadMs = -Infinity;
    if (this.#request !== undefined) this.#request = { ...this.#request, evidence: -Infinity };
  }

  /** A request for the end is about to be sent. */
  asked(monotonicNow: DurationMs): void {
    this.#pace.asked(monotonicNow);
    const evidence = this.#actsAs(monotonicNow);
    this.#request = { evidence, end: undefined, closedBefore: this.#closed, isAlone: true };
  }

  /** Takes the leader's answer; undefined: none came. */
  answered(end: number | undefined): void {
    this.#request = end === undefined || this.#request === undefined ? undefined : { ...this.#request, end };
  }

  /** How far the clock may act now that everything below `position` is applied; undefined where that is not known. Once. */
  take(position: number): Millis | undefined {
    if (this.#request?.end === undefined || position < this.#request.end) return undefined;
    this.#taken = this.#request;
    this.#request = undefined;
    return this.#taken.evidence;
  }

  advise({ earliestDue, closed }: Pick<Silence, 'earliestDue' | 'closed'>, monotonicNow: DurationMs): ProofAdvice {
    if (this.#taken?.isAlone === true && closed > this.#taken.closedBefore) this.#pace.boreFruit();
    this.#taken = undefined;
    this.#closed = closed;
    const isUnanswered = this.#request !== undefined && this.#request.end === undefined;
    if (earliestDue === undefined || this.#aheadMs === -Infinity || isUnanswered) return { kind: 'none' };
    const patience = this.#pace.lastAskedAt + PROOF_PATIENCE_MS - monotonicNow;
    const pace = this.#request === undefined ? this.#pace.delayMs(monotonicNow) : patience;
    const delayMs = Math.max(pace, earliestDue + this.#rules.tickMs - this.#actsAs(monotonicNow));
    return delayMs > 0 ? { kind: 'wait', delayMs } : { kind: 'ask', timestamp: undefined };
  }

  #actsAs(monotonicNow: DurationMs): Millis {
    return Math.floor(monotonicNow + this.#aheadMs) - this.#rules.clockSkewMs;
  }
}
