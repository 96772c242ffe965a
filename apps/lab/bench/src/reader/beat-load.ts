import { type DurationMs, seededRandom } from '@flatline/base';
import { BatchProducer, KafkaTopicAdmin, type KafkaOptions, openCluster } from '@flatline/kafka';
import { randomUUID } from 'node:crypto';

export interface BeatLoad {
  readonly partitions: number;
  readonly records: number;
  readonly sessions: number;
  readonly seed: number;
  /** Bytes of one produce batch. */
  readonly batchBytes: number;
}

const START_MS: DurationMs = 1_700_000_000_000;
const NO_VALUE = new Uint8Array(0);

/** Writes bare heartbeats of random sessions to a topic of its own, and returns its name. */
export async function loadBeats(kafka: KafkaOptions, load: BeatLoad): Promise<string> {
  const { clock } = kafka;
  const connection = openCluster(kafka);
  const topic = `bench-${randomUUID()}`;
  const admin = new KafkaTopicAdmin({ clock, connection });
  // The timestamps are of the past: any retention by time would delete the records while they are read.
  const settings = { 'retention.ms': '-1' };
  await admin.createTopics([{ topic, partitions: load.partitions, replicationFactor: -1, settings }]);
  const producer = await BatchProducer.open({ clock, connection, topic, batchBytesMax: load.batchBytes });
  const keys = Array.from({ length: load.sessions }, (_, session) => Buffer.from(`session-${session}`));
  const random = seededRandom(load.seed);
  for (let index = 0; index < load.records; index += 1) {
    const session = random.below(load.sessions);
    const record = { partition: session % load.partitions, key: keys[session]!, value: NO_VALUE };
    const room = producer.add({ ...record, timestamp: START_MS + index });
    if (room !== undefined) await room;
  }
  await producer.close();
  connection.close();
  return topic;
}
