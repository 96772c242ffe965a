import { assert, type Millis } from '@flatline/base';
import type { OutgoingRecord } from '@flatline/ports';
import { type Compression } from '../record-batch/compressor.ts';
import { type BatchSeal, RecordBatchEncoder } from '../record-batch/encoder.ts';
import { type PartitionBatch } from './produce-request.ts';
import { type ProducerEpoch } from './producer-requests.ts';
import { sequenceAfter } from './sequence.ts';

export interface PartitionQueueOptions {
  readonly topic: string;
  readonly partition: number;
  readonly producer: ProducerEpoch;
  readonly batchBytesMax: number;
  readonly compression: Compression;
}

export interface QueuedBatch extends PartitionBatch {
  /** What the records took in the producer's buffer. */
  readonly bufferedBytes: number;
}

/**
 * What an idempotent producer has for one partition: the batch being filled and the full ones before it, in order.
 * A batch gets its sequence number when it is sealed, and they are sent in the order they were sealed.
 */
export class PartitionQueue {
  readonly #options: PartitionQueueOptions;
  readonly #encoder: RecordBatchEncoder;
  readonly #sealed: QueuedBatch[] = [];
  #sequence = 0;
  #due = false;
  #added = 0;
  #acknowledged = 0;
  /** True while someone delivers this queue's batches: there is one at a time. */
  delivering = false;

  constructor(options: PartitionQueueOptions) {
    this.#options = options;
    this.#encoder = new RecordBatchEncoder(options.compression);
  }

  get partition(): number {
    return this.#options.partition;
  }

  /** Records ever added. */
  get added(): number {
    return this.#added;
  }

  /** Records ever acknowledged: they are so in order. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  get hasFullBatch(): boolean {
    return this.#sealed.length > 0;
  }

  /** @returns the bytes it takes. */
  add(record: OutgoingRecord, now: Millis): number {
    const encoder = this.#encoder;
    let before = encoder.count === 0 ? 0 : encoder.byteLength;
    const bytesMax = encoder.count === 0 ? Infinity : this.#options.batchBytesMax;
    if (!encoder.addWithin(record, now, bytesMax)) {
      this.#seal();
      before = 0;
      encoder.add(record, now);
    }
    this.#added += 1;
    return encoder.byteLength - before;
  }

  /** What is in the batch being filled has waited long enough: it goes out next, full or not. */
  expedite(): void {
    this.#due = this.#encoder.count > 0;
  }

  /** The oldest batch to send, which stays first until it is acknowledged; undefined while none is full or due. */
  next(): QueuedBatch | undefined {
    if (this.#sealed.length === 0 && this.#due) this.#seal();
    return this.#sealed[0];
  }

  acknowledge(batch: QueuedBatch): void {
    assert(this.#sealed.shift() === batch, 'batches of a partition are acknowledged in order');
    this.#acknowledged += batch.recordCount;
  }

  #seal(): void {
    const recordCount = this.#encoder.count;
    const { topic, partition, producer } = this.#options;
    const seal: BatchSeal = {
      producerId: producer.producerId,
      producerEpoch: producer.epoch,
      baseSequence: this.#sequence,
      transactional: false,
    };
    this.#sequence = sequenceAfter(this.#sequence, recordCount);
    const bufferedBytes = this.#encoder.byteLength;
    this.#sealed.push({ topic, partition, recordCount, bufferedBytes, bytes: Buffer.from(this.#encoder.seal(seal)) });
    this.#due = false;
  }
}
