// Deadlines in buckets: what ends within one ends together (L2, S2).
import type { DurationMs, Millis } from '@flatline/base';

/** The next end of a bucket, even from an instant that is one: as in ZooKeeper's ExpiryQueue. */
export function bucketEnd(instant: Millis, bucketMs: DurationMs): Millis {
  return (Math.floor(instant / bucketMs) + 1) * bucketMs;
}
