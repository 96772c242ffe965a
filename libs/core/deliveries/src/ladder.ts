// Attempts of one delivery, and the waits between them (N2): those that Standard Webhooks recommends.
import type { DurationMs } from '@flatline/base';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Before each attempt, from the end of the one before. */
const WAITS_MS: readonly DurationMs[] = [
  0,
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** By how much `Retry-After` may lengthen a wait. */
export const RETRY_AFTER_MAX_MS: DurationMs = 2 * HOUR_MS;

/** Each wait is within so much of itself, so that what failed together does not come back together. */
const SPREAD = 0.2;

/** The wait as `draw`, from [0, 1), spreads it. */
export function spread(waitMs: DurationMs, draw: number): DurationMs {
  return Math.round(waitMs * (1 - SPREAD + 2 * SPREAD * draw));
}

/**
 * How long to wait after the attempt that made it `failed` of them; undefined: that was the last one.
 * @param retryAfterMs as the endpoint asks, in ms; it can make a wait longer, not shorter.
 */
export function waitAfter(
  failed: number,
  draw: number,
  retryAfterMs: DurationMs | undefined = 0,
): DurationMs | undefined {
  const wait = WAITS_MS[failed];
  if (wait === undefined) return undefined;
  const waitMs = spread(wait, draw);
  return Math.max(waitMs, Math.min(retryAfterMs, waitMs + RETRY_AFTER_MAX_MS));
}
