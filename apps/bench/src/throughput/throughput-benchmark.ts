// Events per CPU second of one whole processor, beside kafkajs' consumer and our own reader that merely read the same
// topic, and Kafka Streams where it can be run. Contenders take turns, each turn in a process of its own, so that what else the machine does falls on all.
import type { DurationMs } from '@flatline/base';
import { ensureBroker } from '@flatline/dev-broker';
import { type KafkaConnection, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/runtime';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { type Machine, machineLoad, type MachineLoad, thisMachine } from '../machine.ts';
import { lookUpPeer } from '../peers/peer.ts';
import { type Contender, contendersWith } from './contenders.ts';
import type { ContenderCost, ThroughputTask } from './contender-task.ts';
import { type EventFormat, type EventLoad, loadEvents } from './event-load.ts';
import { PIPELINE } from './flatline-processing.ts';

export interface ThroughputSettings {
  readonly events: number;
  readonly sessions: number;
  readonly partitions: number;
  /** Turns of each contender. */
  readonly repeats: number;
  readonly commitIntervalMs: DurationMs;
}

export interface FormatMeasurement {
  readonly format: EventFormat;
  /** By contender, those of the run in their order. */
  readonly costs: Readonly<Record<string, readonly ContenderCost[]>>;
}

export interface ThroughputMeasurement {
  readonly machine: Machine;
  readonly loadBefore: MachineLoad;
  readonly loadAfter: MachineLoad;
  readonly settings: ThroughputSettings;
  readonly contenders: readonly Pick<Contender, 'name' | 'does'>[];
  /** Peers that did not take part, and why. */
  readonly absent: readonly string[];
  readonly formats: readonly FormatMeasurement[];
}

export const THROUGHPUT_DEFAULTS: ThroughputSettings = {
  events: 6_000_000,
  sessions: 200_000,
  partitions: 4,
  repeats: 3,
  commitIntervalMs: 200,
};
const SEED = 1;

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress' | 'peers'>;

/** @throws Fatal, Retriable where no broker can be started; Error where a contender's process fails. */
export async function measureThroughput(
  settings: ThroughputSettings,
  formats: readonly EventFormat[],
  options: Surroundings,
): Promise<ThroughputMeasurement> {
  const { workDir, onProgress } = options;
  const kafkaStreams = await lookUpPeer('kafka-streams', options);
  const contenders = contendersWith(kafkaStreams);
  const loadBefore = await machineLoad();
  const broker = await ensureBroker({ ephemeral: true, registry: formats.includes('avro'), log: onProgress });
  const brokers = broker.bootstrap.split(',');
  const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
  const { registryUrl: schemaRegistryUrl } = broker;
  const run = { settings, contenders, brokers, schemaRegistryUrl, connection, workDir, onProgress };
  const measured: FormatMeasurement[] = [];
  try {
    for (const format of formats) measured.push(await measureFormat(format, run));
  } finally {
    connection.close();
    await broker.stop();
  }
  return {
    ...{ machine: thisMachine(), loadBefore, loadAfter: await machineLoad(), settings },
    ...{ contenders, absent: kafkaStreams.kind === 'missing' ? [`Kafka Streams: ${kafkaStreams.why}`] : [] },
    formats: measured,
  };
}

interface Run extends Pick<BenchmarkOptions, 'workDir' | 'onProgress'> {
  readonly contenders: readonly Contender[];
  readonly settings: ThroughputSettings;
  readonly brokers: readonly string[];
  readonly schemaRegistryUrl: string | undefined;
  readonly connection: KafkaConnection;
}

async function measureFormat(format: EventFormat, run: Run): Promise<FormatMeasurement> {
  const { settings, schemaRegistryUrl, connection, onProgress } = run;
  const topic = `bench-${format}-${randomUUID()}`;
  await new BenchTopics(connection, settings.partitions).createInput(topic);
  const load: EventLoad = { ...settings, format, schemaRegistryUrl, seed: SEED };
  await loadEvents(connection, topic, load, (written) => {
    if (written % 1_000_000 === 0) onProgress(`writing ${format} events: ${written} of ${settings.events}`);
  });
  const costs: Record<string, ContenderCost[]> = Object.fromEntries(run.contenders.map(({ name }) => [name, []]));
  for (let repeat = 0; repeat < settings.repeats; repeat += 1)
    for (const contender of inTurn(run.contenders, repeat)) {
      onProgress(`${format} events, ${contender.name}, ${repeat + 1} of ${settings.repeats}`);
      costs[contender.name]!.push(await takeTurn(contender, { topic, format }, run));
    }
  return { format, costs };
}

/** Another one begins each time: nobody always runs after the same neighbour. */
function inTurn(contenders: readonly Contender[], repeat: number): readonly Contender[] {
  const first = repeat % contenders.length;
  return [...contenders.slice(first), ...contenders.slice(0, first)];
}

/** A processor starts from nothing each time: topics, group and local state of its own. */
async function takeTurn(
  contender: Contender,
  input: Pick<ThroughputTask, 'topic' | 'format'>,
  run: Run,
): Promise<ContenderCost> {
  const { settings, brokers, schemaRegistryUrl, connection, workDir } = run;
  const { partitions, events, commitIntervalMs } = settings;
  const application = `bench-${randomUUID()}`;
  const stateDir = join(workDir, application);
  const task: ThroughputTask = {
    ...{ ...input, brokers, schemaRegistryUrl, partitions, records: events },
    ...{ application, stateDir, commitIntervalMs },
  };
  if (contender.processes) await new BenchTopics(connection, partitions).createFor(application, PIPELINE);
  mkdirSync(stateDir, { recursive: true });
  try {
    return await contender.run(task);
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}
