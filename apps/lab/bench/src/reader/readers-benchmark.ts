// Reading a topic of bare heartbeats: our reader, which walks records in place, beside kafkajs' consumer. They take turns,
// each turn in a process of its own, so that other load on the machine falls on both.
import { type Millis, seededRandom } from '@flatline/base';
import { KafkaTopicAdmin, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { measureApart } from '../apart.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import type { Page } from '../frame/page.ts';
import { takeTurns } from '../frame/turns.ts';
import { spreadOf } from '../statistics.ts';
import { short } from '../text-table.ts';
import { NO_VALUE, writeRecords } from '../writing.ts';
import { type Reader, READERS, type ReadingCost } from './reading.ts';

interface Rates {
  readonly eventsPerSecond: number;
  readonly eventsPerCpuSecond: number;
}

/** Medians over the turns. */
interface ReaderMeasurement extends Rates {
  readonly reader: Reader;
  readonly records: number;
  /** Each over that of kafkajs in the same run. */
  readonly timesKafkajs: Rates;
}

/** 200 000 sessions, as in the prototypes of the architecture. */
const DEFAULTS = { events: 6_000_000, sessions: 200_000, partitions: 4, repeats: 3 };
const SEED = 1;
const STARTED_AT: Millis = 1_700_000_000_000;

type ReaderGround = Ground<typeof DEFAULTS>;

const PAGE: Page<ReaderMeasurement> = {
  columns: [
    ['reader', ({ reader }) => reader],
    ['events/s', ({ eventsPerSecond }) => short(eventsPerSecond)],
    ['events/CPU s', ({ eventsPerCpuSecond }) => short(eventsPerCpuSecond)],
    ['times kafkajs', ({ timesKafkajs }) => short(timesKafkajs.eventsPerCpuSecond)],
  ],
};

export const readers = framed({
  name: 'readers',
  description: "reading a topic and nothing else: our reader beside kafkajs' consumer",
  settings: (options) => over(DEFAULTS, options),
  measure: measureReaders,
  report: ({ measurements }) => ({ rows: measurements, page: PAGE }),
});

/** @throws Error where a reader's process dies or two readers disagree about what they read. */
async function measureReaders(ground: ReaderGround): Promise<{ readonly measurements: readonly ReaderMeasurement[] }> {
  const { brokers, partitions, events: records, onProgress } = ground;
  onProgress(`writing ${records} records`);
  const task = { brokers, topic: await loadBeats(ground), partitions, records };
  const cells = READERS.map((reader) => ({
    name: reader,
    take: () => measureApart({ work: 'read', args: [reader, task], what: reader }),
  }));
  const { turns } = await takeTurns(cells, ground);
  agree(turns.flat());
  const peer = rates(turns[READERS.indexOf('kafkajs')]!);
  const measurements = READERS.map((reader, index) => {
    const own = rates(turns[index]!);
    const timesKafkajs = {
      eventsPerSecond: own.eventsPerSecond / peer.eventsPerSecond,
      eventsPerCpuSecond: own.eventsPerCpuSecond / peer.eventsPerCpuSecond,
    };
    return { reader, records, ...own, timesKafkajs };
  });
  return { measurements };
}

/** Writes bare heartbeats of random sessions to a topic of its own, and returns its name. */
async function loadBeats({ connection, partitions, events, sessions }: ReaderGround): Promise<string> {
  const topic = `bench-${randomUUID()}`;
  // The timestamps are of the past: any retention by time would delete the records while they are read.
  const settings = { 'retention.ms': '-1' };
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  await admin.createTopics([{ topic, partitions, replicationFactor: -1, settings }]);
  const keys = Array.from({ length: sessions }, (_, session) => Buffer.from(`session-${session}`));
  const random = seededRandom(SEED);
  function* records(): Iterable<ProducedRecord> {
    for (let index = 0; index < events; index += 1) {
      const session = random.below(sessions);
      const record = { partition: session % partitions, key: keys[session]!, value: NO_VALUE };
      yield { ...record, timestamp: STARTED_AT + index };
    }
  }
  await writeRecords(connection, { topic, records });
  return topic;
}

function agree(costs: readonly ReadingCost[]): void {
  const found = new Set(costs.map(({ records, keyBytes }) => `${records}/${keyBytes}`));
  if (found.size !== 1) throw new Error(`the readers read different things: ${[...found].join(', ')}`);
}

function rates(costs: readonly ReadingCost[]): Rates {
  return {
    eventsPerSecond: spreadOf(costs.map(({ records, elapsedMs }) => (records / elapsedMs) * 1_000)).median,
    eventsPerCpuSecond: spreadOf(costs.map(({ records, cpuMs }) => (records / cpuMs) * 1_000)).median,
  };
}
