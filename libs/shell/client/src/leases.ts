// Leases of one pipeline, asked for and kept: requests go to its input, answers are followed on its output.
//
// Owns: how it ends; the calls of `lead` that it waits for.
// Does not own: holders (LeaseHolders), callers (LeaseCallers), watches (LeaseWatches), the reader's connections.
import { type DurationMs, Retriable } from '@flatline/base';
import type { LogReader } from '@flatline/ports';
import type { LeaseEventFormats } from '@flatline/records/leases';
import { withinDeadline } from '@flatline/system';
import { AnswerReader } from './answer-reader.ts';
import { type LeaderOptions, type Leadership, leadWhileHeld } from './leadership.ts';
import type { Lease, LeaseWish, ResumeOptions, WatchOptions } from './lease.ts';
import { type AskingParts, LeaseCallers } from './lease-callers.ts';
import { LeaseHolders } from './lease-holders.ts';
import { LeaseRequests, type LeaseRequestsParts } from './lease-requests.ts';
import type { LeaseStanding } from './lease-watch.ts';
import { LeaseWatches } from './lease-watches.ts';

export interface LeasesParts extends AskingParts {
  readonly write: LeaseRequestsParts['write'];
}

/** Leases that a message names. */
const NAMED_MAX = 3;

export class HeldLeases {
  readonly #parts: LeasesParts;
  readonly #requests: LeaseRequests;
  readonly #holders = new LeaseHolders();
  readonly #callers: LeaseCallers;
  readonly #watches: LeaseWatches;
  /** Calls of `lead` that have not returned, each with the id of its lease. */
  readonly #leads = new Map<Promise<unknown>, string>();
  /** Aborted once nothing new may begin. */
  readonly #ending = new AbortController();
  /** Aborted once nothing more is heard. */
  readonly #closed = new AbortController();
  #answers: AnswerReader | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
    this.#requests = new LeaseRequests({
      write: parts.write,
      onFailed: (reason) => {
        this.#holders.giveUp();
        this.#watches.fail(reason);
      },
    });
    const shared = { ...parts, requests: this.#requests, ending: this.#ending.signal };
    this.#callers = new LeaseCallers({ ...shared, holders: this.#holders, unread: () => this.#answers?.unread });
    this.#watches = new LeaseWatches(shared);
  }

  /** Resolves once it is held; rejects where it is refused, or not answered, naming the reason. */
  acquire(id: string, wish: LeaseWish): Promise<Lease> {
    return this.#callers.start(id, wish, false);
  }

  /** Leads while it is held (leadership.ts). */
  lead(id: string, lead: (leadership: Leadership) => unknown, options: LeaderOptions): Promise<void> {
    const leading = leadWhileHeld(id, lead, options, {
      clock: this.#parts.clock,
      ending: this.#ending.signal,
      acquire: (of, wish) => this.#callers.start(of, wish, true),
    });
    const returned = leading.catch(() => undefined).finally(() => this.#leads.delete(returned));
    this.#leads.set(returned, id);
    return leading;
  }

  /** Resolves once a lease whose token is known is held on; rejects where it has ended, or nothing is answered. */
  resume(id: string, token: number, { signal }: ResumeOptions): Promise<Lease> {
    return this.#callers.resume(id, token, signal);
  }

  /** Yields the standing of a lease as known by now, and then each change. */
  watch(id: string, { signal }: WatchOptions): AsyncGenerator<LeaseStanding, void> {
    return this.#watches.watch(id, signal);
  }

  /** Follows the answers until the subscriptions are closed. */
  follow(
    reader: LogReader,
    topic: string,
    starts: ReadonlyMap<number, number>,
    formats: Pick<LeaseEventFormats, 'readOrWhy'>,
  ): Promise<void> {
    this.#answers = new AnswerReader({
      clock: this.#parts.clock,
      formats,
      ending: this.#closed.signal,
      onHeard: (event) => {
        this.#watches.hear(event);
        this.#holders.hear(event);
      },
    });
    return this.#answers.follow(reader, topic, starts);
  }

  /**
   * Who leads is told, and keeps its lease until it has returned; all others are given back at once. Then `end` sends what waits,
   * and reads no more: also where that takes longer than `limitMs`.
   * @throws Retriable where it does: leases that are still led expire, since who leads may yet act
   */
  async close(limitMs: DurationMs, end: () => Promise<void>): Promise<void> {
    // Before those who lead are told, too: one may give back at once.
    this.#holders.withdraw();
    this.#ending.abort();
    this.#holders.release();
    const ended = Promise.all(this.#leads.keys()).then(() => this.#end(end));
    // Heard of once the limit has passed, it would be a second reason.
    ended.catch(() => undefined);
    await withinDeadline(this.#parts.clock, limitMs, ended, () => {
      const late = [...new Set(this.#leads.values())];
      this.#end(end).catch(() => undefined);
      return new Retriable(notGivenBack(late, limitMs));
    });
  }

  /** Nothing is renewed any more, and everyone who waits is told why; what is held expires. The first reason counts. */
  fail(error: unknown): void {
    this.#requests.fail(error);
  }

  #end(end: () => Promise<void>): Promise<void> {
    if (this.#closing === undefined) {
      this.#holders.giveBackAll();
      this.#closed.abort();
      this.#closing = end();
    }
    return this.#closing;
  }
}

function notGivenBack(led: readonly string[], limitMs: DurationMs): string {
  if (led.length === 0) return `leases were not given back within ${limitMs} ms: they expire`;
  const others = led.length > NAMED_MAX ? ` and ${led.length - NAMED_MAX} more` : '';
  const leads = `what leads ${led.slice(0, NAMED_MAX).join(', ')}${others} has not returned within ${limitMs} ms`;
  return `${leads}: its lease is not given back, and expires`;
}
