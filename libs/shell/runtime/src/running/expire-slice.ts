// Expires due entries, as many as fit a turn of the event loop.
import type { DurationMs, Millis } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import { EXPIRE_PIECE, SLICE_MS } from '../limits.ts';

/**
 * Lets up to `limit` due entries take effect, in pieces, until the time of a slice is over: an entry of one kind, which a
 * calendar is asked a thousand times for, takes as long as a thousand of others. True if more are due.
 */
export function expireSlice(
  task: Pick<PartitionTask, 'expire' | 'isFull'>,
  limit: number,
  wallNow: Millis,
  monotonicMs: () => DurationMs,
): boolean {
  const startedAt = monotonicMs();
  for (let left = limit; ; left -= EXPIRE_PIECE) {
    const more = task.expire(Math.min(left, EXPIRE_PIECE), wallNow);
    if (!more || left <= EXPIRE_PIECE || task.isFull || monotonicMs() - startedAt >= SLICE_MS) return more;
  }
}
