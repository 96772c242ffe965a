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

/**
 * Between which two of the values the median of where they come from lies, with a probability of at least `confidence`, whatever its
 * distribution: by their ranks, as in a sign test. Undefined with too few for that: six for 0.95.
 */
export function medianWithin(values: readonly number[], confidence = 0.95): Omit<Spread, 'median'> | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  // Chance that fewer than so many of them are below the median, as heads of so many coins.
  let [chance, below, isSure] = [0, 2 ** -length, false];
  let rank = 0;
  for (; rank < length / 2; rank += 1) {
    chance += below;
    below *= (length - rank) / (rank + 1);
    if (1 - 2 * chance < confidence) break;
    isSure = true;
  }
  return isSure ? { min: sorted[rank - 1]!, max: sorted[length - rank]! } : undefined;
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
