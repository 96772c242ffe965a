// Follows the standing of a lease by the output, for an application that only looks.
//
// Owns: the newest that is not given yet.
// Does not own: reading, the question that begins it (LeaseWatches).
//
// Invariants
//   LW1  What is given is what the output says last: a reader that is slow misses what lies between, and nothing piles up.
import type { Millis } from '@flatline/base';
import type { HeardLease } from './heard-lease.ts';

/** Standing of a lease, by the output and the brokers' clocks; times in milliseconds since the epoch. */
export type LeaseStanding =
  | {
      readonly state: 'held';
      /** The attributes of the holder. */
      readonly holder: ReadonlyMap<string, string>;
      /** undefined: it was granted before the watch began, and the pipeline does not say. */
      readonly token: number | undefined;
      /** When it ends unless it is renewed, as of when that was said: renewals say nothing. */
      readonly deadlineAt: Millis | undefined;
    }
  /** `reason`: `NOT_HELD` if no one held it when the watch began, `RELEASED`, `TIMEOUT`, `MAX_DURATION`, `REPLACED` or `EVICTED`. */
  | { readonly state: 'free'; readonly reason: string }
  /** The pipeline has not answered who holds it; changes from now on are given. */
  | { readonly state: 'unknown' };

export class LeaseWatch {
  readonly #requestId: string;
  #newest: LeaseStanding | undefined;
  #isKnown = false;
  #failure: Error | undefined;
  #isOver = false;
  #wake: () => void = () => undefined;

  /** `requestId`: of the question that begins it. */
  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  hear({ type, requestId, reason, holder, token, deadlineAt, attributes }: HeardLease): void {
    if (type === 'GRANTED') this.#say({ state: 'held', holder: attributes ?? new Map(), token, deadlineAt });
    else if (type === 'EXPIRED' || type === 'RELEASED') this.#say({ state: 'free', reason: reason ?? type });
    else if (requestId === this.#requestId && !this.#isKnown)
      this.#say(
        deadlineAt === undefined
          ? { state: 'free', reason: reason ?? type }
          : { state: 'held', holder: holder ?? new Map(), token: undefined, deadlineAt },
      );
  }

  /** Its question is not answered. */
  giveUp(): void {
    if (this.#isKnown) return;
    // An answer may still come.
    this.#newest = { state: 'unknown' };
    this.#wake();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Until it is ended. @throws what it has failed with */
  async *standings(): AsyncGenerator<LeaseStanding, void> {
    for (;;) {
      if (this.#isOver) return;
      if (this.#failure !== undefined) throw this.#failure;
      const newest = this.#newest;
      this.#newest = undefined;
      if (newest !== undefined) yield newest;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #say(standing: LeaseStanding): void {
    this.#isKnown = true;
    this.#newest = standing;
    this.#wake();
  }
}
