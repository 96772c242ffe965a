// Reading a topic of bare heartbeats: our reader, which walks records in place, beside kafkajs' consumer. They take turns,
// each turn in a process of its own, so that what else the machine does falls on both.
import { type KafkaOptions } from '@flatline/kafka';
import { measureApart } from '../measured-process.ts';
import { type BeatLoad, loadBeats } from './beat-load.ts';
import { type ReadingCost, type ReadingTask } from './reading-task.ts';

export interface ReaderBenchmark {
  readonly kafka: KafkaOptions;
  readonly load: BeatLoad;
  /** Turns of each reader. */
  readonly rounds: number;
  readonly onProgress?: (what: string) => void;
}

export interface ReaderMeasurement {
  readonly reader: string;
  readonly records: number;
  /** Medians over the rounds. */
  readonly eventsPerSecond: number;
  readonly eventsPerCpuSecond: number;
  /** Each over that of kafkajs in the same run. */
  readonly timesKafkajs: { readonly eventsPerSecond: number; readonly eventsPerCpuSecond: number };
}

/** 200 000 sessions, as in the prototypes of the architecture. */
export const BEAT_LOAD: BeatLoad = {
  partitions: 4,
  records: 6_000_000,
  sessions: 200_000,
  seed: 1,
  batchBytes: 250_000,
};

const READERS = ['flatline', 'kafkajs'] as const;
type Reader = (typeof READERS)[number];

/** @throws Error where a reader's process dies or two readers disagree about what they read. */
export async function benchmarkReaders(options: ReaderBenchmark): Promise<readonly ReaderMeasurement[]> {
  const { kafka, load, rounds, onProgress } = options;
  onProgress?.(`writing ${load.records} records`);
  const task = { ...load, brokers: kafka.brokers, topic: await loadBeats(kafka, load) };
  const costs: Record<Reader, ReadingCost[]> = { flatline: [], kafkajs: [] };
  for (let round = 1; round <= rounds; round += 1)
    for (const reader of READERS) {
      onProgress?.(`reading with ${reader}, round ${round} of ${rounds}`);
      costs[reader].push(await measureReader(reader, task));
    }
  agree(costs);
  const peer = rates(costs.kafkajs);
  return READERS.map((reader) => {
    const { eventsPerSecond, eventsPerCpuSecond } = rates(costs[reader]);
    const timesKafkajs = {
      eventsPerSecond: eventsPerSecond / peer.eventsPerSecond,
      eventsPerCpuSecond: eventsPerCpuSecond / peer.eventsPerCpuSecond,
    };
    return { reader, records: load.records, eventsPerSecond, eventsPerCpuSecond, timesKafkajs };
  });
}

function agree(costs: Readonly<Record<Reader, readonly ReadingCost[]>>): void {
  const found = new Set(
    READERS.flatMap((reader) => costs[reader].map(({ records, keyBytes }) => `${records}/${keyBytes}`)),
  );
  if (found.size !== 1) throw new Error(`the readers read different things: ${[...found].join(', ')}`);
}

function rates(costs: readonly ReadingCost[]): {
  readonly eventsPerSecond: number;
  readonly eventsPerCpuSecond: number;
} {
  return {
    eventsPerSecond: median(costs.map(({ records, elapsedMs }) => (records / elapsedMs) * 1_000)),
    eventsPerCpuSecond: median(costs.map(({ records, cpuMs }) => (records / cpuMs) * 1_000)),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function measureReader(reader: Reader, task: ReadingTask): Promise<ReadingCost> {
  // The sibling with this file's own extension: sources run unbuilt, and so does the build.
  const script = import.meta.filename.replace('reader-benchmark', 'reading-process');
  const { brokers, topic, partitions, records } = task;
  return measureApart(script, [reader, JSON.stringify({ brokers, topic, partitions, records })], reader);
}
