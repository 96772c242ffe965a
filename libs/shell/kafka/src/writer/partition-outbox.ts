import { assert, type Millis } from '@flatline/base';
import {
  type OutgoingRecord,
  type OutgoingRecords,
  PackedWrite,
  recordCount,
  type TopicPartition,
} from '@flatline/ports';
import { type RecordBatchEncoder } from '../record-batch/encoder.ts';

/** Records in order, and where their offsets go once known. */
interface Segment {
  readonly source: Source;
  readonly count: number;
  readonly offsets: number[];
}

/** Hands records out one after the other. */
interface Source {
  /** True while there are any left. */
  readonly isOn: boolean;
  /** Adds the next one to `encoder` and goes on behind it; false: the batch would be longer than `bytesMax`. */
  moveInto(encoder: RecordBatchEncoder, now: Millis, bytesMax: number): boolean;
}

/** The records of one transaction for one partition, handed out batch by batch, each after the former was acknowledged. */
export class PartitionOutbox implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  readonly #segments: Segment[] = [];
  /** Segments before this one have been handed out whole. */
  #current = 0;
  /** As above, for what was acknowledged: offsets are filled in the same order. */
  #acknowledged = 0;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  /** Appends records; their log offsets are pushed to `offsets` as they are acknowledged. */
  append(write: OutgoingRecords, offsets: number[]): void {
    const count = recordCount(write);
    if (count > 0) this.#segments.push({ source: sourceOf(write), count, offsets });
  }

  get drained(): boolean {
    return this.#current === this.#segments.length;
  }

  /** Moves as many records into `encoder` as stay within `bytesMax`, but at least one where `force`. */
  fill(encoder: RecordBatchEncoder, bytesMax: number, now: Millis, force: boolean): void {
    for (; this.#current < this.#segments.length; this.#current += 1) {
      const { source } = this.#segments[this.#current]!;
      while (source.isOn) {
        const most = force && encoder.count === 0 ? Infinity : bytesMax;
        if (!source.moveInto(encoder, now, most)) return;
      }
    }
  }

  /** The next `count` records handed out have the offsets from `baseOffset` on. */
  acknowledge(count: number, baseOffset: number): void {
    for (let offset = baseOffset; offset < baseOffset + count; offset += 1) {
      let segment = this.#segments[this.#acknowledged];
      if (segment?.offsets.length === segment?.count) segment = this.#segments[(this.#acknowledged += 1)];
      assert(segment !== undefined, 'only records that were handed out are acknowledged', { count, baseOffset });
      segment.offsets.push(offset);
    }
  }
}

function sourceOf(write: OutgoingRecords): Source {
  return write instanceof PackedWrite ? new PackedSource(write) : new ListSource(write.records);
}

class ListSource implements Source {
  readonly #records: readonly OutgoingRecord[];
  #taken = 0;

  constructor(records: readonly OutgoingRecord[]) {
    this.#records = records;
  }

  get isOn(): boolean {
    return this.#taken < this.#records.length;
  }

  moveInto(encoder: RecordBatchEncoder, now: Millis, bytesMax: number): boolean {
    if (!encoder.addWithin(this.#records[this.#taken]!, now, bytesMax)) return false;
    this.#taken += 1;
    return true;
  }
}

class PackedSource implements Source {
  readonly #cursor: ReturnType<PackedWrite['cursor']>;

  constructor(write: PackedWrite) {
    this.#cursor = write.cursor();
  }

  get isOn(): boolean {
    return this.#cursor.isOn;
  }

  moveInto(encoder: RecordBatchEncoder, now: Millis, bytesMax: number): boolean {
    if (!encoder.addPacked(this.#cursor, now, bytesMax)) return false;
    this.#cursor.next();
    return true;
  }
}
