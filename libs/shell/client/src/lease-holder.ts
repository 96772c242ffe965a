// One who asks for a lease, keeps it by renewals, and stops believing in it before the log ends it (L8).
//
//   asking ──▶ queued ──▶ confirming ──▶ held ──▶ over
//      └───────────────────────┴───────────────────┘
//
// Owns: what it believes, when it renews.
// Does not own: sending, reading what is answered, tries after it is over.
//
// Invariants
//   LH1  It believes from an acknowledged renewal on, for the timeout less `clockSkewMs`, counted by this machine from before that
//        renewal was sent. Appended at A, it was sent before A, so that no broker's clock has reached A + timeout by then.
//   LH2  A renewal counts only if it was appended before the deadline less `clockSkewMs`: a broker with a faster clock may have
//        ended the lease otherwise. The grant itself tells only that deadline; when it was read tells nothing.
//   LH3  Once over, it stays over. What it never handed out is given back: its place in the queue, its grant, and what is granted to
//        it afterwards, which it waits for while `isOwed`. What was handed out is given back by `release` alone, while it is held:
//        an end that waits behind brokers that are away would come when another has resumed the token, and end its lease. Without
//        one the log ends it, a timeout later at most.
//   LH4  Its start is sent once. One that is sent again while the first is under way comes behind those of others, whom it would
//        replace, or waits behind its own lease.
import type { Cancel, Clock, DurationMs, Millis } from '@flatline/base';
import { ENDED, REQUEST_ID_HEADER, STARTED, TOKEN_HEADER } from '@flatline/ports/formats';
import type { HeardLease } from './heard-lease.ts';
import { resumedBy } from './resumed-holder.ts';

export interface LeaseAsk {
  readonly type: typeof STARTED;
  readonly timeoutMs?: DurationMs | undefined;
  readonly waitMs?: DurationMs | undefined;
  readonly attributes?: ReadonlyMap<string, string> | Readonly<Record<string, string>> | undefined;
}

export interface LeaseHolderParts {
  readonly clock: Clock;
  readonly requestId: string;
  /** By how much brokers' clocks may differ, and this machine's may run slow within a timeout. */
  readonly clockSkewMs: DurationMs;
  /** A start that is in the log and is not answered for so long is not waited for any longer. */
  readonly answerWithinMs: DurationMs;
  readonly ask: Omit<LeaseAsk, 'type'>;
  /** `value` null: an end; undefined: a renewal. Resolves with the append time, or never; undefined: it is not known. */
  readonly send: (
    value: LeaseAsk | null | undefined,
    headers: ReadonlyMap<string, string>,
  ) => Promise<Millis | undefined>;
  /** Called once. */
  readonly onHeld: () => void;
  /** Called once, before the deadline, unless the process did not run until then. `refusal`: the answer that refused its start. */
  readonly onOver: (reason: string, refusal?: HeardLease) => void;
}

type State = 'asking' | 'queued' | 'confirming' | 'held' | 'over';

const RENEWALS_PER_TIMEOUT = 3;
const WITHDRAWN = 'WITHDRAWN';
/** Said to an end, never to a start: a withdrawal came when nothing waited, or to a processor that knows of none. */
const OF_AN_END: readonly string[] = ['WRONG_TOKEN', 'NOT_HELD'];

export class LeaseHolder {
  readonly #parts: LeaseHolderParts;
  #state: State = 'asking';
  /** Its start may yet be granted. */
  #isOwed = true;
  /** Renewals are acknowledged without an append time. */
  #isTimeless = false;
  #token = -1;
  /** The last token that was granted to its start. */
  #latestToken = -1;
  #timeoutMs: DurationMs = 0;
  /** By the brokers' clocks: the lease lives in the log until then, at least. */
  #deadlineAt: Millis = 0;
  #endsAt: Millis = Infinity;
  /** By this machine's. */
  #believesUntilMs: DurationMs = -Infinity;
  #renewing: Cancel | undefined;
  #stopping: Cancel | undefined;

  constructor(parts: LeaseHolderParts) {
    this.#parts = parts;
    this.#ask();
  }

  /** To be asked before each act, by whatever cannot check the token. */
  get isHeld(): boolean {
    return this.#state === 'held' && this.#parts.clock.monotonicMs() < this.#believesUntilMs;
  }

  /** −1 before the grant. */
  get token(): number {
    return this.#token;
  }

  /** True while its start is neither granted nor refused, and it is not over. */
  get isWaiting(): boolean {
    return this.#state === 'asking' || this.#state === 'queued';
  }

