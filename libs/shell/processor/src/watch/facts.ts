// The facts of a dashboard: each has a path, and is replaced whole when it changes (docs/DASHBOARD.md).
//
//   instance                    who answers, and when
//   pipelines                   names, in the order of the configuration
//   pipeline/NAME               what it is
//   figures/NAME/INSTANCE       sums over what the instance owns
//   deliveries/NAME/INSTANCE    by endpoint, what the instance delivers to webhooks
//   part/NAME/PARTITION         in whose hands it is: changes with a move
//   now/NAME/PARTITION          how far it is: changes all the time
import type { HistogramStatus } from '@flatline/base';
import { kindOf } from '@flatline/kind-modules';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import type { StandbyStatus, TaskStatus } from '@flatline/runtime';
import { deliveriesFact } from './deliveries-fact.ts';
import { endsByReason } from './ends.ts';
import type { Growth } from './growth.ts';
import type { Shown, ShownPipeline } from './shown.ts';

/** JSON texts by path. */
export type Facts = ReadonlyMap<string, string>;

/** Sums over what an instance owns. */
export const FIGURES = 'figures/';
export const DELIVERIES = 'deliveries/';
export const PART = 'part/';
/** They change with every record: what else has changed is said before them. */
export const NOW = 'now/';

export function factsOf({ processes }: Shown, instance: string, growth: Growth): Facts {
  const facts = new Map<string, string>();
  const say = (path: string, fact: unknown): void => void facts.set(path, JSON.stringify(fact));
  // A worker that has just come knows nothing of its group yet.
  const all = Map.groupBy(
    processes.flatMap(({ pipelines }) => pipelines),
    ({ name }) => name,
  );
  say('instance', { name: instance, wallMs: Math.max(0, ...processes.map(({ wallNow }) => wallNow)) });
  say('pipelines', [...all.keys()]);
  for (const [name, held] of all) {
    const whole = { ...held[0]!, instances: held.find(({ instances }) => instances.length > 0)?.instances ?? [] };
    say(`pipeline/${name}`, pipelineFact(whole, held));
    const owners = byPartition(processes, name, 'tasks');
    const standbys = byPartition(processes, name, 'standbys');
    for (let partition = 0; partition < whole.inputPartitions; partition += 1) {
      const [owner, standby] = [owners.get(partition), standbys.get(partition)];
      say(`${PART}${name}/${partition}`, partFact(whole, partition, { owner, standby }));
      if (owner !== undefined) say(`${NOW}${name}/${partition}`, nowOfOwner(owner.status));
      else if (standby !== undefined) say(`${NOW}${name}/${partition}`, nowOfStandby(standby.status));
    }
  }
  for (const process of processes)
    for (const pipeline of process.pipelines) {
      const place = `${pipeline.name}/${process.instance}`;
      say(`${FIGURES}${place}`, figuresFact(pipeline, growth.of(process, pipeline)));
      const deliveries = process.deliveries?.filter((each) => each.pipeline === pipeline.name) ?? [];
      if (deliveries.length > 0) say(`${DELIVERIES}${place}`, deliveriesFact(deliveries));
    }
  return facts;
}

interface Held<Status> {
  readonly instance: string;
  readonly status: Status;
}

/** One that moves between workers is with both for a moment. */
function byPartition<What extends 'tasks' | 'standbys'>(
  processes: Shown['processes'],
  name: string,
  what: What,
): ReadonlyMap<number, Held<ShownPipeline[What][number]>> {
  const held = processes.flatMap(({ instance, pipelines }) =>
    pipelines
      .filter((each) => each.name === name)
      .flatMap((each): readonly ShownPipeline[What][number][] => each[what])
      .map((status) => [status.partition, { instance, status }] as const),
  );
  return new Map(held.reverse());
}

function pipelineFact(whole: ShownPipeline, held: readonly ShownPipeline[]): object {
  const { kind, inputTopic, inputPartitions, outputTopic, timeoutMs, instances } = whole;
  const { noun, acts } = KIND_WORDS[kind];
  const hasStatistics = kindOf({ kind }).targetUse === 'statistics';
  const troubles = held.map(({ failure, interruption }) => failure ?? interruption);
  const trouble = troubles.find((each) => each !== undefined);
  const members = instances.map(({ name }) => name);
  return { kind, noun, acts, hasStatistics, inputTopic, inputPartitions, outputTopic, timeoutMs, trouble, members };
}

interface Hands {
  readonly owner: Held<TaskStatus> | undefined;
  readonly standby: Held<StandbyStatus> | undefined;
}

function partFact({ instances }: ShownPipeline, partition: number, { owner, standby }: Hands): object {
  const holders = (of: 'partitions' | 'standbys'): string[] =>
    instances.filter((each) => each[of].includes(partition)).map(({ name }) => name);
  const standbys = holders('standbys');
  if (owner !== undefined) {
    const { state, detail } = owner.status;
    return { role: 'owner', owner: owner.instance, standbys, state, detail };
  }
  const group = { owner: holders('partitions')[0] ?? null, standbys };
  if (standby === undefined) return { ...group, state: 'elsewhere' };
  const { state, detail } = standby.status;
  return { role: 'standby', ...group, state, detail };
}

/** As an array, since there are many. */
function nowOfOwner(task: TaskStatus): readonly unknown[] {
  const { clock, liveEntries, lag, expiryLagMs, commitFill, nextDueAt } = task;
  return [clock, liveEntries, lag ?? null, expiryLagMs, Math.round(100 * commitFill) / 100, nextDueAt ?? null];
}

function nowOfStandby({ clock, liveEntries, lag }: StandbyStatus): readonly unknown[] {
  return [clock, liveEntries, lag ?? null];
}

function figuresFact(pipeline: ShownPipeline, grown: { readonly read: number; readonly ended: number }): object {
  const { tasks, standbys } = pipeline;
  const refused = tasks.flatMap((task) =>
    task.refused === undefined ? [] : { ...task.refused, partition: task.partition },
  );
  return {
    partitions: tasks.length,
    standbys: standbys.length,
    live: sum(tasks.map(({ liveEntries }) => liveEntries)),
    lag: sum(tasks.map(({ lag = 0 }) => lag)),
    ...grown,
    reasons: Object.fromEntries(endsByReason(pipeline.kind, tasks)),
    delays: delayBins(tasks.flatMap(({ closeDelays }) => closeDelays ?? [])),
    deadLetters: sum(tasks.map(({ counters }) => counters?.deadLetters ?? 0)),
    refused: refused.sort((a, b) => b.at - a.at)[0],
  };
}

/** Counts delays up to each bound in milliseconds and above the one before; null: above them all. Empty bins are left out. */
function delayBins(
  histograms: readonly HistogramStatus[],
): readonly (readonly [upToMs: number | null, count: number])[] {
  const [first] = histograms;
  if (first === undefined) return [];
  const upTo = first.atMost.map((_, at) => sum(histograms.map(({ atMost }) => atMost[at]?.[1] ?? 0)));
  const bins = first.atMost.map(([bound], at) => [bound, upTo[at]! - (upTo[at - 1] ?? 0)] as const);
  const beyond = sum(histograms.map(({ count }) => count)) - (upTo.at(-1) ?? 0);
  return [...bins, [null, beyond] as const].filter(([, count]) => count > 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
