// Reads record batches of format 2 (KIP-98) as a leader sends them: every batch, and every record of those that count. Naive, and
// shares nothing with the product's cursor: a record read here and skipped there is a violation (X3, V4).
//
// Invariants
//   RB1  A batch whose checksum is wrong was damaged in the log, and ends the reading (R3).
//   RB2  A batch whose checksum is right and whose records cannot be read was written that way: in the input (`isInput`) it is one
//        bad record, from the first unreadable one to its last (I1); elsewhere it ends the reading.
//   RB3  Records of control batches and of aborted transactions are not returned.
import { BrokenBytes, ByteWalk } from './byte-walk.ts';
import { crc32c } from './crc32c.ts';
import type { BatchMark, RawHeader } from './history.ts';
import type { RawRecord } from './raw-record.ts';

/** A transaction that ended in an abort, as the leader lists it beside the batches that it sends. */
export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

/**
 * Unpacks the records of a batch. `code`: the low three bits of its attributes, not 0.
 * @throws anything if the bytes are malformed, or unpack to more than `mostBytes`.
 */
export type Unpack = (code: number, packed: Uint8Array, mostBytes: number) => Uint8Array;

export interface BatchReading {
  /** Records below it are skipped: a leader sends whole batches. */
  readonly from: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly unpack: Unpack;
  /** RB2 */
  readonly isInput: boolean;
}

export interface ReadBatches {
  readonly batches: readonly BatchMark[];
  readonly records: readonly RawRecord[];
  /** Offset behind the last whole batch; `from` if there is none. */
  readonly nextOffset: number;
}

interface Batch extends BatchMark {
  readonly isControl: boolean;
  readonly compression: number;
  readonly logAppendTime: boolean;
  readonly baseTimestamp: number;
  readonly greatestTimestamp: number;
  readonly count: number;
  /** The records as sent, packed or not. */
  readonly packed: Uint8Array;
}

/** Bytes of base offset and length, which the length does not count. */
const PREFIX_BYTES = 12;
/** Bytes before the records. */
const HEADER_BYTES = 61;
/** Where the bytes that the checksum covers begin. */
const CHECKED_FROM = 21;
const FORMAT = 2;
/** Maximum bytes to which a batch may unpack (I1). */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
const ABORT = 0;

/** `bytes`: the records of one answer; the last batch may be cut off. @throws BrokenBytes */
export function readBatches(bytes: Uint8Array, reading: BatchReading): ReadBatches {
  const batches = split(bytes).map(readHeader);
  batches.forEach(({ baseOffset, lastOffset }, at) => {
    const before = batches[at - 1]?.lastOffset ?? -1;
    if (baseOffset <= before || lastOffset < baseOffset)
      throw new BrokenBytes(`has a batch of offsets ${baseOffset} to ${lastOffset} behind offset ${before}`);
  });
  const aborted = abortedAmong(batches, reading.aborted);
  const counting = batches.filter((batch) => !batch.isControl && !aborted.has(batch));
  return {
    batches: batches.map(({ baseOffset, lastOffset, producerId, producerEpoch, transactional, marker }) => ({
      baseOffset,
      lastOffset,
      producerId,
      producerEpoch,
      transactional,
      marker,
    })),
    records: counting.flatMap((batch) => recordsOf(batch, reading)),
    nextOffset: Math.max(reading.from, (batches.at(-1)?.lastOffset ?? -1) + 1),
  };
}

/** Splits off the batches. One that is cut off is dropped, once its format is known to allow that. */
function split(bytes: Uint8Array): Uint8Array[] {
  const batches: Uint8Array[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const header = new ByteWalk(bytes.subarray(at));
    const baseOffset = header.int64();
    const length = header.int32();
    header.int32(); // leader epoch
    const format = header.byte();
    if (format !== FORMAT)
      throw new BrokenBytes(`has a batch at offset ${baseOffset} of message format ${format}, known is ${FORMAT}`);
    const end = at + PREFIX_BYTES + length;
    if (end < at + HEADER_BYTES)
      throw new BrokenBytes(`has a batch at offset ${baseOffset} that claims a length of ${length}`);
    if (end > bytes.length) break;
    batches.push(bytes.subarray(at, end));
    at = end;
  }
  return batches;
}

/** @throws BrokenBytes: RB1 */
function readHeader(bytes: Uint8Array): Batch {
  const header = new ByteWalk(bytes);
  const baseOffset = header.int64();
  header.int32(); // length
  header.int32(); // leader epoch
  header.byte(); // format
  const checksum = header.uint32();
  const found = crc32c(bytes.subarray(CHECKED_FROM));
  if (checksum !== found)
    throw new BrokenBytes(
      `has a batch at offset ${baseOffset} that says its checksum is ${checksum}, and it is ${found}`,
    );
  const attributes = header.uint16();
  const lastOffset = baseOffset + header.int32();
  const [baseTimestamp, greatestTimestamp] = [header.int64(), header.int64()];
  const [producerId, producerEpoch] = [header.int64(), header.int16()];
  header.int32(); // base sequence
  const count = header.int32();
  const packed = header.bytes(header.left);
  const has = (bit: number): boolean => Math.floor(attributes / bit) % 2 === 1;
  return {
    baseOffset,
    lastOffset,
    producerId,
    producerEpoch,
    baseTimestamp,
    greatestTimestamp,
    count,
    packed,
    compression: attributes % 8,
    logAppendTime: has(8),
    transactional: has(16),
    isControl: has(32),
    marker: has(32) && has(16) ? markerIn(packed, count) : undefined,
  };
}

