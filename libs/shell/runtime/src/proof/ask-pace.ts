// How soon a partition may be asked again to prove its silence (C2, C3).
//
// The first deadline after a while is asked for at once. Asking again costs a record in the input each time, which
// all its readers get, and a commit if something closes. So the next one may come soon where the answer to the last one
// brought a close, and only after the whole interval where it brought none, or where other records
// keep coming meanwhile, which bring it as well. Brokers that take long to answer are asked less often: what this process
// itself was late by makes no broker slow.
//
// Owns: when it was asked last, how long the answer took and whether it was of use.
// Does not own: the request under way.
import type { DurationMs } from '@flatline/base';
import { FRUITFUL_ASKS, SLOW_ASKS_APART_MS } from '../limits.ts';

export class AskPace {
  readonly #intervalMs: DurationMs;
  #lastAskedAt = -Infinity;
  #roundTripMs: DurationMs = 0;
  #wasFruitful = false;

  constructor(intervalMs: DurationMs) {
    this.#intervalMs = intervalMs;
  }

  get lastAskedAt(): DurationMs {
    return this.#lastAskedAt;
  }

  /** Least distance between two requests. */
  get leastMs(): DurationMs {
    return this.#intervalMs / FRUITFUL_ASKS;
  }

  asked(monotonicNow: DurationMs): void {
    this.#lastAskedAt = monotonicNow;
    this.#wasFruitful = false;
  }

  /** The last answer has been acted on, this long after the request; the process's own delay is taken off. */
  answered(roundTripMs: DurationMs): void {
    this.#roundTripMs = roundTripMs;
  }

  /** The answer has closed sessions that would have waited otherwise. */
  boreFruit(): void {
    this.#wasFruitful = true;
  }

  /** Until it may be asked again; 0 or less: now. */
  delayMs(monotonicNow: DurationMs): DurationMs {
    const byUse = this.#wasFruitful ? this.leastMs : this.#intervalMs;
    const bySpeed = Math.min(2 * this.#roundTripMs, SLOW_ASKS_APART_MS);
    return this.#lastAskedAt + Math.max(byUse, bySpeed) - monotonicNow;
  }
}
