// Acts of an operator, as records on the input (docs/FORMATS.md, Acts).
import { utf8In } from './byte-names.ts';
import type { AskedEviction } from './evictions.ts';
import type { InputRecord, RawHeader } from './history.ts';
import { jsonObject } from './json-event.ts';

const TEXT_BYTES_MAX = 512;
const VALUE_BYTES_MAX = 16_384;

export function hasCommand(headers: readonly RawHeader[] | undefined, command: string): boolean {
  return (headers ?? []).some(
    ({ name, value }) => name === 'flatline-command' && value !== null && utf8In(value) === command,
  );
}

/** Reads a record without a key that says EVICT. */
export function evictionIn({ value, offset }: InputRecord): AskedEviction | 'bad' {
  if (value === null || value.length === 0 || value.length > VALUE_BYTES_MAX) return 'bad';
  const said = jsonObject(value);
  if (said === undefined || Object.keys(said).length !== 2) return 'bad';
  const { attribute, equals } = said;
  return isShort(attribute) && isShort(equals) ? { attribute, equals, offset } : 'bad';
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && text.isWellFormed() && new TextEncoder().encode(text).length <= TEXT_BYTES_MAX;
}
