// A producer that says of each record what became of it.
//
// Owns: who waits for which record.
// Does not own: batches, sending again (BatchProducer).
//
// Invariants
//   AW1  A record waits for its own partition only, which the producer tells of in the order in which it took the records; and it
//        fails with it only, unless the producer ends.
import { type Millis, partitionOf } from '@flatline/base';
import { BatchProducer, type BatchProducerOptions, type ProducedRecord } from './batch-producer.ts';

export type AcknowledgedWriterOptions = Omit<
  BatchProducerOptions,
  'onAcknowledged' | 'onTooLarge' | 'onUndelivered' | 'onFailed'
>;

export interface KeyedRecord extends ProducedRecord {
  readonly key: Uint8Array;
}

interface Waiting {
  readonly resolve: (appendedAt: Millis | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class AcknowledgedWriter {
  readonly #producer: BatchProducer;
  /** By partition, the oldest record first. */
  readonly #waiting: readonly Waiting[][];

  /** @throws as BatchProducer.open does */
  static async open(options: AcknowledgedWriterOptions): Promise<AcknowledgedWriter> {
    let waiting: readonly Waiting[][] = [];
    const producer = await BatchProducer.open({
      ...options,
      onAcknowledged: (partition, _baseOffset, recordCount, appendedAt) => {
        const at = appendedAt < 0 ? undefined : appendedAt;
        for (const { resolve } of waiting[partition]!.splice(0, recordCount)) resolve(at);
      },
      onTooLarge: (partition, error) => {
        waiting[partition]!.shift()!.reject(error);
      },
      onUndelivered: (partition, recordCount, error) => {
        for (const { reject } of waiting[partition]!.splice(0, recordCount)) reject(error);
      },
      onFailed: (error) => {
        for (const { reject } of waiting.flatMap((each) => each.splice(0))) reject(error);
      },
    });
    waiting = Array.from({ length: producer.partitionCount }, () => []);
    return new AcknowledgedWriter(producer, waiting);
  }

  private constructor(producer: BatchProducer, waiting: readonly Waiting[][]) {
    this.#producer = producer;
    this.#waiting = waiting;
  }

  get partitionCount(): number {
    return this.#waiting.length;
  }

  /** Nothing more is taken. */
  get hasFailed(): boolean {
    return this.#producer.hasFailed;
  }

  /**
   * Resolves once the record is in the log, with when the leader stamped it; undefined: that is not known.
   * @throws RecordTooLarge, which concerns this record alone; otherwise as BatchProducer.flush does: it was not acknowledged, nor
   * what waited with it for its partition, unless `hasFailed`
   */
  async write(record: KeyedRecord): Promise<Millis | undefined> {
    const { partition = partitionOf(record.key, this.#waiting.length) } = record;
    const room = this.#producer.add({ ...record, partition });
    // It rejects with what every record hears of.
    room?.catch(() => undefined);
    return new Promise((resolve, reject) => {
      this.#waiting[partition]!.push({ resolve, reject });
    });
  }

  /** Takes no more, and sends what waits. Idempotent. @throws as BatchProducer.close does */
  close(): Promise<void> {
    return this.#producer.close();
  }
}
