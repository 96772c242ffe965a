import type { BatchFingerprint } from '@flatline/ports';
import { readInt32, readInt64 } from '../connection/protocol-bytes.ts';
import * as layout from './layout.ts';

/** Fingerprint of the batch that holds `offset`, if it is the first in these bytes and at least its header is there. */
export function fingerprintIn(bytes: Buffer, start: number, end: number, offset: number): BatchFingerprint | undefined {
  if (end - start < layout.RECORDS_AT || bytes[start + layout.MAGIC_AT] !== layout.MAGIC) return undefined;
  const baseOffset = readInt64(bytes, start + layout.BASE_OFFSET_AT);
  const lastOffset = baseOffset + readInt32(bytes, start + layout.LAST_OFFSET_DELTA_AT);
  if (offset < baseOffset || offset > lastOffset) return undefined;
  return {
    checksum: readInt32(bytes, start + layout.CHECKSUM_AT) >>> 0,
    leaderEpoch: readInt32(bytes, start + layout.LEADER_EPOCH_AT),
    batchTimestamp: readInt64(bytes, start + layout.GREATEST_TIMESTAMP_AT),
  };
}
