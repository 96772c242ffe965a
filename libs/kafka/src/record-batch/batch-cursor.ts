// Walks the records of consecutive batches in place. One class, one shape: everything that reads a log goes through it,
// so its fields must not change their kinds, and a bare heartbeat makes no object here.
//
// Owns: the place in the batches of one run, what is unpacked of the current one.
// Does not own: the bytes (the fetch answer's), fetching.
//
// Invariants
//   C1  position never goes back and ends at the run's nextOffset, whatever the batches on the way hold: nothing at all
//       after compaction, markers, aborted records (kafkajs 5).
//   C2  What next() shows lies within the current batch, is at or above the offset asked for, and belongs neither to a
//       control batch nor to an aborted transaction (kafkajs 4).
//   C3  The checksum of a batch is verified before its first record is shown.
import { MalformedBytes, PartitionStopped, type Millis } from '@flatline/base';
import type { RecordCursor, RecordHeader, TopicPartition } from '@flatline/task';
import { crc32c } from '@node-rs/crc32';
import { readInt32, readInt64 } from '../connection/protocol-bytes.ts';
import { type AbortedTransaction, AbortedTransactions } from './aborted-transactions.ts';
import { unpack } from './decompressor.ts';
import * as layout from './layout.ts';
import { readHeaders } from './record-headers.ts';

const NO_BYTES = Buffer.alloc(0);
const CONTROL_KEY_BYTES = 4;

export interface BatchRun {
  readonly source: TopicPartition;
  /** Holds whole batches from `start` to `end`, as `scanBatches` found them. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Records below it are passed over: a batch is fetched whole. */
  readonly askedOffset: number;
  readonly nextOffset: number;
  /** Of this run's fetch answer. */
  readonly aborted: readonly AbortedTransaction[];
}

export class BatchCursor implements RecordCursor {
  bytes: Buffer = NO_BYTES;
  offset = -1;
  timestamp: Millis = -1;
  logAppendTime = false;
  keyStart = 0;
  keyLength = -1;
  valueStart = 0;
  valueLength = -1;
  hasHeaders = false;
  position: number;
  batchChecksum = 0;
  batchLeaderEpoch = -1;
  batchTimestamp: Millis = -1;

  readonly #run: BatchRun;
  readonly #aborted: AbortedTransactions;
  /** Where the next batch begins in the run. */
  #batchAt: number;
  #baseOffset = 0;
  #baseTimestamp = 0;
  #recordsLeft = 0;
  /** Where the next record begins, and where the current batch's records end, both in `bytes`. */
  #at = 0;
  #recordsEnd = 0;
  #headersAt = 0;

  constructor(run: BatchRun) {
    this.#run = run;
    this.#aborted = new AbortedTransactions(run.aborted);
    this.#batchAt = run.start;
    this.position = run.askedOffset;
  }

