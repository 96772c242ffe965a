import { copyBytes, type Millis } from '@flatline/base';
import type {
  DeadLetterReason,
  UntimedRecord,
  RecordCursor,
  RecordHeader,
  Truncation,
  UnreadableBatch,
} from '@flatline/ports';

export interface DeadLetterLimits {
  /**
   * Bytes of dead letters that wait for a cut before stepping pauses: each is a copy, of up to the topic's
   * max.message.bytes, and their number alone would let gigabytes wait. One letter may come on top.
   */
  readonly waitingBytesMax: () => number;
  /** Maximum bytes of a batch with one letter: the dead-letter topic's max.message.bytes. Longer letters are truncated. */
  readonly letterBytesMax: number;
}

/** Header of a batch, framing of a record, and the headers that say where a letter is from, at their longest. */
const OWN_BYTES = 700;
/** Characters of the header that gives the reason. */
const DETAIL_LENGTH_MAX = 1_000;

/** In a record batch the length comes before a key, a value or a header, in up to five bytes, and in one below 64. */
const LENGTH_BYTES = 5;
const SHORT_MAX = 64;

/** A record that could not be applied, with the reason (I1): unchanged but for what does not fit the topic. */
export interface DeadLetter {
  readonly reason: DeadLetterReason;
  /** Human-readable: what was found and what is allowed. */
  readonly detail: string;
  /** The input that it is of, counted from 0; undefined: it is an output, with the place by which it came about (P3). */
  readonly input: number | undefined;
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
  readonly truncated?: Truncation;
  /** It stands for all records from `offset` to this one's end. */
  readonly batch?: Pick<UnreadableBatch, 'lastOffset' | 'records'>;
}

/** Copies the record out of the fetch answer, which will be reused, as far as it fits `bytesMax`. */
export function deadLetter(
  cursor: RecordCursor,
  reason: DeadLetterReason,
  found: string,
  { bytesMax, input = 0 }: { readonly bytesMax: number; readonly input?: number },
): DeadLetter {
  const { bytes, offset, timestamp, keyStart, keyLength, valueStart, valueLength, unreadable } = cursor;
  const detail = found.slice(0, DETAIL_LENGTH_MAX);
  const headers = cursor.hasHeaders ? cursor.headers() : [];
  const { keyKept, valueKept, headersFit } = fitting({ keyLength, valueLength, headers }, bytesMax - ownBytes(detail));
  const truncated = truncationOf({ keyLength, valueLength, headers }, { keyKept, valueKept, headersFit });
  return {
    reason,
    detail,
    input,
    offset,
    timestamp,
    key: copy(bytes, keyStart, keyKept),
    value: copy(bytes, valueStart, valueKept),
    headers: headersFit ? headers.map(copyHeader) : [],
    ...(truncated && { truncated }),
    ...(unreadable && { batch: { lastOffset: unreadable.lastOffset, records: unreadable.records } }),
  };
}

/** An output of which a route makes no record. Copies it: it may lie in an entry's state, which changes before the commit. */
export function unroutableLetter(
  { key, value, headers = [] }: UntimedRecord,
  found: string,
  { bytesMax, offset, timestamp }: { readonly bytesMax: number; readonly offset: number; readonly timestamp: Millis },
): DeadLetter {
  const detail = found.slice(0, DETAIL_LENGTH_MAX);
  const lengths = { keyLength: key?.length ?? -1, valueLength: value?.length ?? -1, headers };
  const { keyKept, valueKept, headersFit } = fitting(lengths, bytesMax - ownBytes(detail));
  const truncated = truncationOf(lengths, { keyKept, valueKept, headersFit });
  return {
    reason: 'unroutable',
    detail,
    input: undefined,
    offset,
    timestamp,
    key: key && copy(key, 0, keyKept),
    value: value && copy(value, 0, valueKept),
    headers: headersFit ? headers.map(copyHeader) : [],
    ...(truncated && { truncated }),
  };
}

interface Parts {
  readonly keyLength: number;
  readonly valueLength: number;
  readonly headers: readonly RecordHeader[];
}

interface Kept {
  readonly keyKept: number;
  readonly valueKept: number;
  readonly headersFit: boolean;
}

/** undefined: all of it is kept. */
function truncationOf({ keyLength, valueLength, headers }: Parts, kept: Kept): Truncation | undefined {
  const { keyKept, valueKept, headersFit } = kept;
  if (keyKept >= keyLength && valueKept >= valueLength && headersFit) return undefined;
  return {
    ...(keyKept < keyLength && { keyBytes: keyLength }),
    ...(valueKept < valueLength && { valueBytes: valueLength }),
    ...(!headersFit && { headers: headers.length }),
  };
}

/** The value gives way first, then the headers, and the key, by which letters are found, last. */
function fitting({ keyLength, valueLength, headers }: Parts, bytes: number): Kept {
  const keyKept = Math.min(keyLength, Math.max(0, bytes - 3 * LENGTH_BYTES));
  const besideKey = bytes - partBytes(keyKept) - LENGTH_BYTES;
  const headersFit = headersBytes(headers) <= besideKey;
  const room = besideKey - headersBytes(headersFit ? headers : []);
  return { keyKept, valueKept: Math.min(valueLength, Math.max(0, room)), headersFit };
}

/** Its size in its topic, and about the same in memory. */
export function letterBytes({ key, value, headers, detail }: DeadLetter): number {
  return ownBytes(detail) + partBytes(key?.length ?? -1) + partBytes(value?.length ?? -1) + headersBytes(headers);
}

function ownBytes(detail: string): number {
  return OWN_BYTES + utf8Length(detail);
}

function partBytes(length: number): number {
  return LENGTH_BYTES + Math.max(0, length);
}

function headersBytes(headers: readonly RecordHeader[]): number {
  let bytes = LENGTH_BYTES;
  for (const { name, value } of headers)
    bytes += shortPartBytes(utf8Length(name)) + shortPartBytes(value?.length ?? -1);
  return bytes;
}

/** Headers come by the thousand, and mostly short. */
function shortPartBytes(length: number): number {
  return length < SHORT_MAX ? 1 + Math.max(0, length) : partBytes(length);
}

/** Bytes of a string; half of a surrogate pair is written as U+FFFD, of three. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const isPair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : isPair ? 4 : 3;
    if (isPair) i += 1;
  }
  return bytes;
}

function copyHeader({ name, value }: RecordHeader): RecordHeader {
  return { name, value: value && copyBytes(value, 0, value.length) };
}

function copy(bytes: Uint8Array, start: number, length: number): Uint8Array | null {
  return length < 0 ? null : copyBytes(bytes, start, start + length);
}
