import type { Millis } from '@flatline/base';
import type { StoreDrop } from '@flatline/ports';
import type { PipelineStatus, ProcessView } from './observed.ts';
import { recentDamage } from './store-damage.ts';

/** One pipeline as all processes that answer hold it together. */
export interface PipelineRow extends Omit<PipelineStatus, 'tasks' | 'standbys' | 'silentOwners' | 'storeDrops'> {
  /** Numbers of those that these processes run, and stand by for. */
  readonly partitions: readonly number[];
  readonly standbys: readonly number[];
  readonly damagedStores: number;
  readonly liveEntries: number;
}

/** In the order of the configuration. */
export function pipelineRows(processes: readonly ProcessView[]): readonly PipelineRow[] {
  const names = new Set(processes.flatMap(({ pipelines }) => pipelines.map(({ name }) => name)));
  const wallNow = Math.max(...processes.map((each) => each.wallNow));
  return [...names].map((name) =>
    rowOf(
      processes.flatMap(({ pipelines }) => pipelines.filter((each) => each.name === name)),
      wallNow,
    ),
  );
}

function rowOf(parts: readonly PipelineStatus[], wallNow: Millis): PipelineRow {
  const { name, kind, deliveriesOf, inputTopic, inputPartitions, outputTopic, group, timeoutMs } = parts[0]!;
  const { furtherInputTopics } = parts[0]!;
  const partitions = parts.flatMap(({ tasks }) => tasks.map(({ partition }) => partition));
  return {
    name,
    kind,
    ...(deliveriesOf !== undefined && { deliveriesOf }),
    inputTopic,
    inputPartitions,
    ...(furtherInputTopics && { furtherInputTopics }),
    outputTopic,
    group,
    timeoutMs,
    ready: parts.every(({ ready }) => ready),
    interruption: parts.find(({ interruption }) => interruption !== undefined)?.interruption,
    failure: parts.find(({ failure }) => failure !== undefined)?.failure,
    storeErrors: sum(parts.map(({ storeErrors }) => storeErrors)),
    // Each knows all of the group, as of its last assignment; a worker that has just come knows nothing yet.
    instances: parts.find(({ instances }) => instances.length > 0)?.instances ?? [],
    // A partition that moves between workers is with both for a moment.
    partitions: ascending(partitions),
    damagedStores: recentDamage(distinct(parts.flatMap(({ storeDrops }) => storeDrops)), wallNow).length,
    standbys: ascending(parts.flatMap(({ standbys }) => standbys.map(({ partition }) => partition))),
    liveEntries: sum(parts.flatMap(({ tasks }) => tasks.map(({ liveEntries }) => liveEntries))),
  };
}

/** Workers note drops in one file. */
function distinct(drops: readonly StoreDrop[]): readonly StoreDrop[] {
  return [...new Map(drops.map((drop) => [`${drop.partition} ${drop.at} ${drop.reason}`, drop])).values()];
}

function ascending(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
