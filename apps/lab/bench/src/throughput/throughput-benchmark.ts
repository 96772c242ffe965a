// Events per CPU second of one whole processor, beside kafkajs' consumer and our own reader that merely read the same
// topic, and Kafka Streams where it can be run. Contenders take turns, each turn in a process of its own, so that what else the machine does falls on all.
import type { DurationMs } from '@flatline/base';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { type Machine, machineLoad, type MachineLoad, thisMachine } from '../machine.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { takeTurns } from '../frame/turns.ts';
import { streamsNote } from '../peers/kafka-streams.ts';
import { javaVersions, lookUpPeer } from '../peers/peer.ts';
import { type Contender, contendersWith } from './contenders.ts';
import { peerContenders } from './peer-contenders.ts';
import type { ThroughputTask, TurnCost } from './contender-task.ts';
import { type EventFormat, type EventLoad, loadEvents } from './event-load.ts';

export interface ThroughputSettings {
  readonly events: number;
  /** Share of the events left out of every contender's cost, at the beginning: what is measured is the steady state. */
  readonly warmUpShare: number;
  readonly sessions: number;
  readonly partitions: number;
  /** Turns of each contender. */
  readonly repeats: number;
  readonly commitIntervalMs: DurationMs;
}

export interface FormatMeasurement {
  readonly format: EventFormat;
  /** By contender, those of the run in their order. */
  readonly costs: Readonly<Record<string, readonly TurnCost[]>>;
}

export interface ThroughputMeasurement {
  readonly machine: Machine;
  readonly loadBefore: MachineLoad;
  readonly loadAfter: MachineLoad;
  readonly settings: ThroughputSettings;
  readonly contenders: readonly Pick<Contender, 'name' | 'does' | 'lacks' | 'streams'>[];
  /** What is true of several contenders. */
  readonly notes: readonly string[];
  /** Peers that did not take part, or failed, and why. */
  readonly absent: readonly string[];
  /** Versions of what peers run on. */
  readonly versions: readonly string[];
  readonly formats: readonly FormatMeasurement[];
}

export const THROUGHPUT_DEFAULTS: ThroughputSettings = {
  events: 30_000_000,
  warmUpShare: 0.2,
  sessions: 200_000,
  partitions: 4,
  repeats: 3,
  commitIntervalMs: 200,
};
const SEED = 1;
/** Events written between two words about it. */
const PROGRESS_EVERY = 5_000_000;

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress' | 'peers'>;

/** @throws Fatal, Retriable where no broker can be started; Error where a contender's process fails. */
export async function measureThroughput(
  settings: ThroughputSettings,
  formats: readonly EventFormat[],
  options: Surroundings,
): Promise<ThroughputMeasurement> {
  const { workDir, onProgress } = options;
  const kafkaStreams = await lookUpPeer('kafka-streams', options);
  const others = await peerContenders(options);
  const contenders = [...contendersWith(kafkaStreams), ...others.contenders];
  const loadBefore = await machineLoad();
  const failures: string[] = [];
  const measured: FormatMeasurement[] = [];
  await onBenchCluster({ registry: formats.includes('avro'), onProgress }, async (cluster) => {
    const run = { ...cluster, settings, contenders, workDir, onProgress };
    for (const format of formats) {
      const each = await measureFormat(format, run);
      measured.push(each.measured);
      failures.push(...each.failures);
    }
  });
  return {
    machine: thisMachine(),
    loadBefore,
    loadAfter: await machineLoad(),
    settings,
    contenders,
    formats: measured,
    versions: [...(await javaVersions(kafkaStreams)), ...others.versions],
    notes: kafkaStreams.kind === 'missing' ? [] : [`Kafka Streams: ${streamsNote(kafkaStreams.program)}`],
    absent: [
      ...(kafkaStreams.kind === 'missing' ? [`Kafka Streams: ${kafkaStreams.why}`] : []),
      ...others.absent,
      ...failures,
    ],
  };
}

/** What a turn needs beside its contender and topic. */
export interface TurnSurroundings extends Pick<BenchmarkOptions, 'workDir' | 'onProgress'>, BenchCluster {
  readonly settings: ThroughputSettings;
}

interface Run extends TurnSurroundings {
  readonly contenders: readonly Contender[];
}

/** A topic of its own with all events. Returns its name. */
export async function loadedTopic(format: EventFormat, run: TurnSurroundings): Promise<string> {
  const { settings, schemaRegistryUrl, connection, onProgress } = run;
  const topic = `bench-${format}-${randomUUID()}`;
  await new BenchTopics(connection, settings.partitions).createInput(topic);
  const load: EventLoad = { ...settings, format, schemaRegistryUrl, seed: SEED };
  await loadEvents(connection, topic, load, (written) => {
    if (written % PROGRESS_EVERY === 0) onProgress(`writing ${format} events: ${written} of ${settings.events}`);
  });
  return topic;
}

async function measureFormat(
  format: EventFormat,
  run: Run,
): Promise<{ readonly measured: FormatMeasurement; readonly failures: readonly string[] }> {
  const { contenders, settings, onProgress } = run;
  const topic = await loadedTopic(format, run);
  const cells = contenders.map((contender) => ({
    name: `${contender.name}, ${format} events`,
    isPeer: contender.isPeer,
    take: () => takeTurn(contender, { topic, format }, run),
  }));
  const { turns, failures } = await takeTurns(cells, { ...settings, onProgress });
  const costs = contenders
    .map(({ name }, index) => [name, turns[index]!] as const)
    .filter(([, each]) => each.length > 0);
  await removeTopics(run.brokers, topic, onProgress);
  return { measured: { format, costs: Object.fromEntries(costs) }, failures };
}

/** A processor starts from nothing each time: topics, group and local state of its own; nothing of them is left. */
export async function takeTurn(
  contender: Contender,
  input: Pick<ThroughputTask, 'topic' | 'format'>,
  run: TurnSurroundings,
): Promise<TurnCost> {
  const { settings, brokers, brokerCpu, schemaRegistryUrl, connection, workDir, onProgress } = run;
  const { partitions, events, sessions, warmUpShare, commitIntervalMs } = settings;
  const application = `bench-${randomUUID()}`;
  const stateDir = join(workDir, application);
  const task: ThroughputTask = {
    ...input,
    brokers,
    schemaRegistryUrl,
    partitions,
    records: events,
    sessions,
    application,
    stateDir,
    commitIntervalMs,
    warmUpRecords: Math.floor(warmUpShare * events),
  };
  if (contender.processes) await new BenchTopics(connection, partitions).createFor(application);
  mkdirSync(stateDir, { recursive: true });
  try {
    const [cost, brokerCpuMs] = await brokerCpu.during(
      () => contender.run(task),
      (measured) => measured,
    );
    return { ...cost, brokerCpuMs };
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
    if (contender.processes) await removeTopics(brokers, application, onProgress);
  }
}
