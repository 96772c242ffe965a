// Everything committed in a topic now, with the headers and stamps of each record.
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';
import type { RawRecord } from '@flatline/oracle';

/** By partition. */
export async function readWhole(
  kafka: KafkaOptions,
  { topic, partitions }: { readonly topic: string; readonly partitions: number },
): Promise<RawRecord[][]> {
  const reader = new KafkaLogReader(kafka);
  try {
    return await Promise.all(
      Array.from({ length: partitions }, (_, partition) => readPartition(reader, topic, partition)),
    );
  } finally {
    await reader.close();
  }
}

async function readPartition(reader: KafkaLogReader, topic: string, partition: number): Promise<RawRecord[]> {
  const subscription = reader.subscribe({ topic, partition }, 0);
  const records: RawRecord[] = [];
  let end: number | undefined;
  for (let position = 0; ;) {
    const changed = new Promise<void>((resolve) => {
      subscription.onChange(resolve);
    });
    for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
      const { cursor } = fetched;
      while (cursor.next()) records.push(recordAt(cursor));
      position = fetched.nextOffset;
    }
    if (subscription.failure !== undefined) throw subscription.failure;
    end ??= subscription.ends?.lastStableOffset;
    if (end !== undefined && position >= end) return records;
    await changed;
  }
}

type Cursor = NonNullable<ReturnType<ReturnType<KafkaLogReader['subscribe']>['take']>>['cursor'];

function recordAt(cursor: Cursor): RawRecord {
  const { bytes, offset, timestamp, logAppendTime, keyStart, keyLength, valueStart, valueLength } = cursor;
  const copy = (start: number, length: number): Uint8Array | null =>
    length < 0 ? null : Uint8Array.from(bytes.subarray(start, start + length));
  const headers = cursor.headers().map(({ name, value }) => ({ name, value: value && Uint8Array.from(value) }));
  return {
    offset,
    timestamp,
    logAppendTime,
    key: copy(keyStart, keyLength),
    value: copy(valueStart, valueLength),
    headers,
  };
}
