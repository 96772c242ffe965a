import { type DurationMs, type Millis } from '@flatline/base';
import { type Contender, type TimerQueue } from './timer-queue.ts';

/** ZooKeeper's default `tickTime`, to which it rounds session expiries. */
const INTERVAL_MS = 3000;

/**
 * Buckets of ids by rounded expiry, as org.apache.zookeeper.server.ExpiryQueue keeps its sessions: a map from element to expiry and
 * a map from expiry to a set of elements; each touch moves the element from set to set, unless it rounds to the same instant.
 */
class ExpiryQueue implements TimerQueue {
  readonly #intervalMs: DurationMs;
  readonly #expiries = new Map<number, Millis>();
  readonly #buckets = new Map<Millis, Set<number>>();
  #next: Millis;

  constructor(startAt: Millis, intervalMs: DurationMs) {
    this.#intervalMs = intervalMs;
    this.#next = this.#rounded(startAt);
  }

  get size(): number {
    return this.#expiries.size;
  }

  schedule(id: number, deadline: Millis): void {
    const expiry = Math.max(this.#rounded(deadline), this.#next);
    const armed = this.#expiries.get(id);
    if (armed === expiry) return;
    const bucket = this.#buckets.get(expiry);
    if (bucket === undefined) this.#buckets.set(expiry, new Set([id]));
    else bucket.add(id);
    this.#expiries.set(id, expiry);
    if (armed !== undefined) this.#buckets.get(armed)?.delete(id);
  }

  cancel(id: number): void {
    const armed = this.#expiries.get(id);
    if (armed === undefined) return;
    this.#expiries.delete(id);
    this.#buckets.get(armed)?.delete(id);
  }

  poll(now: Millis, onDue: (id: number) => void): number {
    let fired = 0;
    for (; this.#next <= now; this.#next += this.#intervalMs) {
      const due = this.#buckets.get(this.#next);
      this.#buckets.delete(this.#next);
      for (const id of due ?? []) {
        this.#expiries.delete(id);
        fired += 1;
        onDue(id);
      }
    }
    return fired;
  }

  /** ZooKeeper's `roundToNextInterval`. */
  #rounded(instant: Millis): Millis {
    return (Math.floor(instant / this.#intervalMs) + 1) * this.#intervalMs;
  }
}

export const expiryQueue: Contender = {
  name: 'Map + Set buckets',
  note: `as ZooKeeper's ExpiryQueue, expiries rounded up to ${INTERVAL_MS} ms`,
  timersMax: 10_000_000,
  resolutionMs: INTERVAL_MS,
  create: (startAt) => new ExpiryQueue(startAt, INTERVAL_MS),
};
