// Durations counted by size since the start, cumulative as Prometheus wants them.
import type { DurationMs } from '@flatline/base';

/** Upper bounds of the sizes; longer durations count in `count` alone. */
const BOUNDS_MS: readonly DurationMs[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000,
];

export interface HistogramStatus {
  /** Durations up to each bound: bound and number, in rising order. */
  readonly atMost: readonly (readonly [boundMs: DurationMs, count: number])[];
  readonly count: number;
  readonly sumMs: DurationMs;
}

export class DurationHistogram {
  readonly #counts = new Float64Array(BOUNDS_MS.length + 1);
  #sumMs: DurationMs = 0;

  /** Negative durations, as between two clocks, count as zero. */
  add(durationMs: DurationMs): void {
    const counted = Math.max(0, durationMs);
    let size = 0;
    while (size < BOUNDS_MS.length && counted > BOUNDS_MS[size]!) size += 1;
    this.#counts[size]! += 1;
    this.#sumMs += counted;
  }

  status(): HistogramStatus {
    let count = 0;
    const atMost = BOUNDS_MS.map((bound, size) => [bound, (count += this.#counts[size]!)] as const);
    return { atMost, count: count + this.#counts[BOUNDS_MS.length]!, sumMs: this.#sumMs };
  }
}
