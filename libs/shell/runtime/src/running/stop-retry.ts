// Computes the wait of a stopped partition before it tries again by itself.
import type { DurationMs } from '@flatline/base';

/** Each try costs the brokers a restore, and the log an error: an hour of it should be a handful. */
const GROWTH = 2;
const LONGEST = 16;

export class StopRetry {
  readonly #firstMs: DurationMs;
  #delayMs: DurationMs = 0;
  #triedAtMs = -Infinity;

  /** @param firstMs wait after a first stop */
  constructor(firstMs: DurationMs) {
    this.#firstMs = firstMs;
  }

  /** After a stop at `nowMs`, monotonic. Twice as long as the last one, up to sixteen times the first, unless it ran longer since. */
  delayAt(nowMs: DurationMs): DurationMs {
    const ran = nowMs - this.#triedAtMs;
    const grown = Math.min(this.#delayMs * GROWTH, this.#firstMs * LONGEST);
    this.#delayMs = ran > this.#delayMs ? this.#firstMs : grown;
    this.#triedAtMs = nowMs + this.#delayMs;
    return this.#delayMs;
  }
}
