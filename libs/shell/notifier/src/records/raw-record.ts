import type { Millis } from '@flatline/base';
import { copyBytes } from '@flatline/base';
import type { RecordCursor, RecordHeader } from '@flatline/ports';

/** A record as it lies on its topic: copies. */
export interface RawRecord {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

/** The record on which the cursor stands. */
export function rawOf(cursor: RecordCursor): RawRecord {
  const { offset, timestamp, bytes, keyStart, keyLength, valueStart, valueLength } = cursor;
  return {
    offset,
    timestamp,
    key: keyLength < 0 ? null : copyBytes(bytes, keyStart, keyStart + keyLength),
    value: valueLength < 0 ? null : copyBytes(bytes, valueStart, valueStart + valueLength),
    headers: cursor.hasHeaders
      ? cursor.headers().map(({ name, value }) => ({ name, value: value && copyBytes(value, 0, value.length) }))
      : [],
  };
}
