// Built-in reducers, implemented a second time from docs/FORMATS.md (Reducers): as plainly as the page has them, with exact integers
// where the product sums doubles.
import { murmur3 } from '../../logs/murmur3.ts';

export interface SeenFields {
  readonly fields: unknown;
  readonly occurredAt: number;
  readonly offset: number;
}

/** An operation with its pointer, or what it has besides. */
export type BuiltInPart = Readonly<Record<string, unknown>>;

interface Dated {
  readonly value: boolean | number | string;
  readonly at: number;
  readonly offset: number;
}
interface Sum {
  readonly parts: readonly number[];
  readonly count: number;
}
interface Values {
  readonly values: readonly Dated[];
  readonly more: boolean;
}
interface Funnel {
  readonly times: Readonly<Record<string, readonly number[]>>;
}

const TEXT_BYTES_MAX = 1_024;
/** Bytes of a value with a text of no length. */
const DATED = 20;
const CUT_SEED = 0x43757421;
const TIMES_MAX = 8;
const utf8 = new TextEncoder();
const ADDEND_LIMIT = 2 ** 970;

/** Bytes of each text in a set: an equal share of what the state has left when everything else is at its longest. */
export function setTextBytes(parts: readonly BuiltInPart[], maxStateBytes: number): number {
  const sets = parts.flatMap((part) => ('set' in part ? [part['set'] as { readonly max: number }] : []));
  const values = sets.map(({ max }) => max).reduce((sum, max) => sum + max, 0);
  const others = parts.map(leastRoomOf).reduce((sum, bytes) => sum + bytes, 0);
  const left = maxStateBytes - others;
  return values === 0 ? 0 : Math.min(TEXT_BYTES_MAX, Math.floor(left / values) - DATED);
}

/** Without the values of a set. */
function leastRoomOf(part: BuiltInPart): number {
  const [operation, said] = Object.entries(part)[0]!;
  if (operation === 'first' || operation === 'last') return 1_048;
  if (operation === 'min' || operation === 'max') return 9;
  if (operation === 'sum' || operation === 'mean') return 340;
  if (operation === 'set') return 5;
  const { steps } = said as { readonly steps: readonly string[] };
  return 4 + steps.map((step) => 72 + utf8.encode(step).length).reduce((sum, bytes) => sum + bytes, 0);
}

/** Cuts a text that is too long, so that … and eight digits of its hash fit behind it. */
function shortened<Value>(value: Value, most: number): Value | string {
  if (typeof value !== 'string' || value.length <= most / 4) return value;
  const bytes = utf8.encode(value);
  if (bytes.length <= most) return value;
  let kept = '';
  let length = 0;
  for (const character of value) {
    length += utf8.encode(character).length;
    if (length > most - 11) break;
    kept += character;
  }
  return `${kept}…${(murmur3(bytes, CUT_SEED) >>> 0).toString(16).padStart(8, '0')}`;
}

/** The state before the first event. */
export function initialOf(part: BuiltInPart): unknown {
  const [operation] = Object.keys(part);
  if (operation === 'sum' || operation === 'mean') return { parts: [], count: 0 };
  if (operation === 'set') return { values: [], more: false };
  return operation === 'funnel' ? { times: {} } : null;
}

/** `textBytes`: of each text in a set. */
export function added(
  part: BuiltInPart,
  state: unknown,
  { fields, occurredAt: at, offset }: SeenFields,
  textBytes: number,
): unknown {
  const [operation, said] = Object.entries(part)[0]!;
  const { field, steps } = (typeof said === 'string' ? { field: said } : said) as {
    field: string;
    steps?: readonly string[];
  };
  const value = foundAt(fields, field);
  switch (operation) {
    case 'first':
    case 'last':
      return merged(part, state, isKept(value) ? { value: value === 0 ? 0 : value, at, offset } : null, textBytes);
    case 'min':
    case 'max':
      return isNumber(value) ? merged(part, state, { value: value === 0 ? 0 : value }, textBytes) : state;
    case 'sum':
    case 'mean':
      return isNumber(value) && Math.abs(value) < ADDEND_LIMIT
        ? merged(part, state, { parts: [value], count: 1 }, textBytes)
        : state;
    case 'set':
      return merged(
        part,
        state,
        { values: isKept(value) ? [{ value: value === 0 ? 0 : value, at, offset }] : [], more: false },
        textBytes,
      );
    default:
      return typeof value === 'string' && steps!.includes(value)
        ? merged(part, state, { times: Object.fromEntries([[value, [at]]]) }, textBytes)
        : merged(part, state, { times: {} }, textBytes);
  }
}

