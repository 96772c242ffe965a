// A delivery whose endpoint whoever has come across it does not know: its configuration may be older than that of who kept it, or
// newer, without that endpoint. Only time tells: it waits, and is given up once nothing else was said for long.
import type { DurationMs, Millis } from '@flatline/base';
import type { Delivery, Write } from './delivery.ts';

/** A delivery whose endpoint no owner has known for this long is given up: longer than processes of two configurations run side by side. */
export const STRANDED_MAX_MS: DurationMs = 24 * 3_600_000;
/** It is looked at again after so long. */
export const STRANDED_LOOK_MS: DurationMs = 600_000;

export function afterStranding(delivery: Delivery, now: Millis): Write {
  const { strandedAt = now } = delivery;
  if (now - strandedAt >= STRANDED_MAX_MS) return { kind: 'giveUp', delivery, why: 'no-endpoint' };
  return { kind: 'keep', delivery: { ...delivery, strandedAt }, phase: 'waiting', dueAt: now + STRANDED_LOOK_MS };
}