/** Reads a control record's key: version and type. One that was compacted away says nothing, and hides nothing. */
function markerIn(packed: Uint8Array, count: number): 'commit' | 'abort' | undefined {
  if (count === 0) return undefined;
  if (count !== 1) throw new BrokenBytes(`has a control batch of ${count} records`);
  const { key } = readRecord(new ByteWalk(packed));
  const said = new ByteWalk(key ?? new Uint8Array());
  said.int16();
  return said.int16() === ABORT ? 'abort' : 'commit';
}

/** Returns the batches of aborted transactions: from their first offset up to their producer's next abort marker. */
function abortedAmong(batches: readonly Batch[], aborted: readonly AbortedTransaction[]): ReadonlySet<Batch> {
  const beginnings = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const open = new Set<number>();
  const found = new Set<Batch>();
  let at = 0;
  for (const batch of batches) {
    for (; at < beginnings.length && beginnings[at]!.firstOffset <= batch.baseOffset; at += 1)
      open.add(beginnings[at]!.producerId);
    if (batch.marker === 'abort') open.delete(batch.producerId);
    else if (batch.transactional && open.has(batch.producerId)) found.add(batch);
  }
  return found;
}

function recordsOf(batch: Batch, { from, unpack, isInput }: BatchReading): RawRecord[] {
  const records: RawRecord[] = [];
  let nextDelta = 0;
  try {
    if (batch.count < 0) throw new BrokenBytes(`claims ${batch.count} records`);
    const isPacked = batch.compression !== 0 && batch.count > 0;
    const bytes = new ByteWalk(isPacked ? unpack(batch.compression, batch.packed, UNPACKED_BYTES_MAX) : batch.packed);
    for (let left = batch.count; left > 0; left -= 1) {
      const { offsetDelta, timestampDelta, key, value, rest } = readRecord(bytes);
      const offset = batch.baseOffset + offsetDelta;
      if (offsetDelta < nextDelta || offset > batch.lastOffset)
        throw new BrokenBytes(`holds offset ${offset} out of its order`);
      nextDelta = offsetDelta + 1;
      if (offset < from) continue;
      const timestamp = batch.logAppendTime ? batch.greatestTimestamp : batch.baseTimestamp + timestampDelta;
      records.push({
        offset,
        timestamp,
        key,
        value,
        logAppendTime: batch.logAppendTime,
        headers: headersIn(rest, isInput),
      });
    }
  } catch (error) {
    if (!isInput)
      throw new BrokenBytes(`has a batch at offset ${batch.baseOffset} that cannot be read: ${String(error)}`);
    const offset = Math.max(from, batch.baseOffset + nextDelta);
    if (offset <= batch.lastOffset) records.push(unreadable(batch, offset));
  }
  return records;
}

/** RB2 */
function unreadable({ greatestTimestamp, logAppendTime, lastOffset }: Batch, offset: number): RawRecord {
  const nothing = { key: null, value: null, headers: [] };
  return { offset, timestamp: greatestTimestamp, logAppendTime, lastOffset, ...nothing };
}

interface RecordParts {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** Positioned at its headers. */
  readonly rest: ByteWalk;
}

/** @throws BrokenBytes */
function readRecord(batch: ByteWalk): RecordParts {
  const record = new ByteWalk(batch.bytes(batch.varint()));
  record.byte(); // attributes, unused in this format
  const timestampDelta = record.varlong();
  const offsetDelta = record.varint();
  const [key, value] = [blockIn(record), blockIn(record)];
  if (record.left === 0) throw new BrokenBytes('holds a record without its headers');
  return { offsetDelta, timestampDelta, key, value, rest: record };
}

/** Reads a length and as many bytes; −1: null. Returns a copy. */
function blockIn(record: ByteWalk): Uint8Array | null {
  const length = record.varint();
  return length === -1 ? null : Uint8Array.prototype.slice.call(record.bytes(length));
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Key and value may be sound where headers are malformed: in the input those then count as none. @throws BrokenBytes */
function headersIn(record: ByteWalk, isInput: boolean): readonly RawHeader[] {
  try {
    return readHeaders(record);
  } catch (error) {
    if (isInput && error instanceof BrokenBytes) return [];
    throw error;
  }
}

function readHeaders(record: ByteWalk): readonly RawHeader[] {
  const headers: RawHeader[] = [];
  const count = record.varint();
  if (count < 0) throw new BrokenBytes(`has a record that claims ${count} headers`);
  for (let left = count; left > 0; left -= 1) {
    const name = blockIn(record);
    if (name === null) throw new BrokenBytes('has a header without a name');
    headers.push({ name: utf8.decode(name), value: blockIn(record) });
  }
  return headers;
}