/** `textBytes`: of each text in a set. */
export function merged(part: BuiltInPart, one: unknown, other: unknown, textBytes: number): unknown {
  const [operation, said] = Object.entries(part)[0]!;
  if (operation === 'first' || operation === 'last') {
    const all = inOrder([one as Dated | null, other as Dated | null].filter((each) => each !== null));
    const chosen = operation === 'first' ? all[0] : all.at(-1);
    return chosen === undefined ? null : { ...chosen, value: shortened(chosen.value, TEXT_BYTES_MAX) };
  }
  if (one === null || other === null) return one ?? other;
  switch (operation) {
    case 'min':
      return { value: Math.min((one as Dated).value as number, (other as Dated).value as number) };
    case 'max':
      return { value: Math.max((one as Dated).value as number, (other as Dated).value as number) };
    case 'sum':
    case 'mean':
      return sumOf(one as Sum, other as Sum);
    case 'set':
      return setOf(one as Values, other as Values, (said as { readonly max: number }).max, textBytes);
    default:
      return timesOf(one as Funnel, other as Funnel, (said as { readonly steps: readonly string[] }).steps);
  }
}

export function finished(part: BuiltInPart, state: unknown): unknown {
  const [operation, said] = Object.entries(part)[0]!;
  switch (operation) {
    case 'sum':
      return (state as Sum).parts[0] ?? 0;
    case 'mean': {
      const { parts, count } = state as Sum;
      return count === 0 ? null : (parts[0] ?? 0) / count;
    }
    case 'set': {
      const { values, more } = state as Values;
      return { values: values.map(({ value }) => value), more };
    }
    case 'funnel':
      return reachedIn(state as Funnel, (said as { readonly steps: readonly string[] }).steps);
    default:
      return (state as Dated | null)?.value ?? null;
  }
}

function foundAt(fields: unknown, pointer: string): unknown {
  let found = fields;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.split('~1').join('/').split('~0').join('~');
    if (found instanceof Uint8Array || typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found)) found = /^(0|[1-9]\d*)$/.test(name) ? (found as unknown[])[Number(name)] : undefined;
    else found = Object.hasOwn(found, name) ? (found as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return found;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isKept(value: unknown): value is boolean | number | string {
  return typeof value === 'boolean' || isNumber(value) || (typeof value === 'string' && value.isWellFormed());
}

function inOrder<T extends Pick<Dated, 'at' | 'offset'>>(all: readonly T[]): T[] {
  return [...all].sort((a, b) => a.at - b.at || a.offset - b.offset);
}

function setOf(one: Values, other: Values, max: number, textBytes: number): Values {
  const first: Dated[] = [];
  const all = [...one.values, ...other.values].map((each) => ({ ...each, value: shortened(each.value, textBytes) }));
  for (const each of inOrder(all)) if (!first.some(({ value }) => value === each.value)) first.push(each);
  return { values: first.slice(0, max), more: one.more || other.more || first.length > max };
}

/** Drops steps that only former settings had. */
function timesOf(one: Funnel, other: Funnel, steps: readonly string[]): Funnel {
  const all = new Set([...Object.keys(one.times), ...Object.keys(other.times)].filter((step) => steps.includes(step)));
  const timesIn = ({ times }: Funnel, step: string): readonly number[] =>
    Object.hasOwn(times, step) ? times[step]! : [];
  const timed = [...all].map((step): [string, number[]] => {
    const times = [...new Set([...timesIn(one, step), ...timesIn(other, step)])].sort((a, b) => a - b);
    // The first ones, and the last.
    return [step, times.filter((_, i) => i < TIMES_MAX - 1 || i === times.length - 1)];
  });
  return { times: Object.fromEntries(timed) };
}

function reachedIn({ times }: Funnel, steps: readonly string[]): unknown {
  const reached: { step: string; at: number }[] = [];
  let from = -Infinity;
  for (const step of steps) {
    const at = (Object.hasOwn(times, step) ? times[step]! : []).filter((each) => each >= from);
    if (at.length === 0) break;
    from = Math.min(...at);
    reached.push({ step, at: from });
  }
  return { reached: reached.length, steps: reached };
}

/** Adds in units of 2^-1074: each double is a whole number of them. */
function sumOf(one: Sum, other: Sum): Sum {
  let rest = [...one.parts, ...other.parts].reduce((sum, each) => sum + unitsOf(each), 0n);
  const parts: number[] = [];
  for (let next = doubleOf(rest); next !== 0; next = doubleOf(rest)) {
    parts.push(next);
    rest -= unitsOf(next);
  }
  return { parts, count: one.count + other.count };
}

const view = new DataView(new ArrayBuffer(8));

function unitsOf(value: number): bigint {
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = bits >> 52n;
  const fraction = bits & 0xfffffffffffffn;
  const units = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
  return value < 0 ? -units : units;
}

/** Rounds to the nearest double, ties to even. */
function doubleOf(units: bigint): number {
  const magnitude = units < 0n ? -units : units;
  const length = magnitude.toString(2).length;
  let shift = BigInt(Math.max(0, length - 53));
  let top = magnitude >> shift;
  const left = magnitude - (top << shift);
  const half = shift === 0n ? 0n : 1n << (shift - 1n);
  if (shift > 0n && (left > half || (left === half && (top & 1n) === 1n))) top += 1n;
  if (top === 1n << 53n) {
    top >>= 1n;
    shift += 1n;
  }
  const bits = top < 1n << 52n ? top : ((shift + 1n) << 52n) + (top - (1n << 52n));
  view.setBigUint64(0, bits);
  return units < 0n ? -view.getFloat64(0) : view.getFloat64(0);
}
