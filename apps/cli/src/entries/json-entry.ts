// An entry as HTTP says it, back in the form that is shown: maps and bytes instead of their JSON. Pure.
import type { ShownEntry } from '@flatline/processor';

/** Fields of an answer that are not the entry's. */
const AROUND = 'key keyBase64 pipeline kind partition owner state entries asOf from lagMs detail retryAfterMs'.split(
  ' ',
);

/** The key's bytes. */
export function keyIn({ key, keyBase64 }: { readonly key: string; readonly keyBase64?: string }): Uint8Array {
  return keyBase64 === undefined ? Buffer.from(key) : Buffer.from(keyBase64, 'base64');
}

/** `said`: an entry, or an answer with the fields of one. */
export function entryIn(said: object): ShownEntry {
  const fields = Object.entries(said).filter(([name]) => !AROUND.includes(name));
  return Object.fromEntries(fields.map(([name, value]) => [name, revived(value)]));
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(elementOf);
  return bytesIn(value) ?? new Map(Object.entries(value));
}

/** One of a list: a waiter, a header. */
function elementOf(element: unknown): unknown {
  if (typeof element !== 'object' || element === null) return element;
  return Object.fromEntries(Object.entries(element).map(([name, value]) => [name, revived(value)]));
}

/** A map of attributes has texts only, one of counts numbers only. */
function bytesIn(value: object): Uint8Array | undefined {
  const { length, text, base64 } = value as { readonly [name: string]: unknown };
  if (typeof length !== 'number') return undefined;
  if (typeof text === 'string') return Buffer.from(text);
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
}
