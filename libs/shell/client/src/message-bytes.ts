// Encodes key, value and headers of a record as an application gives them.
import { KEY_BYTES_MAX, utf8Of } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { OWN_HEADERS } from '@flatline/ports/formats';
import { BadInput } from '@flatline/records';
import { shown } from './check-options.ts';

/** A key: text becomes UTF-8, bytes stay as they are. */
export type RecordKey = string | Uint8Array;

/** A value: bytes stay as they are, text becomes UTF-8, whatever else JSON holds becomes JSON. */
export type RecordValue = Uint8Array | string | number | boolean | object;

/** Headers by name; a name comes once. */
export type RecordHeaders = Readonly<Record<string, string | Uint8Array>> | ReadonlyMap<string, string | Uint8Array>;

const WANTED = 'give bytes (Uint8Array), text, or what JSON holds: an object, an array, a number, true or false';

/** JSON would be `{}`. A promise may lack its `await`. */
const NOTHING_IN_JSON = /^\[object (?<found>ArrayBuffer|SharedArrayBuffer|Promise|Blob|File|Error)\]$/;

/** @throws BadInput for a key that no pipeline takes */
export function keyBytes(key: RecordKey): Uint8Array {
  const bytes = bytesOf(key);
  if (bytes === undefined) throw new TypeError(`the key is ${String(key)}: give text or bytes`);
  if (bytes.length <= KEY_BYTES_MAX) return bytes;
  const most = `a key has at most ${KEY_BYTES_MAX} bytes, or the maxKeyBytes of its pipeline`;
  throw new BadInput('key-too-long', `the key has ${bytes.length} bytes: ${most}`);
}

/** `instead`: what to do rather than give null. @throws TypeError for what is no value */
export function valueBytes(call: string, value: unknown, instead: string): Uint8Array {
  const refused = (found: string): TypeError => new TypeError(`${call}: the value is ${found}: ${WANTED}`);
  const bytes = bytesOf(value);
  if (bytes !== undefined) return bytes;
  if (value === null) throw new TypeError(`${call}: the value is null: ${instead}. JSON's null is the text 'null'`);
  if (typeof value === 'number' && !Number.isFinite(value)) throw refused(String(value));
  // JSON would drop its content.
  if (typeof value === 'object' && Symbol.iterator in value && !Array.isArray(value)) throw refused(shown(value));
  const { found } = NOTHING_IN_JSON.exec(Object.prototype.toString.call(value))?.groups ?? {};
  if (found !== undefined) throw refused(found);
  const json = jsonOf(call, value);
  if (json === undefined) throw refused(shown(value));
  return utf8Of(json);
}

/** undefined: JSON cannot express it. */
function jsonOf(call: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new TypeError(`${call}: the value cannot be written as JSON: ${WANTED}`, { cause: error });
  }
}

/** @throws TypeError for a name of Flatline's own, and for what is neither text nor bytes */
export function headersOf(call: string, headers: RecordHeaders | undefined): RecordHeader[] {
  if (headers === undefined) return [];
  const pairs: Iterable<readonly [unknown, unknown]> = Symbol.iterator in headers ? headers : Object.entries(headers);
  return [...pairs].map(([name, content]) => {
    const value = bytesOf(content);
    if (typeof name !== 'string' || value === undefined)
      throw new TypeError(`${call}: the header ${String(name)} is ${shown(content)}: give text or bytes (Uint8Array)`);
    if (name.startsWith(OWN_HEADERS))
      throw new TypeError(`${call}: the header ${name}: names that begin with ${OWN_HEADERS} are Flatline's own`);
    return { name, value };
  });
}

/** undefined: neither text nor bytes. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return utf8Of(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  return value instanceof Uint8Array ? value : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
