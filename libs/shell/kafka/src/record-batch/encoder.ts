// Writes record batches of format 2 (magic 2, KIP-98): records in, the bytes of one batch out.
//
// Owns: one buffer, grown and reused from batch to batch.
// Does not own: where to cut (the callers' limits), sequence numbers.
//
// Invariants
//   EN1  A sealed batch is a view into the encoder's memory, valid until the next `add` or `clear`.
//   EN2  Between `seal` and the next `add` the encoder is empty.
import { crc32c } from '@node-rs/crc32';
import { assert, type Millis } from '@flatline/base';
import type { OutgoingRecord, PackedCursor, RecordHeader } from '@flatline/ports';
import { compressRecords, compressionCode, type Compression } from './compressor.ts';
import {
  bytesSize,
  copyPart,
  headersSize,
  varintSize,
  varlongSize,
  writeBytes,
  writeHeaders,
  writeVarint,
  writeVarlong,
} from './encoding.ts';
import * as layout from './layout.ts';

const INITIAL_BYTES = 16 * 1024;
const NO_HEADERS: readonly RecordHeader[] = [];

/** The writer of the batch, fixed only when it is sent: sequence numbers follow the order of sending. */
export interface BatchSeal {
  /** −1n: no idempotence. */
  readonly producerId: bigint;
  readonly producerEpoch: number;
  /** Sequence number of the first record, −1 without a producer id. */
  readonly baseSequence: number;
  readonly transactional: boolean;
}

export const UNSEQUENCED: BatchSeal = { producerId: -1n, producerEpoch: -1, baseSequence: -1, transactional: false };

export class RecordBatchEncoder {
  readonly #compression: Compression;
  #bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = layout.RECORDS_AT;
  #count = 0;
  #baseTimestamp: Millis = 0;
  #greatestTimestamp: Millis = 0;

  constructor(compression: Compression = 'none') {
    this.#compression = compression;
  }

  /** Records added since the last seal. */
  get count(): number {
    return this.#count;
  }

  /** Bytes of the batch as it stands, before compression. */
  get byteLength(): number {
    return this.#length;
  }

  /** Appends one record; `now` is the timestamp of one that carries none. Timestamps: integers of magnitude below 2^51. */
  add(record: OutgoingRecord, now: Millis): void {
    this.addWithin(record, now, Infinity);
  }

