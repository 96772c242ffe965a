// Events per CPU second of one whole processor; compared with kafkajs' consumer and our own reader, which merely read the same
// topic, and with Kafka Streams if it can run. Contenders take turns, each in a separate process, so that other load falls on all.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onBenchCluster } from '../bench-cluster.ts';
import type { Benchmark, BenchmarkOptions } from '../benchmark.ts';
import { createInput, createTopicsOf } from '../frame/application.ts';
import { over, type Surroundings } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { machineLoad, thisMachine } from '../machine.ts';
import type { ThroughputTask, TurnCost } from '../tasks/contender-task.ts';
import { type Contender, throughputLineUp } from './contenders.ts';
import { loadEvents } from './event-load.ts';
import { EVENT_FORMATS, type EventFormat } from '../tasks/event-format.ts';
import { figuresOf, type FormatMeasurement } from './throughput-figures.ts';
import {
  throughputCharts,
  type ThroughputMeasurement,
  type ThroughputSettings,
  throughputText,
} from './throughput-page.ts';

export const THROUGHPUT_DEFAULTS: ThroughputSettings = {
  events: 30_000_000,
  warmUpShare: 0.2,
  sessions: 200_000,
  partitions: 4,
  repeats: 3,
  commitIntervalMs: 200,
};
const SEED = 1;
/** Events written between two reports of progress. */
const PROGRESS_EVERY = 5_000_000;

export const throughput: Benchmark = {
  name: 'throughput',
  description:
    "events per second and CPU second of the whole processor, beside kafkajs' consumer, our reader and peers",
  async run(options) {
    const measurement = await measureThroughput(over(THROUGHPUT_DEFAULTS, options), options);
    const { formats, contenders, versions, settings } = measurement;
    const figures = formats.map((format) => figuresOf(format, contenders));
    return {
      figures: { ...measurement, figures },
      text: throughputText(measurement),
      charts: throughputCharts(figures),
      versions,
      repeats: settings.repeats,
    };
  },
};

/** @throws Fatal, Retriable if no broker can be started; Error if a contender's process fails. */
async function measureThroughput(
  settings: ThroughputSettings,
  options: BenchmarkOptions,
): Promise<ThroughputMeasurement> {
  const { workDir, onProgress, formats = EVENT_FORMATS } = options;
  const { contenders, versions, absent } = await throughputLineUp(options);
  const loadBefore = await machineLoad();
  const failures: string[] = [];
  const measured: FormatMeasurement[] = [];
  await onBenchCluster({ registry: formats.includes('avro'), onProgress }, async (cluster) => {
    for (const [index, format] of formats.entries()) {
      // Once: all formats have the same broker.
      const run = { ...cluster, settings, workDir, onProgress, warmsUp: index === 0 };
      const each = await measureFormat(format, contenders, run);
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
    versions,
    notes: [...new Set(contenders.flatMap(({ note }) => note ?? []))],
    absent: [...absent, ...failures],
  };
}

/** The needs of a turn beside its contender and topic. */
export interface TurnSurroundings extends Surroundings {
  readonly settings: ThroughputSettings;
}

/** Makes a topic with all events. Returns its name. */
export async function loadedTopic(format: EventFormat, run: TurnSurroundings): Promise<string> {
  const { settings, schemaRegistryUrl, connection, onProgress } = run;
  const topic = `bench-${format}-${randomUUID()}`;
  await createInput({ connection, partitions: settings.partitions }, topic);
  const load = { ...settings, format, schemaRegistryUrl, seed: SEED };
  await loadEvents(connection, topic, load, (written) => {
    if (written % PROGRESS_EVERY === 0) onProgress(`writing ${format} events: ${written} of ${settings.events}`);
  });
  return topic;
}

async function measureFormat(
  format: EventFormat,
  contenders: readonly Contender[],
  run: TurnSurroundings & { readonly warmsUp: boolean },
): Promise<{ readonly measured: FormatMeasurement; readonly failures: readonly string[] }> {
  const { settings, warmsUp, onProgress } = run;
  const topic = await loadedTopic(format, run);
  const cells = contenders.map((contender) => ({
    name: `${contender.name}, ${format} events`,
    isPeer: contender.isPeer,
    take: () => takeTurn(contender, { topic, format }, run),
  }));
  const { turns, failures } = await takeTurns(cells, { ...settings, warmsUp, onProgress });
  const costs = contenders
    .map(({ name }, index) => [name, turns[index]!] as const)
    .filter(([, each]) => each.length > 0);
  await removeTopics(run.brokers, topic, onProgress);
  return { measured: { format, costs: Object.fromEntries(costs) }, failures };
}

/** A processor starts from nothing each time: it gets topics, group and local state of its own, which are removed afterwards. */
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
  if (contender.processes) await createTopicsOf({ connection, partitions }, application);
  mkdirSync(stateDir, { recursive: true });
  try {
    const [cost, spent] = await brokerCpu.during(
      () => contender.run(task),
      (measured) => measured,
    );
    return { ...cost, ...spent };
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
    if (contender.processes) await removeTopics(brokers, application, onProgress);
  }
}
