import type { Clock, DurationMs } from '@flatline/base';
import { pause } from '@flatline/system';
import { RETRY_FIRST_MS, RETRY_MAX_MS } from './limits.ts';

/** Doubling pauses between tries, from RETRY_FIRST_MS to RETRY_MAX_MS. */
export class RetryPause {
  readonly #clock: Clock;
  #next: DurationMs = RETRY_FIRST_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Shorter where `end` is aborted meanwhile. */
  async pause(end?: AbortSignal): Promise<void> {
    const delay = this.#next;
    this.#next = Math.min(this.#next * 2, RETRY_MAX_MS);
    await pause(this.#clock, delay, end);
  }

  reset(): void {
    this.#next = RETRY_FIRST_MS;
  }
}
