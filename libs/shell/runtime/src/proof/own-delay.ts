// Measures how long this process was too busy, or not scheduled, while it waited for an answer: the other side is not slow by
// that time.
//
// Owns: a timer that measures, again and again, how late it fires.
// Does not own: what is waited for.
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import { OWN_DELAY_PROBE_MS } from '../limits.ts';

export class OwnDelay {
  readonly #clock: Clock;
  #lateMs: DurationMs = 0;
  #dueAtMs: DurationMs = Infinity;
  #cancel: Cancel | undefined;

  /** Begins to measure; `end` must be called. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#arm();
  }

  #arm(): void {
    this.#dueAtMs = this.#clock.monotonicMs() + OWN_DELAY_PROBE_MS;
    this.#cancel = this.#clock.after(OWN_DELAY_PROBE_MS, () => {
      this.#note();
      this.#arm();
    });
  }

  #note(): void {
    this.#lateMs += Math.max(0, this.#clock.monotonicMs() - this.#dueAtMs);
    this.#dueAtMs = Infinity;
  }

  /** Until now, with the delay of the timer that has not fired yet. */
  get soFarMs(): DurationMs {
    return this.#lateMs + Math.max(0, this.#clock.monotonicMs() - this.#dueAtMs);
  }

  /** Ends measuring. The total, with the delay of the timer that has not fired yet. */
  end(): DurationMs {
    this.#cancel?.();
    this.#note();
    return this.#lateMs;
  }
}
