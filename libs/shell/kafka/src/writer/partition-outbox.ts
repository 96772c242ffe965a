import { assert, type Millis } from '@flatline/base';
import type { OutgoingRecord, TopicPartition } from '@flatline/ports';
import { type RecordBatchEncoder } from '../record-batch/encoder.ts';

/** Records in order, and where their offsets go once known. */
interface Segment {
  readonly records: readonly OutgoingRecord[];
  readonly offsets: number[];
}

/** The records of one transaction for one partition, handed out batch by batch, each after the former was acknowledged. */
export class PartitionOutbox implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly #segments: Segment[] = [];
  /** Segments before this one have been handed out whole; of this one, what its `#taken` first records are. */
  #current = 0;
  #taken = 0;
  /** As above, for what was acknowledged: offsets are filled in the same order. */
  #acknowledged = 0;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Appends records; their log offsets are pushed to `offsets` as they are acknowledged. */
  append(records: readonly OutgoingRecord[], offsets: number[]): void {
    if (records.length > 0) this.#segments.push({ records, offsets });
  }

  get drained(): boolean {
    return this.#current === this.#segments.length;
  }

  /** Moves as many records into `encoder` as stay within `bytesMax`, but at least one where `force`. */
  fill(encoder: RecordBatchEncoder, bytesMax: number, now: Millis, force: boolean): void {
    for (; this.#current < this.#segments.length; this.#current += 1, this.#taken = 0) {
      const { records } = this.#segments[this.#current]!;
      for (; this.#taken < records.length; this.#taken += 1) {
        const most = force && encoder.count === 0 ? Infinity : bytesMax;
        if (!encoder.addWithin(records[this.#taken]!, now, most)) return;
      }
    }
  }

  /** The next `count` records handed out have the offsets from `baseOffset` on. */
  acknowledge(count: number, baseOffset: number): void {
    for (let offset = baseOffset; offset < baseOffset + count; offset += 1) {
      let segment = this.#segments[this.#acknowledged];
      if (segment?.offsets.length === segment?.records.length) segment = this.#segments[(this.#acknowledged += 1)];
      assert(segment !== undefined, 'only records that were handed out are acknowledged', { count, baseOffset });
      segment.offsets.push(offset);
    }
  }
}
