// Everything committed in a topic, as plain objects: what a checker wants, and a test's size of topic allows.
import { KafkaLogAdmin, KafkaLogReader, type KafkaOptions, openCluster } from '@flatline/kafka';
import { elapse } from './elapse.ts';

export interface LogRecord {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  /** Bytes as latin1, so that they can be keys of a map; null: none. */
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: ReadonlyMap<string, string>;
}

const LOOK_EVERY_MS = 5;

/** By partition and offset, from the log's start to its last stable offset as of this call. @throws what the reader does */
export async function dumpTopic(kafka: KafkaOptions, topic: string, partitions: number): Promise<LogRecord[][]> {
  const ends = await topicEnds(kafka, topic, partitions);
  const reader = new KafkaLogReader(kafka);
  try {
    return await Promise.all(
      ends.map(({ start, end }, partition) => dumpPartition(reader, { topic, partition }, start, end)),
    );
  } finally {
    await reader.close();
  }
}

export async function topicEnds(
  kafka: KafkaOptions,
  topic: string,
  partitions: number,
): Promise<readonly { readonly start: number; readonly end: number }[]> {
  const connection = openCluster(kafka);
  try {
    const admin = new KafkaLogAdmin({ clock: kafka.clock, connection });
    return await Promise.all(
      Array.from({ length: partitions }, async (_, partition) => {
        const { logStartOffset: start, lastStableOffset: end } = await admin.ends({ topic, partition });
        return { start, end };
      }),
    );
  } finally {
    connection.close();
  }
}

async function dumpPartition(
  reader: KafkaLogReader,
  partition: { readonly topic: string; readonly partition: number },
  start: number,
  end: number,
): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const subscription = reader.subscribe(partition, start);
  let position = start;
  try {
    while (position < end) {
      const run = subscription.take();
      if (run !== undefined) {
        while (run.cursor.next()) records.push(copyOf(run.cursor, partition.partition));
        position = run.nextOffset;
      } else if (subscription.failure !== undefined) throw subscription.failure;
      else await elapse(LOOK_EVERY_MS);
    }
    return records;
  } finally {
    subscription.close();
  }
}

type Cursor = NonNullable<ReturnType<ReturnType<KafkaLogReader['subscribe']>['take']>>['cursor'];

function copyOf(cursor: Cursor, partition: number): LogRecord {
  const { bytes, offset, timestamp, keyStart, keyLength, valueStart, valueLength } = cursor;
  const part = (from: number, length: number): Buffer | null =>
    length < 0 ? null : Buffer.from(bytes.subarray(from, from + length));
  const headers = cursor.hasHeaders
    ? new Map(
        cursor.headers().map(({ name, value }) => [name, value === null ? '' : Buffer.from(value).toString('latin1')]),
      )
    : new Map<string, string>();
  const key = part(keyStart, keyLength)?.toString('latin1') ?? null;
  return { partition, offset, timestamp, key, value: part(valueStart, valueLength), headers };
}
