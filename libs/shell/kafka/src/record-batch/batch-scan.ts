import { MalformedBytes } from '@flatline/base';
import { readInt32, readInt64 } from '../connection/protocol-bytes.ts';
import {
  BASE_OFFSET_AT,
  BATCH_LENGTH_AT,
  BATCH_PREFIX_BYTES,
  LAST_OFFSET_DELTA_AT,
  LEADER_EPOCH_AT,
  MAGIC,
  MAGIC_AT,
  RECORDS_AT,
} from './layout.ts';

/** The whole batches at the front of a fetch answer's bytes. */
export interface BatchScan {
  /** Where the last whole batch ends; behind it lies at most a cut-off one. */
  readonly end: number;
  /** The offset after the last whole batch; where there is none, the offset asked for. */
  readonly nextOffset: number;
  /** The last whole batch's; −1 without one. */
  readonly leaderEpoch: number;
}

/**
 * Walks the headers only. Answers end where the byte limit fell, so a cut-off batch at the end is no fault.
 * @throws MalformedBytes on a batch that is not of format 2, or that goes back in the log.
 */
export function scanBatches(bytes: Buffer, start: number, limit: number, askedOffset: number): BatchScan {
  let at = start;
  let nextOffset = -1;
  let leaderEpoch = -1;
  while (at + RECORDS_AT <= limit) {
    const baseOffset = readInt64(bytes, at + BASE_OFFSET_AT);
    const end = at + BATCH_PREFIX_BYTES + batchLength(bytes, at, baseOffset);
    if (end > limit) break;
    const lastOffset = baseOffset + readInt32(bytes, at + LAST_OFFSET_DELTA_AT);
    if (baseOffset < nextOffset || lastOffset < baseOffset)
      throw new MalformedBytes(
        `a batch of offsets ${baseOffset} to ${lastOffset} comes after offset ${nextOffset - 1}`,
      );
    nextOffset = lastOffset + 1;
    leaderEpoch = readInt32(bytes, at + LEADER_EPOCH_AT);
    at = end;
  }
  return { end: at, nextOffset: Math.max(nextOffset, askedOffset), leaderEpoch };
}

function batchLength(bytes: Buffer, at: number, baseOffset: number): number {
  const magic = bytes[at + MAGIC_AT]!;
  if (magic < MAGIC)
    throw new MalformedBytes(
      `the records at offset ${baseOffset} are in message format ${magic}, which brokers wrote before 0.11; copy the topic to a new one`,
    );
  if (magic > MAGIC) throw new MalformedBytes(`the batch at offset ${baseOffset} is of unknown format ${magic}`);
  const length = readInt32(bytes, at + BATCH_LENGTH_AT);
  if (length < RECORDS_AT - BATCH_PREFIX_BYTES)
    throw new MalformedBytes(`the batch at offset ${baseOffset} claims a length of ${length}`);
  return length;
}
