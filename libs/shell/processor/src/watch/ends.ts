// How entries of each kind end, out of their tasks' counters.
import type { KindName } from '@flatline/base';
import { kindOf } from '@flatline/kind-modules';
import type { TaskStatus } from '@flatline/runtime';

type Counted = Pick<TaskStatus, 'counters'>;

/** Reasons that have come up since the tasks began here. */
export function endsByReason(kind: KindName, tasks: readonly Counted[]): readonly (readonly [string, number])[] {
  return Object.entries(kindOf({ kind }).metrics.endings)
    .map(
      ([reason, counter]) =>
        [reason, tasks.reduce((sum, { counters }) => sum + (counters?.[counter] ?? 0), 0)] as const,
    )
    .filter(([, count]) => count > 0);
}
