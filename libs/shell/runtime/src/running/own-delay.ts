// How long this process was too busy, or not let run, while it waited for others: what it did not do for itself then is no
// slowness of theirs.
//
// Owns: a timer that says how late it is, again and again.      Does not own: what is waited for.
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import { OWN_DELAY_PROBE_MS } from '../instance/limits.ts';

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

  /** Ends measuring. What came of it, that of a timer with it which is still to fire. */
  end(): DurationMs {
    this.#cancel?.();
    this.#note();
    return this.#lateMs;
  }
}
