// Sends records into the input of a pipeline, and tells of what its topic refuses after a call took it.
//
// Owns: the refusal that is not told of yet.
// Does not own: the connection, queues and sending (BatchProducer).
import type { Clock, DurationMs } from '@flatline/base';
import { BatchProducer, type KafkaConnection, type ProducedRecord } from '@flatline/kafka';

export interface RecordProducerOptions {
  readonly clock: Clock;
  /** Not closed by the producer. */
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** How long a record that is not acknowledged is sent again before the producer fails. In milliseconds; default 120 000. */
  readonly deliveryTimeoutMs?: DurationMs | undefined;
  /** Told of every batch that is in the log; of one partition in the order of the calls. */
  readonly onAcknowledged?: ((partition: number, recordCount: number) => void) | undefined;
  /** Told of a record that the topic has refused for its size after the call took it. Default: `flush` and `close` reject with it. */
  readonly onRefused?: ((error: Error) => void) | undefined;
}

export class RecordProducer {
  readonly #producer: BatchProducer;
  readonly #checkRefused: () => void;

  /** @throws Fatal where the topic does not exist; Retriable where the cluster cannot be reached. */
  static async open(options: RecordProducerOptions): Promise<RecordProducer> {
    const { clock, connection, topic, deliveryTimeoutMs, onAcknowledged, onRefused } = options;
    let refusal: Error | undefined;
    const producer = await BatchProducer.open({
      clock,
      connection,
      topic,
      ...(deliveryTimeoutMs !== undefined && { deliveryTimeoutMs }),
      ...(onAcknowledged && {
        onAcknowledged: (partition: number, _baseOffset: number, recordCount: number) => {
          onAcknowledged(partition, recordCount);
        },
      }),
      onTooLarge: (_partition, error) => {
        if (onRefused === undefined) refusal ??= error;
        // An error it throws is no failure of the producer.
        else
          queueMicrotask(() => {
            onRefused(error);
          });
      },
    });
    return new RecordProducer(producer, () => {
      const told = refusal;
      refusal = undefined;
      if (told !== undefined) throw told;
    });
  }

  private constructor(producer: BatchProducer, checkRefused: () => void) {
    this.#producer = producer;
    this.#checkRefused = checkRefused;
  }

  get partitionCount(): number {
    return this.#producer.partitionCount;
  }

  /** Records taken and not yet in the log. */
  get waitingCount(): number {
    return this.#producer.waitingCount;
  }

  /** As BatchProducer.add. @throws RecordTooLarge for one that the topic does not take */
  add(record: ProducedRecord): Promise<void> | undefined {
    return this.#producer.add(record);
  }

  /** Resolves when everything so far is in the log. @throws Retriable, PartitionStopped, Fatal, naming what is not. */
  async flush(): Promise<void> {
    await this.#producer.flush();
    this.#checkRefused();
  }

  /** Takes no more, and flushes. Idempotent. */
  async close(): Promise<void> {
    await this.#producer.close();
    this.#checkRefused();
  }
}
