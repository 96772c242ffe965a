// Reads an event that a producer wrote in JSON (docs/FORMATS.md, Input): parses the whole, then looks at each field.
import type { EventFields, InputEvent } from './history.ts';
import { utf8In } from './byte-names.ts';

export const HEARTBEAT = 'HEARTBEAT';
const TYPE_LENGTH_MAX = 64;
const EVENT_ID_LENGTH_MAX = 256;
const SOURCE_BYTES_MAX = 64;
/** Last instant that a `Date` can represent, in ms (I5). */
const LAST_INSTANT = 8.64e15;

/** Reads an event. `bad`: the value is not one (I1). */
export function jsonEvent(value: Uint8Array): InputEvent | 'bad' {
  const fields = jsonObject(value);
  if (fields === undefined) return 'bad';
  return eventOf(isOthersSource(fields) ? { ...fields, source: undefined } : fields);
}

/** S5: true for a field that has this name by chance. */
function isOthersSource({ source, sequence }: EventFields): boolean {
  if (typeof source !== 'string') return true;
  return !isSource(source) && (sequence === undefined || sequence === null);
}

/** undefined: not a JSON object in UTF-8. */
export function jsonObject(value: Uint8Array): EventFields | undefined {
  const text = utf8In(value);
  if (text === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as unknown;
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined; // that is the answer
  }
}

/** The same, for fields of any format. `attributes` is an object or a map. */
export function eventOf(fields: EventFields): InputEvent | 'bad' {
  const present = (name: string): unknown => fields[name] ?? undefined;
  const [type, occurredAt, eventId] = [present('type'), present('occurredAt'), present('eventId')];
  const [sequence, timeoutMs] = [present('sequence'), present('timeoutMs')];
  if (!isAbsentOr(isText(TYPE_LENGTH_MAX), type) || !isAbsentOr(isText(EVENT_ID_LENGTH_MAX), eventId)) return 'bad';
  if (!isAbsentOr(isInteger(0, LAST_INSTANT), occurredAt) || !isAbsentOr(isInteger(0), sequence)) return 'bad';
  if (!isAbsentOr(isInteger(1), timeoutMs)) return 'bad';
  const source = present('source');
  if (!isAbsentOr(isSource, source)) return 'bad';
  const attributes = attributesOf(present('attributes'));
  if (attributes === 'bad') return 'bad';
  // JSON can express −0, which counts as 0.
  const positive = (value: number | undefined): number | undefined => (value === 0 ? 0 : value);
  const [at, number] = [positive(occurredAt), positive(sequence)];
  return { type: type ?? HEARTBEAT, occurredAt: at, eventId, sequence: number, timeoutMs, attributes, source };
}

/** An empty map counts as no field. */
function attributesOf(found: unknown): ReadonlyMap<string, string> | undefined | 'bad' {
  if (found === undefined) return undefined;
  if (!isObject(found)) return 'bad';
  const entries = found instanceof Map ? [...(found as ReadonlyMap<string, unknown>)] : Object.entries(found);
  const texts: [string, string][] = [];
  for (const [name, value] of entries) {
    if (typeof value !== 'string' || !value.isWellFormed() || !name.isWellFormed()) return 'bad';
    texts.push([name, value]);
  }
  return texts.length === 0 ? undefined : new Map(texts);
}

function isObject(value: unknown): value is EventFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsentOr<T>(is: (value: unknown) => value is T, value: unknown): value is T | undefined {
  return value === undefined || is(value);
}

/** True if a source may be named so (S5). */
export function isSource(value: unknown): value is string {
  return isText(SOURCE_BYTES_MAX)(value) && new TextEncoder().encode(value).length <= SOURCE_BYTES_MAX;
}

/** Refuses half of a surrogate pair, which UTF-8 cannot encode. */
function isText(most: number): (value: unknown) => value is string {
  return (value): value is string =>
    typeof value === 'string' && value.length >= 1 && value.length <= most && value.isWellFormed();
}

function isInteger(least: number, most = Number.MAX_SAFE_INTEGER): (value: unknown) => value is number {
  return (value): value is number => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
}
