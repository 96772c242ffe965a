// Sees closes as a read_committed reader of the output does, at the moment it does.
import type { Millis } from '@flatline/base';
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { LogSubscription } from '@flatline/ports';

export interface SeenClose {
  readonly sessionId: string;
  readonly deadlineAt: Millis;
  readonly seenAt: Millis;
}

export class CloseWatch {
  readonly #reader: KafkaLogReader;
  readonly #closes: SeenClose[][];
  #failure: Error | undefined;

  constructor(kafka: KafkaOptions, topic: string, partitions: number) {
    this.#reader = new KafkaLogReader(kafka);
    this.#closes = Array.from({ length: partitions }, () => []);
    for (const [partition, closes] of this.#closes.entries()) {
      const subscription = this.#reader.subscribe({ topic, partition }, 0);
      subscription.onChange(() => {
        this.#take(subscription, closes);
      });
    }
  }

  /** In the order of the log. @throws what ended the reading */
  of(partition: number): readonly SeenClose[] {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#closes[partition]!;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #take(subscription: LogSubscription, closes: SeenClose[]): void {
    this.#failure ??= subscription.failure;
    const seenAt = systemClock.wallMs();
    for (let run = subscription.take(); run !== undefined; run = subscription.take()) {
      const { cursor } = run;
      while (cursor.next()) {
        if (cursor.valueLength < 0) continue;
        const value = cursor.bytes.subarray(cursor.valueStart, cursor.valueStart + cursor.valueLength);
        const summary = JSON.parse(Buffer.from(value).toString('utf8')) as Omit<SeenClose, 'seenAt'>;
        closes.push({ sessionId: summary.sessionId, deadlineAt: summary.deadlineAt, seenAt });
      }
    }
  }
}
