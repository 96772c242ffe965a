// After an orderly stop: nothing hangs (V6), and the local stores of the last process to leave hold exactly what the log
// says lives (V8).
import type { Simulation } from '@flatline/cluster';
import { decodeBlock } from '@flatline/partition';
import { endOfTime, foldPartition, summariesOf } from './checks.ts';
import { CHANGELOG, GROUP, OUTPUT } from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';

export function checkStopped(simulation: Simulation, scenario: Scenario, machine: string): string[] {
  return Array.from({ length: scenario.partitions }, (_, partition) =>
    checkStore(simulation, scenario, machine, partition),
  ).flat();
}

function checkStore(simulation: Simulation, scenario: Scenario, machine: string, partition: number): string[] {
  const where = `[R1] store of ${machine}/${partition}`;
  const block = simulation.log
    .committed(CHANGELOG, partition)
    .map(({ value }) => decodeBlock(value!))
    .findLast(({ kind }) => kind === 'state');
  const id = `${GROUP}.${partition}`;
  if (simulation.log.transactions.unsettled(id)) return [`[O1] a transaction of ${id} hangs`];
  if (block?.kind !== 'state') return [];
  const file = simulation.disk(machine).file(partition);
  if (file === undefined) return [`${where}: there is none`];
  const { position } = block.header.inputs[0]!;
  const clockAtEnd = endOfTime(simulation, scenario, partition);
  const { summaries, open } = foldPartition(simulation, scenario, partition, { below: position, clockAtEnd });
  const closed = new Set(
    summariesOf(simulation.log.committed(OUTPUT, partition)).map(({ incarnation }) => incarnation),
  );
  const due = summaries.filter(({ incarnation }) => !closed.has(incarnation)).map(({ sessionId }) => String(sessionId));
  const wanted = [...open.keys(), ...due].sort().join(' ');
  const found = [...file.entries.keys()].sort().join(' ');
  if (!file.closedCleanly || !file.clean) return [`${where}: left unclean`];
  return found === wanted ? [] : [`${where}: holds «${found}», the log says «${wanted}»`];
}
