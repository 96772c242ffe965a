// Counts items in the batches of a pipeline of windows, as a read_committed consumer gets them: each value in JSON is read.
import type { Millis } from '@flatline/base';
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';
import type { LogSubscription, RecordCursor } from '@flatline/ports';
import { systemClock } from '@flatline/system';

interface Batch {
  readonly items: readonly { readonly value: { readonly n: number } }[];
}

export class ItemCount {
  readonly #reader: KafkaLogReader;
  readonly #times: Uint8Array;
  items = 0;
  seenTwice = 0;
  lastSeenAt: Millis = 0;
  failure: Error | undefined;

  /** @param items how many there are, numbered from 0 as `n` of their values */
  constructor(kafka: KafkaOptions, topic: string, partitions: number, items: number) {
    this.#times = new Uint8Array(items);
    this.#reader = new KafkaLogReader({ ...kafka, reusesAnswers: true });
    for (let partition = 0; partition < partitions; partition += 1) {
      const subscription = this.#reader.subscribe({ topic, partition }, 0);
      subscription.onChange(() => {
        this.#take(subscription);
      });
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #take(subscription: LogSubscription): void {
    this.failure ??= subscription.failure;
    for (let run = subscription.take(); run !== undefined; run = subscription.take())
      while (run.cursor.next()) this.#count(run.cursor);
  }

  #count({ bytes, valueStart, valueLength }: RecordCursor): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueLength).toString('utf8');
    for (const { value } of (JSON.parse(text) as Batch).items) {
      const times = this.#times[value.n]! + 1;
      this.#times[value.n] = times;
      if (times > 1) this.seenTwice += 1;
      else this.items += 1;
    }
    this.lastSeenAt = systemClock.wallMs();
  }
}
