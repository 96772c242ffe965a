// Reading a topic of bare heartbeats: our reader, which walks records in place, beside kafkajs' consumer. They take turns,
// each turn in a process of its own, so that other load on the machine falls on both.
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { measureApart } from '../measured-process.ts';
import { spreadOf } from '../statistics.ts';
import { loadBeats } from './beat-load.ts';
import { type ReadingCost, type ReadingTask } from './reading-task.ts';

export interface ReaderMeasurement {
  readonly reader: string;
  readonly records: number;
  /** Medians over the turns. */
  readonly eventsPerSecond: number;
  readonly eventsPerCpuSecond: number;
  /** Each over that of kafkajs in the same run. */
  readonly timesKafkajs: { readonly eventsPerSecond: number; readonly eventsPerCpuSecond: number };
}

/** 200 000 sessions, as in the prototypes of the architecture. */
export const READER_SETTINGS = { events: 6_000_000, sessions: 200_000, partitions: 4, repeats: 3 };
const SEED = 1;
const BATCH_BYTES = 250_000;

const READERS = ['flatline', 'kafkajs'] as const;
type Reader = (typeof READERS)[number];

/** @throws Error where a reader's process dies or two readers disagree about what they read. */
export async function benchmarkReaders(
  ground: Ground<typeof READER_SETTINGS>,
): Promise<{ readonly measurements: readonly ReaderMeasurement[] }> {
  const { kafka, brokers, partitions, events: records, sessions, onProgress } = ground;
  onProgress(`writing ${records} records`);
  const load = { partitions, records, sessions, seed: SEED, batchBytes: BATCH_BYTES };
  const task = { brokers, topic: await loadBeats(kafka, load), partitions, records };
  const cells = READERS.map((reader) => ({ name: reader, take: () => measureReader(reader, task) }));
  const { turns } = await takeTurns(cells, ground);
  agree(turns.flat());
  const peer = rates(turns[READERS.indexOf('kafkajs')]!);
  const measurements = READERS.map((reader, index) => {
    const { eventsPerSecond, eventsPerCpuSecond } = rates(turns[index]!);
    const timesKafkajs = {
      eventsPerSecond: eventsPerSecond / peer.eventsPerSecond,
      eventsPerCpuSecond: eventsPerCpuSecond / peer.eventsPerCpuSecond,
    };
    return { reader, records, eventsPerSecond, eventsPerCpuSecond, timesKafkajs };
  });
  return { measurements };
}

function agree(costs: readonly ReadingCost[]): void {
  const found = new Set(costs.map(({ records, keyBytes }) => `${records}/${keyBytes}`));
  if (found.size !== 1) throw new Error(`the readers read different things: ${[...found].join(', ')}`);
}

function rates(costs: readonly ReadingCost[]): {
  readonly eventsPerSecond: number;
  readonly eventsPerCpuSecond: number;
} {
  return {
    eventsPerSecond: spreadOf(costs.map(({ records, elapsedMs }) => (records / elapsedMs) * 1_000)).median,
    eventsPerCpuSecond: spreadOf(costs.map(({ records, cpuMs }) => (records / cpuMs) * 1_000)).median,
  };
}

function measureReader(reader: Reader, task: ReadingTask): Promise<ReadingCost> {
  // The sibling with this file's own extension: sources run unbuilt, and so does the build.
  const script = import.meta.filename.replace('reader-benchmark', 'reading-process');
  return measureApart(script, [reader, JSON.stringify(task)], reader);
}
