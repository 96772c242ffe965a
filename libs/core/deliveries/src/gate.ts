// Limits concurrency and rate of attempts to one endpoint, for all partitions of a process.
//
// Owns: how many attempts are under way, when the next may begin.
// Does not own: which delivery that is (EndpointQueue).
//
// Invariants
//   GA1  At most `maxInFlight` are under way.
//   GA2  In any second at most `maxPerSecond` begin, and what BURST_MS would have let through besides.
//
// Checked
//   assertion  GA1
//   not        GA2: the instants of the past are not kept; the test counts them
import { assert, type DurationMs, type Millis } from '@flatline/base';

export interface GateLimits {
  readonly maxInFlight: number;
  /** undefined: as many as can. */
  readonly maxPerSecond: number | undefined;
}

/** Timers are late: attempts that they delayed may be made up for. */
const BURST_MS: DurationMs = 50;
/** Longest wait at the slowest rate that may be configured: a longer one means that the clock was put back. */
const FREE_MOST_MS: DurationMs = 1_000;

export class Gate {
  readonly #limits: GateLimits;
  readonly #waiting = new Set<() => void>();
  #inFlight = 0;
  #freeAt: Millis = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** True: an attempt may begin, and `leave` is called once it has ended. */
  enter(now: Millis): boolean {
    if (this.#freeAt - now > FREE_MOST_MS) this.#freeAt = now;
    if (this.#inFlight >= this.#limits.maxInFlight || now < this.#freeAt) return false;
    const { maxPerSecond } = this.#limits;
    if (maxPerSecond !== undefined) this.#freeAt = Math.max(this.#freeAt, now - BURST_MS) + 1_000 / maxPerSecond;
    this.#inFlight += 1;
    return true;
  }

  leave(): void {
    assert(this.#inFlight > 0, 'an attempt that ends has begun (GA1)');
    this.#inFlight -= 1;
    for (const tell of this.#waiting) tell();
  }

  /** Number that may begin now; with a rate one after the other. */
  room(now: Millis): number {
    const free = this.#limits.maxInFlight - this.#inFlight;
    if (this.#limits.maxPerSecond === undefined) return free;
    const isPaced = now < this.#freeAt && this.#freeAt - now <= FREE_MOST_MS;
    return isPaced ? 0 : Math.min(1, free);
  }

  /** When the rate lets the next one begin; undefined: one has to end first. */
  freeAt(): Millis | undefined {
    return this.#inFlight >= this.#limits.maxInFlight ? undefined : Math.ceil(this.#freeAt);
  }

  /** Calls `tell` each time that an attempt has ended. Returns a function that unsubscribes. */
  onFree(tell: () => void): () => void {
    this.#waiting.add(tell);
    return () => {
      this.#waiting.delete(tell);
    };
  }
}
