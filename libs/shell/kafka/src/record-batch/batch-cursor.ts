// Walks the records of consecutive batches in place. One class, one shape: everything that reads a log goes through it,
// so its fields must not change their kinds, and a bare heartbeat makes no object here.
//
// Owns: the place in the batches of one fetch.
// Does not own: the bytes (the fetch answer's), the records of a batch (RecordGroup), fetching.
//
// Invariants
//   BC1  position never goes back and ends at the fetch's nextOffset, whatever the batches on the way hold: nothing at all
//        after compaction, markers, aborted records (kafkajs 5).
//   BC2  What next() shows lies within the current batch, is at or above the offset asked for, and belongs neither to a
//        control batch nor to an aborted transaction (kafkajs 4).
//   BC3  The checksum of a batch is verified before its first record is shown.
//   BC4  A batch that fails it is damaged where it lies, and ends the reading. One that passes and cannot be unpacked was written
//        so: it ends the reading too, or where the fetch allows it, is shown as what it is, once, and passed over.
import { MalformedBytes, messageOf, type Millis, PartitionStopped } from '@flatline/base';
import type { RecordCursor, RecordHeader, TopicPartition, UnreadableBatch } from '@flatline/ports';
import { crc32c } from '@node-rs/crc32';
import { readInt32, readInt64 } from '../connection/protocol-bytes.ts';
import { type AbortedTransaction, AbortedTransactions } from './aborted-transactions.ts';
import { unpack, UnpacksTooLarge } from './decompressor.ts';
import * as layout from './layout.ts';
import { RecordGroup } from './record-group.ts';
import { readHeaders } from './record-headers.ts';

const NO_BYTES = Buffer.alloc(0);
const NO_HEADERS: readonly RecordHeader[] = [];
const CONTROL_KEY_BYTES = 4;

export interface FetchedBatches {
  readonly source: TopicPartition;
  /** Holds whole batches from `start` to `end`, as `scanBatches` found them. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Records below it are passed over: a batch is fetched whole. */
  readonly askedOffset: number;
  readonly nextOffset: number;
  /** From the same answer. */
  readonly aborted: readonly AbortedTransaction[];
  /** Batches that cannot be unpacked are shown as `unreadable` instead of being an error (BC4). */
  readonly passesUnreadable?: boolean;
  /** Called once, when the last record was passed: this cursor reads `bytes` no more. */
  readonly onUsedUp?: (() => void) | undefined;
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
  readonly group = new RecordGroup();
  groupIndex = -1;
  position: number;
  batchChecksum = 0;
  batchLeaderEpoch = -1;
  batchTimestamp: Millis = -1;
  unreadable: UnreadableBatch | undefined = undefined;

  readonly #fetched: FetchedBatches;
  readonly #aborted: AbortedTransactions;
  /** Where the next batch begins. */
  #batchAt: number;
  #baseOffset = 0;
  #lastOffset = 0;
  #baseTimestamp = 0;
  #onUsedUp: (() => void) | undefined;

  constructor(fetched: FetchedBatches) {
    this.#fetched = fetched;
    this.#aborted = new AbortedTransactions(fetched.aborted);
    this.#batchAt = fetched.start;
    this.position = fetched.askedOffset;
    this.#onUsedUp = fetched.onUsedUp;
  }

  next(): boolean {
    this.groupIndex += 1;
    if (this.groupIndex >= this.group.count) {
      if (!this.#nextGroup()) return this.#usedUp();
      if (this.unreadable !== undefined) return true;
    }
    this.#show();
    return true;
  }

  skip(count: number): void {
    this.groupIndex += count;
    this.#show();
  }

  #show(): void {
    const { group, groupIndex: index } = this;
    this.offset = this.#baseOffset + group.offsetDeltas[index]!;
    this.timestamp = this.logAppendTime ? this.batchTimestamp : this.#baseTimestamp + group.timestampDeltas[index]!;
    this.keyStart = group.starts[index]!;
    this.keyLength = group.lengths[index]!;
    this.valueStart = group.valueStarts[index]!;
    this.valueLength = group.valueLengths[index]!;
    this.position = this.offset + 1;
  }

