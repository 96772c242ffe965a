// A committed record of the output, as subscribers get it.
import { isUtf8 } from 'node:buffer';
import type { Millis } from '@flatline/base';
import type { RecordCursor, RecordHeader } from '@flatline/ports';
import { keyFields } from '../directory/entry-json.ts';

/** A copy of a record. Its key is a text of one character a byte, by which keys are found and compared. */
export interface Output {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: string;
  /** null: a tombstone. */
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The record at which the cursor stands, which has a key. */
export function copyOf(partition: number, cursor: RecordCursor): Output {
  const { bytes, keyStart, keyLength, valueStart, valueLength, offset, timestamp } = cursor;
  return {
    partition,
    offset,
    timestamp,
    key: latin1(bytes.subarray(keyStart, keyStart + keyLength)),
    value: valueLength < 0 ? null : Buffer.from(bytes.subarray(valueStart, valueStart + valueLength)),
    headers: cursor.hasHeaders
      ? cursor.headers().map(({ name, value }) => ({ name, value: value && Uint8Array.from(value) }))
      : [],
  };
}

/** Memory that it takes, about. */
export function bytesOf({ key, value, headers }: Output): number {
  let bytes = 200 + key.length + (value?.length ?? 0);
  for (const { name, value: said } of headers) bytes += 64 + name.length + (said?.length ?? 0);
  return bytes;
}

/**
 * One line of JSON: key, place in the log, headers, and the value: what is JSON as it is, other text in `valueText`, other bytes in
 * `valueBase64`, a tombstone as null.
 */
export function outputJson({ partition, offset, timestamp, key, value, headers }: Output): string {
  const named = headers.map(({ name, value: said }): [string, unknown] => [name, said && headerText(said)]);
  const head = JSON.stringify({
    ...keyFields(Buffer.from(key, 'latin1')),
    partition,
    offset,
    timestamp,
    ...(named.length > 0 && { headers: Object.fromEntries(named) }),
  });
  return `${head.slice(0, -1)},${valueMember(value)}}`;
}

function valueMember(value: Buffer | null): string {
  if (value === null) return '"value":null';
  if (!isUtf8(value)) return `"valueBase64":"${value.toString('base64')}"`;
  const text = value.toString('utf8');
  const parsed = jsonIn(text);
  if (parsed === undefined) return `"valueText":${JSON.stringify(text)}`;
  // As it is written, with all digits of its numbers, unless it has lines, which events end at.
  return `"value":${LINE_END.test(text) ? JSON.stringify(parsed.value) : text}`;
}

const LINE_END = /[\r\n]/;

function jsonIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function headerText(value: Uint8Array): unknown {
  const bytes = Buffer.from(value);
  return isUtf8(bytes) ? bytes.toString('utf8') : { base64: bytes.toString('base64') };
}
