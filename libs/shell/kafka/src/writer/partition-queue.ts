import { assert, type Millis } from '@flatline/base';
import type { OutgoingRecord } from '@flatline/ports';
import { type Compression } from '../record-batch/compressor.ts';
import { RecordBatchEncoder, stampWriter } from '../record-batch/encoder.ts';
import { recordsIn } from '../record-batch/records-in.ts';
import { type PartitionBatch } from './produce-request.ts';
import { type ProducerEpoch } from './producer-requests.ts';
import { sequenceAfter } from './sequence.ts';

export interface PartitionQueueOptions {
  readonly topic: string;
  readonly partition: number;
  readonly producer: ProducerEpoch;
  readonly compression: Compression;
}

export interface QueuedBatch extends PartitionBatch {
  readonly bytes: Buffer;
  /** Bytes that the records took in the producer's buffer. */
  readonly bufferedBytes: number;
  readonly baseSequence: number;
}

/**
 * Batches of an idempotent producer for one partition: the one being filled and the full ones before it, in order.
 * A batch gets its sequence number when it is sealed, and they are sent in the order they were sealed.
 */
export class PartitionQueue {
  readonly #options: PartitionQueueOptions;
  readonly #encoder: RecordBatchEncoder;
  #producer: ProducerEpoch;
  #sealed: QueuedBatch[] = [];
  #sequence = 0;
  #due = false;
  #needsProducer = false;
  #added = 0;
  #done = 0;
  /** True while someone delivers this queue's batches: there is one at a time. */
  delivering = false;

  constructor(options: PartitionQueueOptions) {
    this.#options = options;
    this.#producer = options.producer;
    this.#encoder = new RecordBatchEncoder(options.compression);
  }

  get partition(): number {
    return this.#options.partition;
  }

  /** Records ever added. */
  get added(): number {
    return this.#added;
  }

  /** Records ever acknowledged, dropped or given up: in order. */
  get done(): number {
    return this.#done;
  }

  /** True if it must go on as another producer (`goOnAs`): sequence numbers of batches gone may not be given to others. */
  get needsProducer(): boolean {
    return this.#needsProducer;
  }

  get hasFullBatch(): boolean {
    return this.#sealed.length > 0;
  }

  /** `bytesMax`: of a batch with several records. @returns the bytes it takes. */
  add(record: OutgoingRecord, now: Millis, bytesMax: number): number {
    const encoder = this.#encoder;
    let before = encoder.count === 0 ? 0 : encoder.byteLength;
    if (!encoder.addWithin(record, now, encoder.count === 0 ? Infinity : bytesMax)) {
      this.#seal();
      before = 0;
      encoder.add(record, now);
    }
    this.#added += 1;
    return encoder.byteLength - before;
  }

  /** The batch being filled has waited long enough: it goes out next, full or not. */
  expedite(): void {
    this.#due = this.#encoder.count > 0;
  }

  /** The oldest batch to send, which stays first until it is acknowledged; undefined while none is full or due. */
  next(): QueuedBatch | undefined {
    if (this.#sealed.length === 0 && this.#due) this.#seal();
    return this.#sealed[0];
  }

  acknowledge(batch: QueuedBatch): void {
    this.#take(batch);
    this.#done += batch.recordCount;
  }

  /** Its records come first again, with the same sequence numbers, in two batches. */
  halve(batch: QueuedBatch): void {
    this.#take(batch);
    const records = recordsIn(batch.bytes, batch);
    const half = records.length >> 1;
    const firstBytes = batch.bufferedBytes >> 1;
    const encoded = (of: readonly OutgoingRecord[], baseSequence: number, bufferedBytes: number): QueuedBatch => {
      const encoder = new RecordBatchEncoder(this.#options.compression);
      for (const record of of) encoder.add(record, 0);
      return { ...this.#sealedBy(encoder, baseSequence), bufferedBytes };
    };
    this.#sealed.unshift(
      encoded(records.slice(0, half), batch.baseSequence, firstBytes),
      encoded(records.slice(half), sequenceAfter(batch.baseSequence, half), batch.bufferedBytes - firstBytes),
    );
  }

  /** A batch is not in the log, and will not be. */
  drop(batch: QueuedBatch): void {
    this.#take(batch);
    this.#done += batch.recordCount;
    this.#needsProducer = true;
  }

  /** Nothing of what waits is sent, or sent again. */
  giveUp(): Pick<QueuedBatch, 'recordCount' | 'bufferedBytes'> {
    if (this.#encoder.count > 0) this.#seal();
    const given = { recordCount: 0, bufferedBytes: 0 };
    for (const { recordCount, bufferedBytes } of this.#sealed.splice(0)) {
      given.recordCount += recordCount;
      given.bufferedBytes += bufferedBytes;
    }
    this.#done += given.recordCount;
    this.#needsProducer = true;
    return given;
  }

  goOnAs(successor: ProducerEpoch): void {
    this.#needsProducer = false;
    this.#producer = successor;
    this.#sequence = 0;
    this.#sealed = this.#sealed.map((each) => {
      const baseSequence = this.#sequence;
      stampWriter(each.bytes, { producerId: successor.producerId, producerEpoch: successor.epoch, baseSequence });
      this.#sequence = sequenceAfter(baseSequence, each.recordCount);
      return { ...each, baseSequence };
    });
  }

  #take(batch: QueuedBatch): void {
    assert(this.#sealed.shift() === batch, 'batches of a partition are done with in order');
  }

  #seal(): void {
    const batch = this.#sealedBy(this.#encoder, this.#sequence);
    this.#sequence = sequenceAfter(this.#sequence, batch.recordCount);
    this.#sealed.push(batch);
    this.#due = false;
  }

  #sealedBy(encoder: RecordBatchEncoder, baseSequence: number): QueuedBatch {
    const { topic, partition } = this.#options;
    const { producerId, epoch } = this.#producer;
    const { count: recordCount, byteLength: bufferedBytes } = encoder;
    const seal = { producerId, producerEpoch: epoch, baseSequence, transactional: false };
    return { topic, partition, recordCount, bufferedBytes, baseSequence, bytes: Buffer.from(encoder.seal(seal)) };
  }
}
