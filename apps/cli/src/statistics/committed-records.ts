// Records of a partition that are committed now.
import type { KafkaLogAdmin, KafkaLogReader } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';

/** Copies. */
export interface CommittedRecord {
  readonly offset: number;
  /** Empty where there is none. */
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface RecordsFrom {
  readonly admin: KafkaLogAdmin;
  readonly reader: KafkaLogReader;
  readonly partition: TopicPartition;
  readonly signal: AbortSignal;
}

/** Committed records that have a value. Ends early where it is aborted. @throws PartitionStopped, Retriable, Fatal of the subscription. */
export async function* committedRecords(of: RecordsFrom): AsyncGenerator<CommittedRecord, void> {
  const { admin, reader, partition, signal } = of;
  const { logStartOffset: from, lastStableOffset: end } = await admin.ends(partition);
  if (from >= end) return;
  const subscription = reader.subscribe(partition, from);
  try {
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        subscription.onChange(resolve);
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
      for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
        const { cursor } = fetched;
        while (cursor.next()) {
          if (cursor.offset >= end) return;
          const { bytes, keyStart, keyLength, valueStart, valueLength } = cursor;
          if (valueLength < 0) continue;
          const key = bytes.slice(keyStart, keyStart + Math.max(0, keyLength));
          yield { offset: cursor.offset, key, value: bytes.slice(valueStart, valueStart + valueLength) };
        }
        if (fetched.nextOffset >= end) return;
      }
      if (subscription.failure !== undefined) throw subscription.failure;
      await changed;
    }
  } finally {
    subscription.onChange(undefined);
    subscription.close();
  }
}
