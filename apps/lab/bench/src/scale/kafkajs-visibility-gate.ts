// Hides the records written to a topic, and reveals them all at once: an open transaction with a record on each
// partition, at which a read_committed reader stops. So the input is complete before the measurement, and unread.
import kafkajs from 'kafkajs';
import type { DurationMs } from '@flatline/base';
import { randomUUID } from 'node:crypto';

/** Writing the input, and starting the instances, takes less; the broker's own limit is 15 minutes. */
const OPEN_MAX_MS: DurationMs = 600_000;
/** A session of its own on each partition. */
const KEY = 'visibility-gate';

export class VisibilityGate {
  readonly #producer: kafkajs.Producer;
  readonly #transaction: kafkajs.Transaction;

  private constructor(producer: kafkajs.Producer, transaction: kafkajs.Transaction) {
    this.#producer = producer;
    this.#transaction = transaction;
  }

  /** Hides everything written from now on. */
  static async shut(brokers: readonly string[], topic: string, partitions: number): Promise<VisibilityGate> {
    const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({
      transactionalId: randomUUID(),
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: OPEN_MAX_MS,
    });
    await producer.connect();
    const transaction = await producer.transaction();
    const messages = Array.from({ length: partitions }, (_, partition) => ({
      partition,
      key: KEY,
      value: Buffer.alloc(0),
    }));
    await transaction.send({ topic, messages });
    return new VisibilityGate(producer, transaction);
  }

  async open(): Promise<void> {
    await this.#transaction.commit();
    await this.#producer.disconnect();
  }
}
