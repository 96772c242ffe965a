// Resumes a lease by its token, after a restart or on another server (L3, L8).
//
//   asking ──▶ held ──▶ over
//      └─────────────────┘
//
// A renewal that counts is not answered, and the grant, which says for how long it counts, lies somewhere in the past. So a
// question follows each renewal: a record with the token 0, which no lease has, is refused with when the lease in the way ends.
//
// Owns: what it believes, when it renews and asks.
// Does not own: sending, reading what is answered.
//
// Invariants
//   RH1  It believes once its renewal is acknowledged, was not refused, and the question behind it is answered: until the deadline
//        of that answer less `clockSkewMs`, as far as that lay behind the renewal's append time, counted by this machine from
//        before the renewal was sent (LH1). Without further answers that ends, however many renewals are acknowledged.
//   RH2  The last one to resume a token goes on with it: who hears another's first question behind its own is over.
//   RH3  At most one renewal is unacknowledged, and ROUNDS_MAX questions unanswered.
//   RH4  It gives back by `release` what it holds, and nothing else (LH3): who asked may ask again, and others may have resumed.
import type { Cancel, Clock, DurationMs, Millis } from '@flatline/base';
import { REQUEST_ID_HEADER, TOKEN_HEADER } from '@flatline/ports/formats';
import type { HeardLease } from './heard-lease.ts';

export interface ResumedHolderParts {
  readonly clock: Clock;
  readonly token: number;
  /** Tells it from all others that resume. */
  readonly name: string;
  readonly clockSkewMs: DurationMs;
  readonly answerWithinMs: DurationMs;
  /** The same as a LeaseHolder's. */
  readonly send: (value: null | undefined, headers: ReadonlyMap<string, string>) => Promise<Millis | undefined>;
  /** Called once. */
  readonly onHeld: () => void;
  /** Called once, before the deadline, unless the process did not run until then. `refusal`: what the pipeline said. */
  readonly onOver: (reason: string, refusal?: HeardLease) => void;
}

/** A renewal, and the question behind it. */
interface Round {
  readonly sentAtMs: DurationMs;
  /** When the renewal was appended; undefined: not yet acknowledged. */
  appendedAt: Millis | undefined;
  /** As answered. */
  deadlineAt: Millis | undefined;
}

/** No lease has it: tokens begin at 1. */
export const NO_TOKEN = 0;
const RENEWALS_PER_TIMEOUT = 3;
const ROUNDS_MAX = 64;
/** Until an answer says how long the lease lasts. */
const ASK_AGAIN_MS: DurationMs = 1_000;
const FIRST = 1;

interface Question {
  readonly token: number;
  readonly name: string;
  readonly number: number;
}

const RENEWAL = 'renews';
const QUESTION = 'resumes';

function renewalId({ token, name, number }: Question): string {
  return [RENEWAL, token, name, number].join('/');
}

function questionId({ token, name, number }: Question): string {
  return [QUESTION, token, name, number].join('/');
}

function questionIn(requestId: string | undefined): Question | undefined {
  const [, token, name, number] = /^resumes\/(\d{1,16})\/([^/]+)\/(\d{1,15})$/.exec(requestId ?? '') ?? [];
  return name === undefined ? undefined : { token: Number(token), name, number: Number(number) };
}

/** The token that is resumed by whoever asked first with this; undefined: it is no first question. */
export function resumedBy(requestId: string | undefined): number | undefined {
  const question = questionIn(requestId);
  return question?.number === FIRST ? question.token : undefined;
}

export class ResumedHolder {
  readonly #parts: ResumedHolderParts;
  #state: 'asking' | 'held' | 'over' = 'asking';
  /** By number, the oldest first. */
  readonly #rounds = new Map<number, Round>();
  #count = 0;
  #isUnacknowledged = false;
  #isAnswered = false;
  /** As far as answers say. */
  #timeoutMs: DurationMs = ASK_AGAIN_MS * RENEWALS_PER_TIMEOUT;
  #believesUntilMs: DurationMs = -Infinity;
  #renewing: Cancel | undefined;
  #stopping: Cancel | undefined;

  constructor(parts: ResumedHolderParts) {
    this.#parts = parts;
    this.#renew();
  }

  get isHeld(): boolean {
    return this.#state === 'held' && this.#parts.clock.monotonicMs() < this.#believesUntilMs;
  }

  get token(): number {
    return this.#parts.token;
  }

