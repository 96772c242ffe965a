// Compares two things with the same fields. Foreign values may be nested as deep as a record is long, so the comparison does not
// recurse.

import { mayBeHash } from './attributes-in.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Lists the names of the fields that differ, with both values; empty if none does. A field left out equals null. */
export function fieldDifferences(found: Fields, expected: Fields): string[] {
  return [...new Set([...Object.keys(found), ...Object.keys(expected)])].flatMap((name) =>
    isSame(found[name], expected[name])
      ? []
      : [`${name} is ${shown(found[name])}, by the input ${shown(expected[name])}`],
  );
}

/** For immutable parts that are compared again and again: the part that each was last found equal to. */
const lastEqual = new WeakMap<object, object | undefined>();

/** Registers an immutable part, which is compared with an equal once, however often they meet. */
export function compareOnce(part: object): void {
  lastEqual.set(part, undefined);
}

/**
 * Objects and maps are equal in any order of their fields; lists only in the same order. A hash that could not be reckoned is equal to
 * what may be one (E1).
 */
export function isSame(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  const met: [object, object][] = [];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b || mayBeHash(a, b)) continue;
    if (isObject(a) && isObject(b) && lastEqual.has(a)) {
      if (lastEqual.get(a) === b) continue;
      met.push([a, b]);
    }
    if (a instanceof Uint8Array && b instanceof Uint8Array) {
      if (!hasSameBytes(a, b)) return false;
      continue;
    }
    const [ours, theirs] = [partsOf(a), partsOf(b)];
    if (ours === undefined || theirs === undefined) {
      if (ours !== theirs || typeof a === 'string' || typeof b === 'string' || plainText(a) !== plainText(b))
        return false;
    } else if (ours.kind !== theirs.kind || ours.parts.size !== theirs.parts.size) return false;
    else
      for (const [name, part] of ours.parts) {
        if (!theirs.parts.has(name)) return false;
        pairs.push([part, theirs.parts.get(name)]);
      }
  }
  for (const [a, b] of met) lastEqual.set(a, b);
  return true;
}

function hasSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

interface Parts {
  readonly kind: 'bytes' | 'list' | 'fields';
  readonly parts: ReadonlyMap<unknown, unknown>;
}

/** undefined: it has no parts. */
function partsOf(value: unknown): Parts | undefined {
  if (!isObject(value)) return undefined;
  if (value instanceof Uint8Array) return { kind: 'bytes', parts: new Map([['', value]]) };
  if (Array.isArray(value)) return { kind: 'list', parts: new Map(value.entries()) };
  if (value instanceof Map) return { kind: 'fields', parts: value as ReadonlyMap<unknown, unknown> };
  return { kind: 'fields', parts: new Map(Object.entries(value)) };
}

function plainText(value: unknown): string {
  return value === undefined || value === null ? 'none' : JSON.stringify(value);
}

/** Maximum depth to which a value is shown, and length of a text or of bytes. */
const DEPTH_MAX = 16;
const TEXT_MAX = 1_000;
const BYTES_MAX = 500;

export function shown(value: unknown, depth = 0): string {
  if (value instanceof Uint8Array) return shownBytes(value);
  const found = partsOf(value);
  if (found === undefined) return typeof value === 'string' ? shownText(value) : plainText(value);
  if (depth === DEPTH_MAX) return '…';
  const { kind, parts } = found;
  if (kind === 'list') return `[${[...parts.values()].map((each) => shown(each, depth + 1)).join()}]`;
  return `{${[...parts]
    .map(([name, each]) => `${JSON.stringify(name)}:${shown(each, depth + 1)}`)
    .sort()
    .join()}}`;
}

function shownText(text: string): string {
  if (text.length <= TEXT_MAX) return JSON.stringify(text);
  return `${JSON.stringify(`${text.slice(0, TEXT_MAX)}…`)} of ${text.length} characters`;
}

function shownBytes(bytes: Uint8Array): string {
  if (bytes.length <= BYTES_MAX) return `[${bytes.join()}]`;
  return `[${bytes.subarray(0, BYTES_MAX).join()},…] of ${bytes.length} bytes`;
}
