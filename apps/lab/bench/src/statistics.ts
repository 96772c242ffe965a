// Summaries of measurements.
import type { DurationMs } from '@flatline/base';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** @param values at least one. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** Undefined if one of them is not known. */
export function spreadOfKnown(values: readonly (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? spreadOf(known) : undefined;
}

export interface Quantiles {
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
}

/** By nearest rank; NaN without any. */
export function quantilesOf(values: readonly DurationMs[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = (share: number): DurationMs => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
  return { p50Ms: rank(0.5), p99Ms: rank(0.99), maxMs: rank(1) };
}

/** Slope of the least-squares line through the points (x, y). @param points at least two, not all of one x. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const covariance = mean(([x, y]) => (x - meanX) * (y - meanY));
  return covariance / mean(([x]) => (x - meanX) ** 2);
}
