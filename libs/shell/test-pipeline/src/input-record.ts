// Encodes the records of a test as a producer would.
import type { RecordHeader } from '@flatline/ports';
import { shown } from './shown.ts';

/**
 * Headers by name: text, numbers and booleans as text, bytes as they are, of several of one name an array; or in their order, each
 * with its name.
 */
export type Headers =
  | Readonly<Record<string, HeaderValue | readonly HeaderValue[]>>
  | readonly { readonly name: string; readonly value: HeaderValue }[];
type HeaderValue = string | number | boolean | Uint8Array | null;

const utf8 = new TextEncoder();

/** @throws TypeError */
export function keyBytes(call: string, key: unknown): Uint8Array | null {
  if (key === null) return null;
  const bytes = bytesOf(key);
  if (bytes !== undefined) return bytes;
  throw new TypeError(`${call}: the key is ${shown(key)}: give text, bytes (Uint8Array) or null`);
}

/** Left out: an empty value, a bare heartbeat. Anything but text and bytes goes as JSON. @throws TypeError */
export function valueBytes(call: string, value: unknown): Uint8Array | null {
  if (value === null) return null;
  if (value === undefined) return new Uint8Array(0);
  const bytes = bytesOf(value) ?? bytesOf(jsonOf(call, value));
  if (bytes !== undefined) return bytes;
  throw new TypeError(`${call}: the value is ${shown(value)}: give an object, text, bytes (Uint8Array) or null`);
}

/** @throws TypeError */
export function headersOf(call: string, headers: unknown): RecordHeader[] {
  if (headers === undefined) return [];
  if (typeof headers !== 'object' || headers === null)
    throw new TypeError(`${call}: the headers are ${shown(headers)}: give an object, as { 'flatline-delay-ms': 1000 }`);
  return namedValues(call, headers).map(({ name, value }) => ({ name, value: headerBytes(call, name, value) }));
}

function namedValues(call: string, headers: object): readonly { readonly name: string; readonly value: unknown }[] {
  if (!Array.isArray(headers))
    return Object.entries(headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each: unknown) => ({ name, value: each })),
    );
  return headers.map((each: unknown) => {
    const { name, value } = (each ?? {}) as { readonly name?: unknown; readonly value?: unknown };
    if (typeof name !== 'string')
      throw new TypeError(`${call}: the name of a header is ${shown(name)}: give a list of { name, value }`);
    return { name, value };
  });
}

function headerBytes(call: string, name: string, value: unknown): Uint8Array | null {
  if (value === null || value === undefined) return null;
  const bytes = bytesOf(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value);
  if (bytes !== undefined) return bytes;
  throw new TypeError(`${call}: the header ${name} is ${shown(value)}: give text, a number, bytes or null`);
}

/** A copy: a test may write over its own bytes. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return utf8.encode(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
}

function jsonOf(call: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const why = (error as { readonly message?: unknown }).message;
    throw new TypeError(`${call}: the value is no JSON (${String(why)})`, { cause: error });
  }
}
