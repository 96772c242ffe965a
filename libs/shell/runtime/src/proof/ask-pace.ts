// How soon a partition may be asked again to prove its silence (C2, C3).
//
// The first deadline after a while is asked for at once. What costs is asking again and again: each time a record in the input,
// that all its readers get, and a commit if something closes. So the next one may come soon where the last one brought a close,
// which somebody waits for, and only after the whole interval where it brought none.
//
// Owns: when it was asked last, and what had been closed by then.      Does not own: the request under way.
import type { DurationMs } from '@flatline/base';
import { FRUITFUL_ASKS } from '../instance/limits.ts';

export class AskPace {
  readonly #intervalMs: DurationMs;
  #lastAskedAt = -Infinity;
  #closedBefore = 0;

  constructor(intervalMs: DurationMs) {
    this.#intervalMs = intervalMs;
  }

  get lastAskedAt(): DurationMs {
    return this.#lastAskedAt;
  }

  /** @param closed sessions that the clock has closed since the start. */
  asked(monotonicNow: DurationMs, closed: number): void {
    this.#lastAskedAt = monotonicNow;
    this.#closedBefore = closed;
  }

  /** Until it may be asked again; 0 or less: now. */
  delayMs(monotonicNow: DurationMs, closed: number): DurationMs {
    const apart = closed > this.#closedBefore ? this.#intervalMs / FRUITFUL_ASKS : this.#intervalMs;
    return this.#lastAskedAt + apart - monotonicNow;
  }
}
