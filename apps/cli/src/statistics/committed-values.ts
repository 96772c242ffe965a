// Values of a partition that are committed now, from an instant on.
import type { Millis } from '@flatline/base';
import type { KafkaLogAdmin, KafkaLogReader } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';

export interface ValuesFrom {
  readonly admin: KafkaLogAdmin;
  readonly reader: KafkaLogReader;
  readonly partition: TopicPartition;
  /** Earliest stamp of records. */
  readonly since: Millis;
  readonly signal: AbortSignal;
}

/** Ends early where it is aborted. @throws PartitionStopped, Retriable, Fatal of the subscription. */
export async function* committedValues(of: ValuesFrom): AsyncGenerator<Uint8Array, void> {
  const { admin, reader, partition, since, signal } = of;
  const { logStartOffset, lastStableOffset: end } = await admin.ends(partition);
  const from = Math.max(logStartOffset, (await admin.offsetAt(partition, Math.max(0, since))) ?? end);
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
      for (let run = subscription.take(); run !== undefined; run = subscription.take()) {
        const { cursor } = run;
        while (cursor.next()) {
          if (cursor.offset >= end) return;
          const { bytes, valueStart, valueLength } = cursor;
          if (valueLength >= 0) yield bytes.slice(valueStart, valueStart + valueLength);
        }
        if (run.nextOffset >= end) return;
      }
      if (subscription.failure !== undefined) throw subscription.failure;
      await changed;
    }
  } finally {
    subscription.onChange(undefined);
    subscription.close();
  }
}