  next(): boolean {
    for (;;) {
      while (this.#recordsLeft === 0) if (!this.#enterBatch()) return false;
      this.#recordsLeft -= 1;
      this.#readRecord();
      if (this.offset < this.#run.askedOffset) continue;
      this.position = this.offset + 1;
      return true;
    }
  }

  headers(): readonly RecordHeader[] {
    if (!this.hasHeaders) return [];
    try {
      return readHeaders(this.bytes, this.#headersAt, this.#at);
    } catch (error) {
      throw this.#stopped(error);
    }
  }

  /** Enters the next batch; one that has nothing to show leaves no records. False at the end of the run. */
  #enterBatch(): boolean {
    const { bytes, end, nextOffset } = this.#run;
    const at = this.#batchAt;
    if (at >= end) {
      this.position = nextOffset;
      return false;
    }
    const batchEnd = at + layout.BATCH_PREFIX_BYTES + readInt32(bytes, at + layout.BATCH_LENGTH_AT);
    this.#batchAt = batchEnd;
    this.#readBatchHeader(at, batchEnd);
    return true;
  }

  #readBatchHeader(at: number, batchEnd: number): void {
    const { bytes } = this.#run;
    this.#baseOffset = readInt64(bytes, at + layout.BASE_OFFSET_AT);
    const lastOffset = this.#baseOffset + readInt32(bytes, at + layout.LAST_OFFSET_DELTA_AT);
    this.batchChecksum = readInt32(bytes, at + layout.CHECKSUM_AT) >>> 0;
    this.batchLeaderEpoch = readInt32(bytes, at + layout.LEADER_EPOCH_AT);
    this.batchTimestamp = readInt64(bytes, at + layout.GREATEST_TIMESTAMP_AT);
    this.#verify(at, batchEnd);
    const attributes = (bytes[at + layout.ATTRIBUTES_AT]! << 8) | bytes[at + layout.ATTRIBUTES_AT + 1]!;
    if (this.#passesOver(at, batchEnd, attributes, lastOffset)) return;
    this.#baseTimestamp = readInt64(bytes, at + layout.BASE_TIMESTAMP_AT);
    this.logAppendTime = (attributes & layout.LOG_APPEND_TIME_BIT) !== 0;
    this.#openRecords(at, batchEnd, attributes & layout.COMPRESSION_MASK);
  }

  #verify(at: number, batchEnd: number): void {
    const actual = crc32c(this.#run.bytes.subarray(at + layout.ATTRIBUTES_AT, batchEnd));
    if (actual !== this.batchChecksum)
      throw this.#stopped(
        new MalformedBytes(
          `its checksum is ${actual.toString(16)}, the header says ${this.batchChecksum.toString(16)}`,
        ),
      );
  }

  /** Whether the whole batch is none of the reader's business. Sees every batch, so that transactions open and end. */
  #passesOver(at: number, batchEnd: number, attributes: number, lastOffset: number): boolean {
    if ((attributes & layout.TRANSACTIONAL_BIT) === 0) return (attributes & layout.CONTROL_BIT) !== 0;
    const producerId = readInt64(this.#run.bytes, at + layout.PRODUCER_ID_AT);
    if ((attributes & layout.CONTROL_BIT) === 0) return this.#aborted.covers(producerId, lastOffset);
    if (this.#isAbortMarker(at, batchEnd)) this.#aborted.ended(producerId, lastOffset);
    return true;
  }

  #isAbortMarker(at: number, batchEnd: number): boolean {
    this.#openRecords(at, batchEnd, 0);
    if (this.#recordsLeft === 0) return false;
    this.#readRecord();
    this.#recordsLeft = 0;
    if (this.keyLength < CONTROL_KEY_BYTES) throw this.#stopped(new MalformedBytes('its control record has no type'));
    return ((this.bytes[this.keyStart + 2]! << 8) | this.bytes[this.keyStart + 3]!) === layout.ABORT_MARKER;
  }

  #openRecords(at: number, batchEnd: number, compression: number): void {
    const { bytes } = this.#run;
    const count = readInt32(bytes, at + layout.RECORD_COUNT_AT);
    if (count < 0) throw this.#stopped(new MalformedBytes(`it claims ${count} records`));
    this.#recordsLeft = count;
    if (compression === 0 || count === 0) {
      this.bytes = bytes;
      this.#at = at + layout.RECORDS_AT;
      this.#recordsEnd = batchEnd;
      return;
    }
    try {
      this.bytes = unpack(compression, bytes.subarray(at + layout.RECORDS_AT, batchEnd));
    } catch (error) {
      throw this.#stopped(error);
    }
    this.#at = 0;
    this.#recordsEnd = this.bytes.length;
  }

  #readRecord(): void {
    const length = this.#varint();
    const end = this.#at + length;
    if (length < 0 || end > this.#recordsEnd)
      throw this.#stopped(new MalformedBytes(`a record claims ${length} bytes`));
    // Attributes of records are not used in format 2.
    this.#at += 1;
    const timestampDelta = this.#varlong();
    this.timestamp = this.logAppendTime ? this.batchTimestamp : this.#baseTimestamp + timestampDelta;
    this.offset = this.#baseOffset + this.#varint();
    this.keyLength = this.#varint();
    this.keyStart = this.#at;
    if (this.keyLength > 0) this.#at += this.keyLength;
    this.valueLength = this.#varint();
    this.valueStart = this.#at;
    if (this.valueLength > 0) this.#at += this.valueLength;
    // A length that leads out of the record leads here too: nothing of it has been shown yet.
    if (this.#at >= end || this.keyLength < -1 || this.valueLength < -1)
      throw this.#stopped(
        new MalformedBytes(`the record at offset ${this.offset} does not fit its length of ${length}`),
      );
    this.hasHeaders = this.bytes[this.#at] !== 0;
    this.#headersAt = this.#at;
    this.#at = end;
  }

  /** Zigzag, up to five bytes. */
  #varint(): number {
    const { bytes } = this;
    let at = this.#at;
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    this.#at = at;
    return (value >>> 1) ^ -(value & 1);
  }

  /** Zigzag, up to ten bytes; exact within ±2^52, beyond rounded as doubles are. */
  #varlong(): number {
    const { bytes } = this;
    let at = this.#at;
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let scale = 128; byte >= 0x80 && scale <= 2 ** 63; scale *= 128) {
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
    }
    this.#at = at;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #stopped(error: unknown): PartitionStopped {
    const { topic, partition } = this.#run.source;
    const why = error instanceof Error ? error.message : String(error);
    return new PartitionStopped(
      `${topic}-${partition}: the batch at offset ${this.#baseOffset} cannot be read: ${why}; ` +
        'the copy of this log on its leader is damaged: move the leadership to another replica, then restart this partition',
      error,
    );
  }
}
