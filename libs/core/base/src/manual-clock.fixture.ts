import type { Cancel, Clock, DurationMs, Millis } from './time.ts';

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #calls = new Set<{ readonly at: DurationMs; readonly callback: () => void }>();

  wallMs(): Millis {
    return this.#now;
  }

  monotonicMs(): DurationMs {
    return this.#now;
  }

  after(delayMs: DurationMs, callback: () => void): Cancel {
    const call = { at: this.#now + delayMs, callback };
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  /** How many calls are to come. */
  get pending(): number {
    return this.#calls.size;
  }

  advance(ms: DurationMs): void {
    this.#now += ms;
    for (const call of [...this.#calls].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at)) {
      this.#calls.delete(call);
      call.callback();
    }
  }
}
