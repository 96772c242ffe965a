// Reads the record of an eviction (Q4).
import type { Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { EVICT, EVICTION_TEXT_BYTES_MAX } from '@flatline/ports/formats';
import { bad, type Bad } from '../refusals.ts';
import { commandBytes, commands } from './command.ts';
import { type Eviction, eviction } from './eviction.ts';

/** Bytes of these two in JSON with everything escaped, and some blanks. */
const VALUE_BYTES_MAX = 16 * 1_024;

const EVICT_BYTES = commandBytes(EVICT);
const toUtf8 = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function asksEviction(headers: readonly RecordHeader[]): boolean {
  return commands(headers, EVICT_BYTES);
}

/** Reads the value of its record, `bytes[start, start + length)`. */
export function readEviction(
  bytes: Uint8Array,
  { start, length, place, at }: { start: number; length: number; place: number; at: Millis },
): Eviction | Bad {
  const wanted = 'the value of an EVICT is {"attribute": "…", "equals": "…"}';
  if (length <= 0) return bad('invalid-command', `${wanted}, and there is none`);
  if (length > VALUE_BYTES_MAX)
    return bad('invalid-command', `${wanted} of at most ${VALUE_BYTES_MAX} bytes, and has ${length}`);
  const said = parsed(bytes.slice(start, start + length));
  if (typeof said !== 'object' || said === null || Array.isArray(said))
    return bad('invalid-command', `${wanted}, and it is no JSON object`);
  // If an unknown member were ignored, more would end than was meant.
  const names = Object.keys(said).sort().join();
  const { attribute, equals } = said as Readonly<Record<string, unknown>>;
  if (names !== 'attribute,equals' || !isText(attribute) || !isText(equals))
    return bad('invalid-command', `${wanted}: these two, texts of at most ${EVICTION_TEXT_BYTES_MAX} bytes`);
  return eviction(attribute, equals, place, at);
}

/** undefined: it is no JSON. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined; // that is the answer
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed() && toUtf8.encode(value).length <= EVICTION_TEXT_BYTES_MAX;
}
