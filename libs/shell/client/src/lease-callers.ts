// Callers that wait for leases of one pipeline: each asks by a holder, and gets its lease or the reason why not.
//
// Owns: the promise of each caller, tries after a lease has run out unheld.
// Does not own: the holders once they are made (LeaseHolders), sending.
import type { Clock, DurationMs } from '@flatline/base';
import type { Lease, LeaseWish } from './lease.ts';
import { LeaseHolder, type LeaseHolderParts } from './lease-holder.ts';
import type { Holder, LeaseHolders } from './lease-holders.ts';
import { LeaseNotGot, RUN_OUT, whyNotGot } from './lease-not-got.ts';
import type { LeaseRequests } from './lease-requests.ts';
import { ResumedHolder } from './resumed-holder.ts';

export interface AskingParts {
  readonly clock: Clock;
  readonly clockSkewMs: DurationMs;
  readonly answerWithinMs: DurationMs;
  /** The input and the output topic, to be named. */
  readonly topic: string;
  readonly answers: string;
  readonly newRequestId: () => string;
}

export interface LeaseCallersParts extends AskingParts {
  readonly requests: LeaseRequests;
  readonly holders: LeaseHolders;
  /** Aborted once nothing new may begin. */
  readonly ending: AbortSignal;
  /** As AnswerReader's. */
  readonly unread: () => Parameters<typeof whyNotGot>[1]['unread'];
}

/** Times in a row that a lease may run out before it is held. */
const RUN_OUTS_MAX = 5;

/** A caller that waits for a lease. */
interface Wanted {
  readonly id: string;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
  /** The holder that asks for it now. */
  holder: Holder | undefined;
}

type HolderParts = Pick<LeaseHolderParts, 'clock' | 'clockSkewMs' | 'answerWithinMs' | 'send' | 'onHeld' | 'onOver'>;

/** Acts on one holder. */
interface Attempt {
  readonly isResumed: boolean;
  readonly isLed: boolean;
  /** Told why it was over before it was held; true: another attempt is made. */
  readonly again: (reason: string) => boolean;
}

export class LeaseCallers {
  readonly #parts: LeaseCallersParts;

  constructor(parts: LeaseCallersParts) {
    this.#parts = parts;
  }

  /** Resolves once it is held; rejects where it is refused, or not answered, naming the reason. */
  start(id: string, { signal, ...ask }: LeaseWish, isLed: boolean): Promise<Lease> {
    return this.#want(id, signal, (wanted) => {
      const attempt = (runOuts: number): void => {
        const requestId = this.#parts.newRequestId();
        this.#hold(wanted, (parts) => new LeaseHolder({ ...parts, requestId, ask }), {
          isResumed: false,
          isLed,
          again: (reason) => {
            // The answer of a processor that was down or behind: the lease has run out.
            const isAgain = RUN_OUT.includes(reason) && runOuts + 1 < RUN_OUTS_MAX;
            if (isAgain) attempt(runOuts + 1);
            return isAgain;
          },
        });
      };
      attempt(0);
    });
  }

  /** Resolves once a lease whose token is known is held on; rejects where it has ended, or nothing is answered. */
  resume(id: string, token: number, signal: AbortSignal | undefined): Promise<Lease> {
    return this.#want(id, signal, (wanted) => {
      const name = this.#parts.newRequestId();
      this.#hold(wanted, (parts) => new ResumedHolder({ ...parts, token, name }), {
        isResumed: true,
        isLed: false,
        again: () => false,
      });
    });
  }

  #want(id: string, signal: AbortSignal | undefined, ask: (wanted: Wanted) => void): Promise<Lease> {
    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const wanted: Wanted = { id, resolve, reject, holder: undefined };
    const leave = (): void => {
      reject(signal!.reason);
      wanted.holder?.withdraw();
    };
    if (signal?.aborted === true) {
      leave();
      return promise;
    }
    if (this.#parts.ending.aborted) {
      reject(new Error(`the lease ${id} is not asked for: the leases are being closed`));
      return promise;
    }
    signal?.addEventListener('abort', leave, { once: true });
    const { failure } = this.#parts.requests;
    if (failure === undefined) ask(wanted);
    else reject(failure);
    return promise.finally(() => {
      signal?.removeEventListener('abort', leave);
    });
  }

  #hold(wanted: Wanted, make: (parts: HolderParts) => Holder, { isResumed, isLed, again }: Attempt): void {
    const { id, resolve, reject } = wanted;
    const { requests, holders } = this.#parts;
    const { promise: over, resolve: end } = Promise.withResolvers<string>();
    let wasHeld = false;
    let tooLarge: string | undefined;
    const holder: Holder = make({
      ...this.#parts,
      send: (value, headers) =>
        requests.send({ id, value, headers }, ({ message }) => {
          tooLarge = message;
          holder.giveUp('TOO_LARGE');
        }),
      onHeld: () => {
        wasHeld = true;
        if (isLed) holders.lead(holder);
        resolve(leaseOf(holder, over));
      },
      onOver: (reason, refusal) => {
        holders.over(id, holder, requests.failure === undefined);
        end(reason);
        if (wasHeld || (requests.failure === undefined && again(reason))) return;
        const words = tooLarge ?? whyNotGot(reason, { ...this.#parts, unread: this.#parts.unread(), isResumed });
        reject(requests.failure ?? new LeaseNotGot(id, reason, words, refusal));
      },
    });
    wanted.holder = holder;
    holders.add(id, holder);
  }
}

function leaseOf(holder: Holder, over: Promise<string>): Lease {
  return {
    get token() {
      return holder.token;
    },
    get isHeld() {
      return holder.isHeld;
    },
    over,
    release: () => {
      holder.release();
    },
  };
}
