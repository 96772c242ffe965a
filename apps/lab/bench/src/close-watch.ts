// Sees closes at the moment at which a read_committed reader of the output does.
import type { Millis } from '@flatline/base';
import type { KafkaOptions } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { OutputReader, valueText } from './output-reader.ts';

export interface SeenClose {
  readonly sessionId: string;
  readonly deadlineAt: Millis;
  readonly seenAt: Millis;
}

export class CloseWatch {
  readonly #reader: OutputReader;
  readonly #closes: SeenClose[][];

  constructor(kafka: KafkaOptions, topic: string, partitions: number) {
    this.#closes = Array.from({ length: partitions }, () => []);
    this.#reader = new OutputReader(kafka, { topic, partitions }, (record, partition) => {
      if (record.valueLength < 0) return;
      const seenAt = systemClock.wallMs();
      const { sessionId, deadlineAt } = JSON.parse(valueText(record)) as Omit<SeenClose, 'seenAt'>;
      this.#closes[partition]!.push({ sessionId, deadlineAt, seenAt });
    });
  }

  /** In log order. @throws the error that ended the reading */
  of(partition: number): readonly SeenClose[] {
    if (this.#reader.failure !== undefined) throw this.#reader.failure;
    return this.#closes[partition]!;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}
