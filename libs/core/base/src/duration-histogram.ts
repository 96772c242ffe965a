// Durations counted by size since the start, cumulative as Prometheus wants them.
import type { DurationMs } from './time.ts';

/** Upper bounds for durations of slow operations. */
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
  readonly #boundsMs: readonly DurationMs[];
  readonly #counts: Float64Array;
  #sumMs: DurationMs = 0;

  /** `boundsMs`: of the sizes, in rising order; longer durations count in `count` alone. */
  constructor(boundsMs: readonly DurationMs[] = BOUNDS_MS) {
    this.#boundsMs = boundsMs;
    this.#counts = new Float64Array(boundsMs.length + 1);
  }

  /** Negative durations, as between two clocks, count as zero. */
  add(durationMs: DurationMs): void {
    const counted = Math.max(0, durationMs);
    const bounds = this.#boundsMs;
    let size = 0;
    while (size < bounds.length && counted > bounds[size]!) size += 1;
    this.#counts[size]! += 1;
    this.#sumMs += counted;
  }

  status(): HistogramStatus {
    let count = 0;
    const bounds = this.#boundsMs;
    const atMost = bounds.map((bound, size) => [bound, (count += this.#counts[size]!)] as const);
    return { atMost, count: count + this.#counts[bounds.length]!, sumMs: this.#sumMs };
  }
}
