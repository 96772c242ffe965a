// How entries of each kind end, out of their tasks' counters.
import type { KindName } from '@flatline/base';
import { kindOf } from '@flatline/kind-modules';
import type { TaskStatus } from '@flatline/runtime';

/** Schedules have runs instead of ends. */
const OF_RUNS = {
  RUN: 'scheduleRuns',
  CANCELLED: 'schedulesCancelled',
  EXPIRED: 'scheduleRunsExpired',
  MISSED: 'scheduleRunsMissed',
} as const;

type Counted = Pick<TaskStatus, 'counters'>;

/** Reasons that have come up since the tasks began here. */
export function endsByReason(kind: KindName, tasks: readonly Counted[]): readonly (readonly [string, number])[] {
  const reasons = kindOf({ kind }).metrics.ended?.counters ?? OF_RUNS;
  return Object.entries(reasons)
    .map(
      ([reason, counter]) =>
        [reason, tasks.reduce((sum, { counters }) => sum + (counters?.[counter] ?? 0), 0)] as const,
    )
    .filter(([, count]) => count > 0);
}
