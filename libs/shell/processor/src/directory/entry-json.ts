// Entries and keys as JSON says them: maps as objects, bytes as text, or in base64 where they are none.
import type { ShownEntry } from '@flatline/kinds';
import { isUtf8 } from 'node:buffer';

/** A key in JSON: `key` as text, and `keyBase64` beside it where its bytes are no UTF-8. */
export interface KeyFields {
  readonly key: string;
  readonly keyBase64?: string;
}

export function keyFields(key: Uint8Array): KeyFields {
  const bytes = Buffer.from(key);
  return { key: bytes.toString('utf8'), ...(!isUtf8(bytes) && { keyBase64: bytes.toString('base64') }) };
}

/** A copy: the entry may change or go as soon as the event loop goes on. */
export function entryFields(entry: ShownEntry): Readonly<Record<string, unknown>> {
  return plain(entry) as Readonly<Record<string, unknown>>;
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesFields(value);
  // fromEntries defines `__proto__` as a property like any other (I3).
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, each]) => [name, plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

function bytesFields(bytes: Uint8Array): object {
  const { length } = bytes;
  const buffer = Buffer.from(bytes);
  return isUtf8(bytes) ? { length, text: buffer.toString('utf8') } : { length, base64: buffer.toString('base64') };
}
