import type { DurationMs } from '@flatline/base';

const FIRST_MS: DurationMs = 10_000;
const MOST_MS: DurationMs = 600_000;

/** When something that recurs is logged again: after 10 s, then 20 s, 40 s, up to every 10 min. Times are monotonic. */
export class SummaryPace {
  #intervalMs = FIRST_MS;
  #nextAt: DurationMs;

  /** It was logged at `now`. */
  constructor(now: DurationMs) {
    this.#nextAt = now + FIRST_MS;
  }

  /** When it is to be logged again, if it recurs. */
  get dueAt(): DurationMs {
    return this.#nextAt;
  }

  /** True where it is to be logged now; the next time is later then. */
  isDue(now: DurationMs): boolean {
    if (now < this.#nextAt) return false;
    this.#intervalMs = Math.min(this.#intervalMs * 2, MOST_MS);
    this.#nextAt = now + this.#intervalMs;
    return true;
  }
}
