// How far behind the partition clock records come whose producers stamp them: by it a grace is chosen (C7).
import { DurationHistogram, type DurationMs } from '@flatline/base';

const SECOND: DurationMs = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The first counts what came in order. */
const BOUNDS_MS: readonly DurationMs[] = [
  0,
  100,
  SECOND,
  5 * SECOND,
  10 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  6 * HOUR,
  DAY,
  7 * DAY,
];

export function latenessHistogram(): DurationHistogram {
  return new DurationHistogram(BOUNDS_MS);
}
