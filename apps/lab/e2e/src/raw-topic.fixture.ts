// The records of a topic as bytes, which text clients cannot show.
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';

export interface RawRecord {
  readonly partition: number;
  readonly offset: number;
  /** null: none. Bytes as latin1, so that a failing comparison is readable. */
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Committed records from the beginning, by partition and offset; waits until there are `count`. */
export async function readRaw(
  kafka: KafkaOptions,
  { topic, partitions, count }: { readonly topic: string; readonly partitions: number; readonly count: number },
): Promise<RawRecord[]> {
  const reader = new KafkaLogReader(kafka);
  const records: RawRecord[] = [];
  const readings = Array.from({ length: partitions }, (_, partition) => ({
    partition,
    subscription: reader.subscribe({ topic, partition }, 0),
  }));
  try {
    let wake: () => void = () => undefined;
    for (const { subscription } of readings)
      subscription.onChange(() => {
        wake();
      });
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const { partition, subscription } of readings) {
        for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
          const { cursor } = fetched;
          while (cursor.next()) {
            const { bytes, offset, keyStart, keyLength, valueStart, valueLength } = cursor;
            const text = (start: number, length: number): string | null =>
              length < 0 ? null : latin1(bytes.subarray(start, start + length));
            const headers = cursor.hasHeaders
              ? Object.fromEntries(cursor.headers().map(({ name, value }) => [name, latin1(value ?? new Uint8Array())]))
              : {};
            const key = text(keyStart, keyLength);
            records.push({ partition, offset, key, value: text(valueStart, valueLength), headers });
          }
        }
        if (subscription.failure !== undefined) throw subscription.failure;
      }
      if (records.length >= count) break;
      await changed;
    }
  } finally {
    await reader.close();
  }
  return records.sort((a, b) => a.partition - b.partition || a.offset - b.offset);
}
