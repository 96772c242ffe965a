// Watches the standings of leases of one pipeline.
//
// Owns: the watches, the question that each begins with.
// Does not own: what a watch makes of what it hears (LeaseWatch), sending.
import type { Clock, DurationMs } from '@flatline/base';
import { REQUEST_ID_HEADER, TOKEN_HEADER } from '@flatline/ports/formats';
import type { HeardEvent } from './answer-reader.ts';
import type { LeaseRequests } from './lease-requests.ts';
import { type LeaseStanding, LeaseWatch } from './lease-watch.ts';
import { NO_TOKEN } from './resumed-holder.ts';

export interface LeaseWatchesParts {
  readonly clock: Clock;
  readonly answerWithinMs: DurationMs;
  readonly newRequestId: () => string;
  readonly requests: LeaseRequests;
  /** Aborted once nothing new may begin: watches end. */
  readonly ending: AbortSignal;
}

export class LeaseWatches {
  readonly #parts: LeaseWatchesParts;
  /** By lease. */
  readonly #watches = new Map<string, Set<LeaseWatch>>();

  constructor(parts: LeaseWatchesParts) {
    this.#parts = parts;
  }

  /** Yields the standing of a lease as known by now, and then each change. */
  async *watch(id: string, signal: AbortSignal | undefined): AsyncGenerator<LeaseStanding, void> {
    const { requests, newRequestId } = this.#parts;
    if (requests.failure !== undefined) throw requests.failure;
    const requestId = `watches/${newRequestId()}`;
    const watch = new LeaseWatch(requestId);
    const ending = AbortSignal.any([this.#parts.ending, ...(signal === undefined ? [] : [signal])]);
    const end = (): void => {
      watch.end();
    };
    if (ending.aborted) return;
    ending.addEventListener('abort', end, { once: true });
    const watches = this.#watches.get(id) ?? new Set<LeaseWatch>();
    this.#watches.set(id, watches.add(watch));
    const over = new AbortController();
    this.#question(id, requestId, watch, over.signal);
    try {
      yield* watch.standings();
    } finally {
      over.abort();
      ending.removeEventListener('abort', end);
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(id) === watches) this.#watches.delete(id);
    }
  }

  hear(event: HeardEvent): void {
    for (const watch of this.#watches.get(event.leaseId) ?? []) watch.hear(event);
  }

  fail(reason: Error): void {
    for (const watches of [...this.#watches.values()]) for (const watch of [...watches]) watch.fail(reason);
  }

  /** A renewal by no lease's token is refused, with who holds the lease: it changes nothing (L3). */
  #question(id: string, requestId: string, watch: LeaseWatch, over: AbortSignal): void {
    const { clock, answerWithinMs, requests } = this.#parts;
    const headers = new Map([
      [TOKEN_HEADER, String(NO_TOKEN)],
      [REQUEST_ID_HEADER, requestId],
    ]);
    const tooLarge = (error: Error): void => {
      watch.fail(error);
    };
    requests.send({ id, value: undefined, headers }, tooLarge).then(
      () => {
        if (over.aborted) return;
        const cancel = clock.after(answerWithinMs, () => {
          watch.giveUp();
        });
        over.addEventListener('abort', cancel, { once: true });
      },
      () => undefined,
    );
  }
}
