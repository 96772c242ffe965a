// A dead-letter topic as it was when it was opened: every committed record of it, partition by partition.
//
// Owns: its reader.
// Does not own: what is kept of what is read.
//
// Invariants
//   LL1  The end is fixed at opening: what a replay adds, and letters that it causes, are not read by it.
//   LL2  One partition at a time, a record at a time: memory is bounded by the reader's prefetch.
import { KafkaLogAdmin, KafkaLogReader, type KafkaConnection, type KafkaOptions } from '@flatline/kafka';
import type { LogSubscription } from '@flatline/ports';
import { type LetterRecord, letterRecord } from '@flatline/processor/letters';

export interface PartitionEnds {
  readonly partition: number;
  readonly start: number;
  readonly end: number;
}

export class LetterLog {
  readonly topic: string;
  readonly ends: readonly PartitionEnds[];
  readonly #reader: KafkaLogReader;

  static async open(
    kafka: KafkaOptions,
    connection: KafkaConnection,
    { topic, partitions }: { readonly topic: string; readonly partitions: number },
  ): Promise<LetterLog> {
    const admin = new KafkaLogAdmin({ clock: kafka.clock, connection });
    const ends = await Promise.all(
      Array.from({ length: partitions }, async (_, partition) => {
        const { logStartOffset, lastStableOffset } = await admin.ends({ topic, partition });
        return { partition, start: logStartOffset, end: lastStableOffset };
      }),
    );
    return new LetterLog(topic, ends, new KafkaLogReader(kafka));
  }

  private constructor(topic: string, ends: readonly PartitionEnds[], reader: KafkaLogReader) {
    this.topic = topic;
    this.ends = ends;
    this.#reader = reader;
  }

  /** Records of one partition from `from` on, in order. @throws PartitionStopped, Retriable, Fatal of the subscription. */
  async *records({ partition, end }: PartitionEnds, from: number): AsyncGenerator<LetterRecord, void> {
    if (from >= end) return;
    const subscription = this.#reader.subscribe({ topic: this.topic, partition }, from);
    try {
      for (;;) {
        const run = subscription.take();
        if (run === undefined) {
          if (subscription.failure !== undefined) throw subscription.failure;
          await changed(subscription);
          continue;
        }
        while (run.cursor.next()) {
          if (run.cursor.offset >= end) return;
          yield letterRecord(run.cursor, partition);
        }
        if (run.nextOffset >= end) return;
      }
    } finally {
      subscription.onChange(undefined);
      subscription.close();
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

/** Resolves with the next change; at once where one came since `take` gave nothing, as the port promises. */
function changed(subscription: LogSubscription): Promise<void> {
  return new Promise((resolve) => {
    subscription.onChange(() => {
      subscription.onChange(undefined);
      resolve();
    });
  });
}
