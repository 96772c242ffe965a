// One who asks for a lease, keeps it by renewals, and stops believing in it before the log ends it (L8).
//
//   asking ──▶ queued ──▶ confirming ──▶ held ──▶ over
//      └───────────────────────┴───────────────────┘
//
// Owns: what it believes, when it renews.      Does not own: sending, reading what is answered, tries after it is over.
//
// Invariants
//   LH1  It believes from an acknowledged renewal on, for the timeout less `clockSkewMs`, counted by this machine from before that
//        renewal was sent. Appended at A, it was sent before A, so that no broker's clock has reached A + timeout by then.
//   LH2  A renewal counts only if it was appended before the deadline less `clockSkewMs`: a broker with a faster clock may have
//        ended the lease otherwise. The grant itself tells only that deadline; when it was read tells nothing.
//   LH3  Once over, it stays over.
import type { Cancel, Clock, DurationMs, Millis } from '@flatline/base';
import { ENDED, type LeaseEvent, REQUEST_ID_HEADER, STARTED, TOKEN_HEADER } from '@flatline/ports/formats';

/** The part of an answer that a holder looks at. */
export type HeardLease = Pick<LeaseEvent, 'token' | 'requestId' | 'timeoutMs' | 'deadlineAt' | 'endsAt'> & {
  readonly type: string;
  readonly reason?: string | undefined;
};

export interface LeaseAsk {
  readonly type: typeof STARTED;
  readonly timeoutMs?: DurationMs | undefined;
  readonly waitMs?: DurationMs | undefined;
  readonly attributes?: ReadonlyMap<string, string> | undefined;
}

export interface LeaseHolderParts {
  readonly clock: Clock;
  readonly requestId: string;
  /** By how much brokers' clocks may differ, and this machine's may run slow within a timeout. */
  readonly clockSkewMs: DurationMs;
  /** A start that is not answered is sent again after so long. */
  readonly askAgainMs: DurationMs;
  readonly ask: Omit<LeaseAsk, 'type'>;
  /** `value` null: an end; undefined: a renewal. Resolves with the append time, or never; undefined: it is not known. */
  readonly send: (
    value: LeaseAsk | null | undefined,
    headers: ReadonlyMap<string, string>,
  ) => Promise<Millis | undefined>;
  /** Called once. */
  readonly onHeld: () => void;
  /** Called once, before the deadline, unless the process did not run until then. */
  readonly onOver: (reason: string) => void;
}

type State = 'asking' | 'queued' | 'confirming' | 'held' | 'over';

const RENEWALS_PER_TIMEOUT = 3;

export class LeaseHolder {
  readonly #parts: LeaseHolderParts;
  #state: State = 'asking';
  #token = -1;
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

  /** An answer about this lease came, whoever asked. */
  hear({ type, token, requestId, reason, timeoutMs, deadlineAt, endsAt }: HeardLease): void {
    const isWaiting = this.#state === 'asking' || this.#state === 'queued';
    if (isWaiting && requestId === this.#parts.requestId) {
      if (type === 'GRANTED') this.#granted({ token: token!, timeoutMs: timeoutMs!, deadlineAt: deadlineAt!, endsAt });
      else if (type === 'QUEUED') this.#state = 'queued';
      else if (type === 'REJECTED') this.#over(reason ?? type);
    } else if (token === this.#token && type !== 'GRANTED') this.#over(reason ?? type);
  }

  /** Gives it back, and believes in it no more. */
  release(): void {
    const isKnown = this.#state === 'held' || this.#state === 'confirming';
    if (isKnown) this.#send(null, TOKEN_HEADER, String(this.#token));
    this.#over(ENDED);
  }

  /** Its requests cannot be sent, now or later. */
  giveUp(reason: string): void {
    this.#over(reason);
  }

  #ask(): void {
    const { clock, ask, requestId, askAgainMs } = this.#parts;
    if (this.#state !== 'asking') return;
    this.#send({ type: STARTED, ...ask }, REQUEST_ID_HEADER, requestId);
    this.#renewing = clock.after(askAgainMs, () => {
      this.#ask();
    });
  }

  #granted(lease: { token: number; timeoutMs: DurationMs; deadlineAt: Millis; endsAt: Millis | undefined }): void {
    this.#renewing?.();
    this.#state = 'confirming';
    this.#token = lease.token;
    this.#timeoutMs = lease.timeoutMs;
    this.#deadlineAt = lease.deadlineAt;
    this.#endsAt = lease.endsAt ?? Infinity;
    // Unless a renewal is acknowledged meanwhile, nothing will be before the lease is gone.
    this.#stopBy(this.#parts.clock.monotonicMs() + lease.timeoutMs);
    this.#renew();
  }

  #renew(): void {
    const { clock } = this.#parts;
    const sentAtMs = clock.monotonicMs();
    this.#send(undefined, TOKEN_HEADER, String(this.#token), (appendedAt) => {
      this.#renewed(sentAtMs, appendedAt);
    });
    this.#renewing = clock.after(this.#timeoutMs / RENEWALS_PER_TIMEOUT, () => {
      this.#renew();
    });
  }

  #renewed(sentAtMs: DurationMs, appendedAt: Millis): void {
    const { clockSkewMs, onHeld } = this.#parts;
    if (this.#state !== 'confirming' && this.#state !== 'held') return;
    if (appendedAt >= this.#deadlineAt - clockSkewMs) {
      // It may live a while yet, and others should not wait for that.
      this.#send(null, TOKEN_HEADER, String(this.#token));
      this.#over('TOO_LATE');
      return;
    }
    this.#deadlineAt = Math.min(appendedAt + this.#timeoutMs, this.#endsAt);
    this.#believesUntilMs = sentAtMs + (this.#deadlineAt - appendedAt) - clockSkewMs;
    const isFirst = this.#state === 'confirming';
    this.#state = 'held';
    this.#stopBy(this.#believesUntilMs);
    if (isFirst && this.isHeld) onHeld();
  }

  /** It is over if it is not renewed by then. */
  #stopBy(atMs: DurationMs): void {
    const { clock } = this.#parts;
    this.#stopping?.();
    this.#stopping = clock.after(Math.max(0, atMs - clock.monotonicMs()), () => {
      this.#over('TIMEOUT');
    });
  }

  #over(reason: string): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#renewing?.();
    this.#stopping?.();
    this.#parts.onOver(reason);
  }

  #send(value: LeaseAsk | null | undefined, header: string, content: string, onAppended?: (at: Millis) => void): void {
    this.#parts.send(value, new Map([[header, content]])).then(
      (appendedAt) => {
        if (appendedAt !== undefined) onAppended?.(appendedAt);
      },
      () => {
        // An unacknowledged renewal does not count; the next one may.
      },
    );
  }
}