  #usedUp(): false {
    this.bytes = NO_BYTES;
    this.#onUsedUp?.();
    this.#onUsedUp = undefined;
    return false;
  }

  get hasHeaders(): boolean {
    return this.#hasHeaders(this.groupIndex);
  }

  headers(): readonly RecordHeader[] {
    return this.headersOf(this.groupIndex);
  }

  #hasHeaders(index: number): boolean {
    return index < this.group.count && this.bytes[this.group.headersStarts[index]!] !== 0;
  }

  headersOf(index: number): readonly RecordHeader[] {
    if (!this.#hasHeaders(index)) return NO_HEADERS;
    try {
      const { headersStarts, headersEnds } = this.group;
      return readHeaders(this.bytes, headersStarts[index]!, headersEnds[index]!);
    } catch (error) {
      // Key and value are sound: a caller that passes over whole batches needs nothing else.
      if (this.#fetched.passesUnreadable === true && error instanceof MalformedBytes) return [];
      throw this.#unreadable(error);
    }
  }

  /**
   * Unpacks the next records, of this batch or a later one, or stops at an unreadable batch. False at the end.
   */
  #nextGroup(): boolean {
    this.groupIndex = 0;
    this.unreadable = undefined;
    for (;;) {
      this.#fill(this.#fetched.askedOffset - this.#baseOffset);
      if (this.group.count > 0 || this.#isUnreadable()) return true;
      if (!this.#enterBatch()) return false;
      if (this.#isUnreadable()) return true;
    }
  }

  /** TypeScript does not see that a call has set it. */
  #isUnreadable(): boolean {
    return this.unreadable !== undefined;
  }

  #fill(fromDelta: number): void {
    try {
      this.group.fill(fromDelta);
    } catch (error) {
      this.#passBatch(error);
    }
  }

  /** Stands on what is left of the batch, if anything is. @throws PartitionStopped where the fetch does not allow it. */
  #passBatch(error: unknown): void {
    if (this.#fetched.passesUnreadable !== true || !(error instanceof MalformedBytes)) throw this.#unreadable(error);
    const lastOffset = this.#lastOffset;
    const offset = Math.max(this.#baseOffset, this.position);
    this.group.close();
    this.bytes = NO_BYTES;
    if (offset > lastOffset) return;
    const reason = error instanceof UnpacksTooLarge ? 'batch-too-large' : 'batch-unreadable';
    const detail = `records ${offset} to ${lastOffset} of the batch at offset ${this.#baseOffset} cannot be read: ${error.message}`;
    this.offset = offset;
    this.timestamp = this.batchTimestamp;
    this.keyLength = -1;
    this.valueLength = -1;
    this.position = lastOffset + 1;
    this.unreadable = { reason, detail, lastOffset, records: lastOffset - offset + 1 };
  }

  /** Enters the next batch; one that has nothing to show leaves no records. False at the end. */
  #enterBatch(): boolean {
    const { bytes, end, nextOffset } = this.#fetched;
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
    const { bytes } = this.#fetched;
    this.#baseOffset = readInt64(bytes, at + layout.BASE_OFFSET_AT);
    this.#lastOffset = this.#baseOffset + readInt32(bytes, at + layout.LAST_OFFSET_DELTA_AT);
    this.batchChecksum = readInt32(bytes, at + layout.CHECKSUM_AT) >>> 0;
    this.batchLeaderEpoch = readInt32(bytes, at + layout.LEADER_EPOCH_AT);
    this.batchTimestamp = readInt64(bytes, at + layout.GREATEST_TIMESTAMP_AT);
    this.#verify(at, batchEnd);
    const attributes = (bytes[at + layout.ATTRIBUTES_AT]! << 8) | bytes[at + layout.ATTRIBUTES_AT + 1]!;
    if (this.#passesOver(at, batchEnd, attributes, this.#lastOffset)) return;
    this.#baseTimestamp = readInt64(bytes, at + layout.BASE_TIMESTAMP_AT);
    this.logAppendTime = (attributes & layout.LOG_APPEND_TIME_BIT) !== 0;
    try {
      this.#openRecords(at, batchEnd, attributes & layout.COMPRESSION_MASK);
    } catch (error) {
      this.#passBatch(error);
    }
  }

  #verify(at: number, batchEnd: number): void {
    const actual = crc32c(this.#fetched.bytes.subarray(at + layout.ATTRIBUTES_AT, batchEnd));
    if (actual !== this.batchChecksum)
      throw this.#stopped(
        `its checksum is ${actual.toString(16)}, the header says ${this.batchChecksum.toString(16)}`,
        'the copy of this log on its leader is damaged: move the leadership to another replica, then restart this partition',
      );
  }

  /** True if the whole batch is to be passed over. Sees every batch, so that transactions open and end. */
  #passesOver(at: number, batchEnd: number, attributes: number, lastOffset: number): boolean {
    if ((attributes & layout.TRANSACTIONAL_BIT) === 0) return (attributes & layout.CONTROL_BIT) !== 0;
    const producerId = readInt64(this.#fetched.bytes, at + layout.PRODUCER_ID_AT);
    if ((attributes & layout.CONTROL_BIT) === 0) return this.#aborted.covers(producerId, lastOffset);
    if (this.#isAbortMarker(at, batchEnd)) this.#aborted.ended(producerId, lastOffset);
    return true;
  }

  #isAbortMarker(at: number, batchEnd: number): boolean {
    const { group } = this;
    const { bytes } = this.#fetched;
    try {
      const count = readInt32(bytes, at + layout.RECORD_COUNT_AT);
      // No broker writes more than one, and the rest would be read for nothing.
      if (count > 1) throw new MalformedBytes(`it is a control batch of ${count} records`);
      this.#openRecords(at, batchEnd, 0);
      group.fill(-Infinity);
    } catch (error) {
      throw this.#unreadable(error);
    }
    const isEmpty = group.count === 0;
    const [keyStart, keyLength] = [group.starts[0]!, group.lengths[0]!];
    // Markers are for the reader, not for its callers.
    group.close();
    if (isEmpty) return false;
    if (keyLength < CONTROL_KEY_BYTES) throw this.#unreadable(new MalformedBytes('its control record has no type'));
    return ((bytes[keyStart + 2]! << 8) | bytes[keyStart + 3]!) === layout.ABORT_MARKER;
  }

  #openRecords(at: number, batchEnd: number, compression: number): void {
    const { bytes } = this.#fetched;
    const count = readInt32(bytes, at + layout.RECORD_COUNT_AT);
    if (count < 0) throw new MalformedBytes(`it claims ${count} records`);
    const deltaMax = this.#lastOffset - this.#baseOffset;
    if (compression === 0 || count === 0) {
      this.bytes = bytes;
      this.group.open(bytes, at + layout.RECORDS_AT, batchEnd, count, deltaMax);
      return;
    }
    this.bytes = unpack(compression, bytes.subarray(at + layout.RECORDS_AT, batchEnd));
    this.group.open(this.bytes, 0, this.bytes.length, count, deltaMax);
  }

  #unreadable(error: unknown): PartitionStopped {
    const why = messageOf(error);
    return this.#stopped(
      why,
      'its checksum is right, so it was written like this, and no replica has it otherwise',
      error,
    );
  }

  #stopped(why: string, remedy: string, error?: unknown): PartitionStopped {
    const { topic, partition } = this.#fetched.source;
    const message = `${topic}-${partition}: the batch at offset ${this.#baseOffset} cannot be read: ${why}; ${remedy}`;
    return new PartitionStopped(message, error);
  }
}
