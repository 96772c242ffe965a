import { copyBytes, type Millis } from '@flatline/base';
import type { RecordCursor, RecordHeader } from './ports/log-reader.ts';

/**
 * Bytes of dead letters that wait for a cut before stepping pauses: each is a copy, of up to the topic's max.message.bytes, and
 * their number alone would let gigabytes wait. One run of records may come on top.
 */
export const DEAD_LETTER_BYTES_MAX = 4 * 1024 * 1024;

/** A record that could not be applied, unchanged, with the reason (I1). */
export interface DeadLetter {
  /** A stable code: `null-key`, `key-too-long`, `bad-timestamp`, or one of the decoder's. */
  readonly reason: string;
  /** For people: what was found and what is allowed. */
  readonly detail: string;
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

/** Copies the record out of the fetch answer, which will be reused. */
export function deadLetter(cursor: RecordCursor, reason: string, detail: string): DeadLetter {
  return {
    reason,
    detail,
    offset: cursor.offset,
    timestamp: cursor.timestamp,
    key: copy(cursor.bytes, cursor.keyStart, cursor.keyLength),
    value: copy(cursor.bytes, cursor.valueStart, cursor.valueLength),
    headers: cursor.hasHeaders
      ? cursor.headers().map(({ name, value }) => ({ name, value: value && copyBytes(value, 0, value.length) }))
      : [],
  };
}

/** What it holds in memory, roughly. */
export function letterBytes({ key, value, headers }: DeadLetter): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const { name, value: content } of headers) bytes += name.length + (content?.length ?? 0);
  return bytes;
}

function copy(bytes: Uint8Array, start: number, length: number): Uint8Array | null {
  return length < 0 ? null : copyBytes(bytes, start, start + length);
}
