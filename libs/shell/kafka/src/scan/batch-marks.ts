// What the headers of batches say of transactions, to check a log rather than read it.
import { readInt32, readInt64 } from '../connection/protocol-bytes.ts';
import * as layout from '../record-batch/layout.ts';

/** A batch as it lies in the log, whether a read_committed reader is shown its records or not. */
export interface BatchMark {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** −1: of no idempotent producer. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly transactional: boolean;
  /** Set on the batch that ends a transaction. */
  readonly marker: 'commit' | 'abort' | undefined;
}

/** Length, attributes and two deltas come before the key of a record; the first ones of a marker take a byte each. */
const CONTROL_RECORD_FIELDS = 3;

/** Marks of whole batches, as `scanBatches` found them. */
export function batchMarks(bytes: Buffer, start: number, end: number): BatchMark[] {
  const marks: BatchMark[] = [];
  for (let at = start; at < end; at += layout.BATCH_PREFIX_BYTES + readInt32(bytes, at + layout.BATCH_LENGTH_AT)) {
    const baseOffset = readInt64(bytes, at + layout.BASE_OFFSET_AT);
    const attributes = bytes.readInt16BE(at + layout.ATTRIBUTES_AT);
    marks.push({
      baseOffset,
      lastOffset: baseOffset + readInt32(bytes, at + layout.LAST_OFFSET_DELTA_AT),
      producerId: readInt64(bytes, at + layout.PRODUCER_ID_AT),
      producerEpoch: bytes.readInt16BE(at + layout.PRODUCER_EPOCH_AT),
      transactional: (attributes & layout.TRANSACTIONAL_BIT) !== 0,
      marker: (attributes & layout.CONTROL_BIT) === 0 ? undefined : markerAt(bytes, at),
    });
  }
  return marks;
}

/** Control batches are not compressed. A batch whose marker was compacted away has no record left, and ends nothing. */
function markerAt(bytes: Buffer, batchAt: number): 'commit' | 'abort' | undefined {
  if (readInt32(bytes, batchAt + layout.RECORD_COUNT_AT) === 0) return undefined;
  let at = afterVarint(bytes, batchAt + layout.RECORDS_AT) + 1;
  for (let left = CONTROL_RECORD_FIELDS; left > 0; left -= 1) at = afterVarint(bytes, at);
  return bytes.readInt16BE(at + 2) === layout.ABORT_MARKER ? 'abort' : 'commit';
}

function afterVarint(bytes: Buffer, at: number): number {
  let end = at;
  while (bytes[end]! >= 0x80) end += 1;
  return end + 1;
}
