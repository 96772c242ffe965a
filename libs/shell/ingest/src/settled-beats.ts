// Which heartbeat the brokers refused: a producer tells of a refusal by partition, in the order in which it took the records.
import { BatchProducer, type BatchProducerOptions, partitionOf, type RecordTooLarge } from '@flatline/kafka';

class Partition {
  taken = 0;
  settled = 0;
  /** By the number of the record. */
  readonly refused = new Map<number, RecordTooLarge>();
}

export class SettledBeats {
  readonly #producer: BatchProducer;
  readonly #partitions: readonly Partition[];

  /** @throws as BatchProducer.open does */
  static async open(options: BatchProducerOptions): Promise<SettledBeats> {
    let partitions: readonly Partition[] = [];
    const producer = await BatchProducer.open({
      ...options,
      onAcknowledged: (partition, _baseOffset, recordCount) => {
        partitions[partition]!.settled += recordCount;
      },
      onTooLarge: (partition, error) => {
        const { refused, settled } = partitions[partition]!;
        refused.set(settled, error);
        partitions[partition]!.settled += 1;
      },
    });
    partitions = Array.from({ length: producer.partitionCount }, () => new Partition());
    return new SettledBeats(producer, partitions);
  }

  private constructor(producer: BatchProducer, partitions: readonly Partition[]) {
    this.#producer = producer;
    this.#partitions = partitions;
  }

  /**
   * Resolves once it is in the log.
   * @throws RecordTooLarge; otherwise as BatchProducer.flush does, and then nothing more is taken
   */
  async write(key: Uint8Array, value: Uint8Array | null): Promise<void> {
    const partition = partitionOf(key, this.#partitions.length);
    const at = this.#partitions[partition]!;
    const room = this.#producer.add({ key, value, partition });
    const number = at.taken;
    at.taken += 1;
    if (room !== undefined) await room;
    await this.#producer.flush();
    const refusal = at.refused.get(number);
    at.refused.delete(number);
    if (refusal !== undefined) throw refusal;
  }

  close(): Promise<void> {
    return this.#producer.close();
  }
}
