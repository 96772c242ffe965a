import type { LocalStore } from '@flatline/ports';
import { WARM_START_RECENT_MS, WARM_STARTS_MAX } from '../limits.ts';

/**
 * The partitions of the input to load before the group has assigned them: those whose store was written last, not by another
 * process over the same directory, and none that was left long before the newest. Stores of partitions that have moved away
 * stay on disk, and together they might not fit into memory.
 */
export function warmStarts(found: readonly LocalStore[], partitions: number): readonly number[] {
  const newestFirst = found
    .filter(({ partition, isSiblings }) => partition < partitions && isSiblings !== true)
    .sort((a, b) => b.writtenAt - a.writtenAt || a.partition - b.partition);
  const since = (newestFirst[0]?.writtenAt ?? 0) - WARM_START_RECENT_MS;
  return newestFirst
    .filter(({ writtenAt }) => writtenAt >= since)
    .slice(0, WARM_STARTS_MAX)
    .map(({ partition }) => partition);
}