  /** True while its start may yet be granted: until then it hears answers, even once it is over. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  /** An answer about this lease came, whoever asked. */
  hear(answer: HeardLease): void {
    const { type, token, requestId, reason } = answer;
    const isOwn = requestId === this.#parts.requestId;
    // Whatever it believes by now: nothing is granted to a start that was refused, or withdrawn.
    if (isOwn && type === 'REJECTED' && !OF_AN_END.includes(reason!)) this.#isOwed = false;
    if (isOwn && type === 'GRANTED') this.#granted(answer);
    else if (isOwn && this.isWaiting) this.#answered(answer);
    else if (token === this.#token && type !== 'GRANTED') this.#over(reason ?? type);
    // Whoever knows the token goes on with it, and this one gives nothing back.
    else if (!this.isWaiting && resumedBy(requestId) === this.#token) this.#over('RESUMED');
  }

  /** Gives it back, and believes in it no more. */
  release(): void {
    this.#giveBack(ENDED);
  }

  /** It is not wanted any more: it leaves the queue, and what is granted to it all the same is given back. */
  withdraw(): void {
    // Handed out already: the call that is given up resolves in this turn.
    if (this.#state !== 'held') this.#giveBack(WITHDRAWN);
  }

  /** Its requests cannot be sent, now or later. */
  giveUp(reason: string): void {
    this.#isOwed = false;
    this.#over(reason);
  }

  #ask(): void {
    const { clock, ask, requestId, answerWithinMs } = this.#parts;
    this.#send({ type: STARTED, ...ask }, REQUEST_ID_HEADER, requestId, () => {
      if (this.#state !== 'asking') return;
      this.#stopping = clock.after(answerWithinMs, () => {
        this.#giveBack('NO_ANSWER');
      });
    });
  }

  /** Its start was answered, and not with a grant. */
  #answered(answer: HeardLease): void {
    const { type, reason } = answer;
    this.#stopping?.();
    if (type === 'QUEUED') this.#state = 'queued';
    else if (type === 'REJECTED') this.#over(reason ?? type, answer);
  }

  #granted({ token, timeoutMs, deadlineAt, endsAt = Infinity }: HeardLease): void {
    this.#isOwed = false;
    if (token! <= this.#latestToken) return;
    this.#latestToken = token!;
    if (this.#state === 'held' || this.#state === 'over') {
      this.#sayEnded(token!);
      return;
    }
    const { clock, clockSkewMs } = this.#parts;
    this.#renewing?.();
    this.#state = 'confirming';
    this.#token = token!;
    this.#timeoutMs = timeoutMs!;
    this.#deadlineAt = deadlineAt!;
    this.#endsAt = endsAt;
    if (this.#timeoutMs <= clockSkewMs) {
      this.#giveBack('TOO_SHORT');
      return;
    }
    // Unless a renewal is acknowledged meanwhile, nothing will be before the lease is gone.
    this.#stopBy(clock.monotonicMs() + this.#timeoutMs);
    this.#renew();
  }

  #renew(): void {
    const { clock } = this.#parts;
    // After a standstill the timers come in order of their making: what it believes in no more must not be prolonged.
    if (this.#state === 'held' && !this.isHeld) return;
    const sentAtMs = clock.monotonicMs();
    const token = this.#token;
    this.#send(undefined, TOKEN_HEADER, String(token), (appendedAt) => {
      if (token === this.#token) this.#renewed(sentAtMs, appendedAt);
    });
    this.#renewing = clock.after(this.#timeoutMs / RENEWALS_PER_TIMEOUT, () => {
      this.#renew();
    });
  }

  #renewed(sentAtMs: DurationMs, appendedAt: Millis | undefined): void {
    const { clock, clockSkewMs, onHeld } = this.#parts;
    if (this.#state !== 'confirming' && this.#state !== 'held') return;
    this.#isTimeless = appendedAt === undefined;
    if (appendedAt === undefined) return;
    if (appendedAt >= this.#deadlineAt - clockSkewMs) {
      this.#runOut('TOO_LATE');
      return;
    }
    this.#deadlineAt = Math.min(appendedAt + this.#timeoutMs, this.#endsAt);
    this.#believesUntilMs = sentAtMs + (this.#deadlineAt - appendedAt) - clockSkewMs;
    this.#stopBy(this.#believesUntilMs);
    // Heard of too late, it is not believed in: the next may be, if it is acknowledged before the timer.
    if (this.#state === 'held' || clock.monotonicMs() >= this.#believesUntilMs) return;
    this.#state = 'held';
    onHeld();
  }

  /** It is over if it is not renewed by then. */
  #stopBy(atMs: DurationMs): void {
    const { clock } = this.#parts;
    this.#stopping?.();
    this.#stopping = clock.after(Math.max(0, atMs - clock.monotonicMs()), () => {
      this.#runOut(this.#isTimeless && this.#state === 'confirming' ? 'NO_APPEND_TIME' : 'TIMEOUT');
    });
  }

  /** LH3: its renewals that are under way come before the end, so that others need not wait for what was never held. */
  #runOut(reason: string): void {
    if (this.#state === 'confirming') this.#giveBack(reason);
    else this.#over(reason);
  }

  #giveBack(reason: string): void {
    // Not once its time has passed, though no timer has said so yet.
    if (this.isHeld || this.#state === 'confirming') this.#sayEnded(this.#token);
    else if (this.isWaiting) this.#send(null, REQUEST_ID_HEADER, this.#parts.requestId);
    this.#over(reason);
  }

  #sayEnded(token: number): void {
    this.#send(null, TOKEN_HEADER, String(token));
  }

  #over(reason: string, refusal?: HeardLease): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#renewing?.();
    this.#stopping?.();
    this.#parts.onOver(reason, refusal);
  }

  #send(
    value: LeaseAsk | null | undefined,
    header: string,
    content: string,
    onAppended?: (at: Millis | undefined) => void,
  ): void {
    this.#parts.send(value, new Map([[header, content]])).then(onAppended, () => {
      // An unacknowledged renewal does not count; the next one may.
    });
  }
}