  /** As `add`, if the batch then is no longer than `bytesMax`. False: the record was not appended. */
  addWithin(record: OutgoingRecord, now: Millis, bytesMax: number): boolean {
    const stamp = record.timestamp ?? now;
    const { key, value, headers = NO_HEADERS } = record;
    const timestampDelta = this.#count === 0 ? 0 : stamp - this.#baseTimestamp;
    const length = 1 + varlongSize(timestampDelta) + varintSize(this.#count) + contentSize(record);
    const end = this.#length + varintSize(length) + length;
    if (end > bytesMax) return false;
    this.#reserve(end);
    this.#noteStamp(stamp);
    const bytes = this.#bytes;
    let at = this.#begin(length, timestampDelta);
    at = writeBytes(bytes, at, key);
    at = writeBytes(bytes, at, value);
    this.#length = writeHeaders(bytes, at, headers);
    this.#count += 1;
    return true;
  }

  /** As `addWithin` of a record without a timestamp, whose key, value and headers are bytes already (RecordPacker). */
  addPacked({ bytes: from, start, length: content }: PackedCursor, now: Millis, bytesMax: number): boolean {
    const timestampDelta = this.#count === 0 ? 0 : now - this.#baseTimestamp;
    const length = 1 + varlongSize(timestampDelta) + varintSize(this.#count) + content;
    const end = this.#length + varintSize(length) + length;
    if (end > bytesMax) return false;
    this.#reserve(end);
    this.#noteStamp(now);
    const at = this.#begin(length, timestampDelta);
    copyPart(this.#bytes, at, from, start, content);
    this.#length = end;
    this.#count += 1;
    return true;
  }

  /** Writes what comes before the content of the next record. Returns where that goes. */
  #begin(length: number, timestampDelta: number): number {
    const bytes = this.#bytes;
    let at = writeVarint(bytes, this.#length, length);
    bytes[at++] = 0;
    at = writeVarlong(bytes, at, timestampDelta);
    return writeVarint(bytes, at, this.#count);
  }

  clear(): void {
    this.#count = 0;
    this.#length = layout.RECORDS_AT;
  }

  /** Completes the batch and empties the encoder (EN1, EN2). */
  seal(seal: BatchSeal, compression: Compression = this.#compression): Buffer<ArrayBuffer> {
    assert(this.#count > 0, 'a batch holds at least one record');
    const batch = compression === 'none' ? this.#bytes.subarray(0, this.#length) : this.#compressed(compression);
    this.#writeOverhead(batch, seal, compression);
    this.clear();
    return batch;
  }

  #noteStamp(stamp: Millis): void {
    if (this.#count === 0) this.#baseTimestamp = stamp;
    if (this.#count === 0 || stamp > this.#greatestTimestamp) this.#greatestTimestamp = stamp;
  }

  #compressed(compression: Compression): Buffer<ArrayBuffer> {
    const records = compressRecords(compression, this.#bytes.subarray(layout.RECORDS_AT, this.#length));
    const batch = Buffer.allocUnsafe(layout.RECORDS_AT + records.length);
    batch.set(records, layout.RECORDS_AT);
    return batch;
  }

  #writeOverhead(batch: Buffer, seal: BatchSeal, compression: Compression): void {
    // Base offset and leader epoch: the broker gives them.
    batch.fill(0, layout.BASE_OFFSET_AT, layout.BATCH_LENGTH_AT);
    batch.writeInt32BE(batch.length - layout.BATCH_PREFIX_BYTES, layout.BATCH_LENGTH_AT);
    batch.writeInt32BE(-1, layout.LEADER_EPOCH_AT);
    batch.writeInt8(layout.MAGIC, layout.MAGIC_AT);
    const transactional = seal.transactional ? layout.TRANSACTIONAL_BIT : 0;
    batch.writeInt16BE(compressionCode(compression) | transactional, layout.ATTRIBUTES_AT);
    batch.writeInt32BE(this.#count - 1, layout.LAST_OFFSET_DELTA_AT);
    batch.writeBigInt64BE(BigInt(this.#baseTimestamp), layout.BASE_TIMESTAMP_AT);
    batch.writeBigInt64BE(BigInt(this.#greatestTimestamp), layout.GREATEST_TIMESTAMP_AT);
    batch.writeInt32BE(this.#count, layout.RECORD_COUNT_AT);
    stampWriter(batch, seal);
  }

  #reserve(need: number): void {
    if (need <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(need, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Makes a batch another writer's, and its checksum right. */
export function stampWriter(
  batch: Buffer,
  { producerId, producerEpoch, baseSequence }: Omit<BatchSeal, 'transactional'>,
): void {
  batch.writeBigInt64BE(producerId, layout.PRODUCER_ID_AT);
  batch.writeInt16BE(producerEpoch, layout.PRODUCER_EPOCH_AT);
  batch.writeInt32BE(baseSequence, layout.BASE_SEQUENCE_AT);
  batch.writeUInt32BE(crc32c(batch.subarray(layout.ATTRIBUTES_AT)), layout.CHECKSUM_AT);
}

/** Bytes of a batch that holds this record alone, before compression. */
export function batchBytesOf(record: OutgoingRecord): number {
  const length = 1 + varlongSize(0) + varintSize(0) + contentSize(record);
  return layout.RECORDS_AT + varintSize(length) + length;
}

function contentSize({ key, value, headers = NO_HEADERS }: OutgoingRecord): number {
  return bytesSize(key) + bytesSize(value) + headersSize(headers);
}
