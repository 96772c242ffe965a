// Why a lease was not got, in words that say what to do.
import type { DurationMs, Millis } from '@flatline/base';

/** The pipeline's answer to a start that it refuses. Times in milliseconds since the epoch. */
export interface Refusal {
  readonly holder?: ReadonlyMap<string, string> | undefined;
  readonly deadlineAt?: Millis | undefined;
  readonly retryAt?: Millis | undefined;
}

/** A lease was asked for and not got. */
export class LeaseNotGot extends Error {
  override readonly name = 'LeaseNotGot';
  readonly leaseId: string;
  /**
   * As the pipeline says it: `HELD`, `LOCK_DELAY`, `QUEUE_FULL`, `WAITED`, `WITHDRAWN`, `REPLACED`, `EVICTED`; of one to be resumed `NOT_HELD`,
   * `WRONG_TOKEN`, `TIMEOUT`, `REPLACED`, `RELEASED`, `MAX_DURATION`, `EVICTED`; or, of this side, `RESUMED`, `NO_ANSWER`,
   * `NO_APPEND_TIME`, `TOO_SHORT`, `TOO_LATE`, `TIMEOUT`, `ENDED`, `TOO_LARGE`.
   */
  readonly reason: string;
  /** Attributes of whoever holds it; undefined: the pipeline does not say. */
  readonly holder: ReadonlyMap<string, string> | undefined;
  /** When the lease that is in the way ends unless it is renewed, by the brokers' clocks; undefined: the pipeline does not say. */
  readonly deadlineAt: Millis | undefined;
  /** When asking again may help, by the brokers' clocks; undefined: the pipeline does not say. */
  readonly retryAt: Millis | undefined;

  /** `words`: the reason, human-readable; `refusal`: the pipeline's answer, where there is one. */
  constructor(leaseId: string, reason: string, words: string, refusal: Refusal = {}) {
    super(`the lease ${leaseId} was not got: ${words}`);
    this.leaseId = leaseId;
    this.reason = reason;
    this.holder = refusal.holder;
    this.deadlineAt = refusal.deadlineAt;
    this.retryAt = refusal.retryAt;
  }
}

export interface AskedOf {
  /** The input and the output topic. */
  readonly topic: string;
  readonly answers: string;
  readonly answerWithinMs: DurationMs;
  readonly clockSkewMs: DurationMs;
  /** Why answers cannot be read at present. */
  readonly unread: string | undefined;
  /** True if its token was known: the lease was to be resumed. */
  readonly isResumed: boolean;
}

/** `reason` in words. */
export function whyNotGot(reason: string, asked: AskedOf): string {
  const { topic, answers, answerWithinMs, clockSkewMs, unread, isResumed } = asked;
  if (reason === 'NO_ANSWER') {
    const unanswered = `its request is in ${topic}, and no answer came on ${answers} within ${answerWithinMs} ms`;
    if (unread !== undefined) return `${unanswered}, where answers cannot be read: ${unread}`;
    const letters = 'the dead letters (the topic <application>.<pipeline>.dead-letters unless deadLetterTopic is set)';
    const lists = 'npx flatline dead-letters list shows them';
    const status = 'npx flatline status shows whether a processor is up and near the end';
    return `${unanswered}. If it was refused, ${letters} say why: ${lists}. Otherwise ${status}`;
  }
  if (reason === 'WRONG_TOKEN') return 'WRONG_TOKEN, it has ended, and another holds it by a later grant: acquire it';
  if (reason === 'NOT_HELD' || (isResumed && ENDINGS.includes(reason))) return `${reason}, it has ended: acquire it`;
  if (reason === 'RESUMED') return 'RESUMED, another goes on with it, by the same token';
  if (reason === 'NO_APPEND_TIME') return noAppendTime(topic);
  if (reason === 'TOO_SHORT') {
    const short = `its timeout is not longer than clockSkewMs, ${clockSkewMs}, by which it is given up early`;
    return `${short}: ask for a longer timeoutMs, or lower clockSkewMs if the brokers' clocks allow it`;
  }
  if (RUN_OUT.includes(reason)) {
    const early = 'it ran out again and again before a renewal of it was acknowledged in time';
    return `${reason}, ${early}: ask for a longer timeoutMs, or see npx flatline status for what holds the processor up`;
  }
  return reason;
}

export function noAppendTime(topic: string): string {
  const unstamped = `the brokers do not say when records of ${topic} were appended`;
  return `${unstamped}, which a lease is kept by: set message.timestamp.type=LogAppendTime on it`;
}

/** Reasons that the pipeline gives for the end of a lease. */
const ENDINGS: readonly string[] = ['TIMEOUT', 'MAX_DURATION', 'REPLACED', 'RELEASED', 'EVICTED'];
/** Reasons for which a lease is over that was never held, and may be had by asking again. */
export const RUN_OUT: readonly string[] = ['TOO_LATE', 'TIMEOUT'];
