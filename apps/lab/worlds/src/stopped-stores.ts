// After a clean stop: the local stores of the last process to leave are there, closed, and not in the middle of a flush.
// The oracle judges their contents (V8).
import type { Simulation } from '@flatline/cluster';
import { commitsOf, lastCommit } from './judging/decisions.ts';
import { GROUP } from './pipeline-names.ts';

/** R3: then the group stands where the changelog does, though not each commit carried its offset. */
export function checkGroup(simulation: Simulation, topics: readonly string[], partition: number): string[] {
  const positions = lastCommit(simulation, partition)?.positions ?? [];
  return positions.flatMap((position, input) => {
    const committed = simulation.log.offsets.committed(GROUP, { topic: topics[input]!, partition })?.offset;
    if (committed === position) return [];
    return [
      `[R3] group offset of ${topics[input]!}/${partition}: ${committed} after a stop, the last commit is at ${position}`,
    ];
  });
}

export function checkStopped(simulation: Simulation, machine: string, partition: number): string[] {
  const where = `[R1] store of ${machine}/${partition}`;
  if (commitsOf(simulation, partition).length === 0) return [];
  const file = simulation.disk(machine).file(partition);
  if (file === undefined) return [`${where}: there is none`];
  if (!file.closedCleanly) return [`${where}: left unclean`];
  const checkpointed = file.checkpoint?.changelogPosition ?? 0;
  const isNewer = [...file.entries.values()].some(({ changelogOffset }) => changelogOffset >= checkpointed);
  return isNewer ? [`${where}: holds rows newer than its checkpoint`] : [];
}