  /** Nothing is granted to it. */
  readonly isOwed = false;
  readonly isWaiting = false;

  /** An answer about this lease came, whoever asked. */
  hear(answer: HeardLease): void {
    const { type, token, requestId, reason } = answer;
    const question = questionIn(requestId);
    const isOfToken = question?.token === this.token;
    if (isOfToken && question.name === this.#parts.name) this.#answered(question.number, answer);
    else if (token === this.token && type !== 'GRANTED') this.#over(reason ?? type, answer);
    else if (isOfToken && question.number === FIRST && this.#isAnswered) this.#over('RESUMED');
  }

  /** Gives it back, and believes in it no more. */
  release(): void {
    // Not once its time has passed, though no timer has said so yet.
    if (this.isHeld) this.#send(null, this.token, undefined);
    this.#over('ENDED');
  }

  /** It is not wanted any more. What is held by then has been handed out. */
  withdraw(): void {
    this.#over('WITHDRAWN');
  }

  /** Its requests cannot be sent. */
  giveUp(reason: string): void {
    this.#over(reason);
  }

  #renew(): void {
    const { clock, token } = this.#parts;
    this.#renewing = clock.after(this.#timeoutMs / RENEWALS_PER_TIMEOUT, () => {
      this.#renew();
    });
    // After a standstill: a lease that it no longer believes in must not be prolonged.
    if (this.#isUnacknowledged || (this.#state === 'held' && !this.isHeld)) return;
    this.#isUnacknowledged = true;
    this.#count += 1;
    const number = this.#count;
    const round: Round = { sentAtMs: clock.monotonicMs(), appendedAt: undefined, deadlineAt: undefined };
    this.#rounds.set(number, round);
    for (const oldest of this.#rounds.keys()) if (this.#rounds.size > ROUNDS_MAX) this.#rounds.delete(oldest);
    const { name } = this.#parts;
    this.#send(undefined, token, renewalId({ token, name, number }), (appendedAt) => {
      this.#isUnacknowledged = false;
      round.appendedAt = appendedAt;
      this.#judge(number, round);
    });
    this.#send(undefined, NO_TOKEN, questionId({ token, name, number }), () => {
      this.#await();
    });
  }

  #send(
    value: null | undefined,
    token: number,
    requestId: string | undefined,
    onAppended?: (at: Millis | undefined) => void,
  ): void {
    const headers = new Map([[TOKEN_HEADER, String(token)]]);
    if (requestId !== undefined) headers.set(REQUEST_ID_HEADER, requestId);
    this.#parts.send(value, headers).then(onAppended, () => {
      // A failure to send is reported otherwise (giveUp).
    });
  }

  /** Its first question is in the log. */
  #await(): void {
    const { clock, answerWithinMs } = this.#parts;
    if (this.#state !== 'asking') return;
    this.#stopping ??= clock.after(answerWithinMs, () => {
      this.#over('NO_ANSWER');
    });
  }

  #answered(number: number, answer: HeardLease): void {
    this.#isAnswered = true;
    const round = this.#rounds.get(number);
    if (answer.deadlineAt === undefined) this.#over(answer.reason ?? answer.type, answer);
    else if (round !== undefined) {
      round.deadlineAt = answer.deadlineAt;
      this.#judge(number, round);
    }
  }

  /** RH1 */
  #judge(number: number, { sentAtMs, appendedAt, deadlineAt }: Round): void {
    if (this.#state === 'over' || appendedAt === undefined || deadlineAt === undefined) return;
    const { clock, clockSkewMs, onHeld } = this.#parts;
    for (const former of this.#rounds.keys()) if (former <= number) this.#rounds.delete(former);
    this.#timeoutMs = deadlineAt - appendedAt;
    const untilMs = sentAtMs + this.#timeoutMs - clockSkewMs;
    if (this.#timeoutMs <= clockSkewMs) {
      this.#over('TOO_SHORT');
      return;
    }
    // This answer came too late: the next may be in time.
    if (untilMs <= clock.monotonicMs()) return;
    this.#believesUntilMs = untilMs;
    this.#stopping?.();
    this.#stopping = clock.after(untilMs - clock.monotonicMs(), () => {
      this.#over('TIMEOUT');
    });
    if (this.#state !== 'asking') return;
    this.#state = 'held';
    onHeld();
  }

  #over(reason: string, refusal?: HeardLease): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#renewing?.();
    this.#stopping?.();
    this.#parts.onOver(reason, refusal);
  }
}
