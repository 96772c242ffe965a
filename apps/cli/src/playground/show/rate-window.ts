import type { DurationMs } from '@flatline/base';

const SAMPLES_MAX = 64;

/** How fast a counter has grown lately: over the samples of the last `windowMs`, never over more than 64 of them. */
export class RateWindow {
  readonly #windowMs: DurationMs;
  readonly #samples: { readonly atMs: DurationMs; readonly count: number }[] = [];

  constructor(windowMs: DurationMs) {
    this.#windowMs = windowMs;
  }

  sample(atMs: DurationMs, count: number): void {
    const samples = this.#samples;
    samples.push({ atMs, count });
    // The newest sample at or before the window's start stays: it is where the window begins.
    while (samples.length > 2 && (samples[1]!.atMs <= atMs - this.#windowMs || samples.length > SAMPLES_MAX))
      samples.shift();
  }

  /** 0 until there are two samples at different times. */
  get perSecond(): number {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atMs === first.atMs) return 0;
    return (1000 * (last.count - first.count)) / (last.atMs - first.atMs);
  }
}
