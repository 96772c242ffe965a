// A session's result by its reducer, as plainly as S10 says it. The application's functions are the same that the processor
// calls: they are data to both.
import { type BuiltInPart, added, finished, initialOf, merged, type SeenFields, setTextBytes } from './built-ins.ts';
import { unawaited } from '@flatline/base';
import { bytesOf, evolved, fingerprintOf, NoValue, type Schema, valueIn } from './state-type.ts';

/** Functions of an application. */
export interface ReducerFunctions {
  initial(): unknown;
  add(state: unknown, event: unknown): unknown;
  merge(earlier: unknown, later: unknown): unknown;
  finish?(state: unknown): unknown;
}

/** As the settings of a commit say it. */
export interface ReducerRules {
  readonly maxStateBytes: number;
  readonly state: Schema;
  readonly result: Schema;
  readonly builtIn?: Readonly<Record<string, BuiltInPart>> | undefined;
  readonly version?: number;
  /** The application's functions, where today's are those of then. A function, so that no text shows it. */
  readonly functions?: (() => ReducerFunctions) | undefined;
}

/** An event as a reducer sees it. */
export interface Seen extends SeenFields {
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly effectiveAt: number;
  /** True if not all of it is known. */
  readonly isUndecided?: boolean;
}

/** A state by its schema, as hexadecimal bytes; `UNDECIDED`: made by functions that are not those of today. */
export type ReducedState = string;
export const UNDECIDED = 'undecided';

const RESULT_TIMES = 8;
const RESULT_MORE_BYTES = 2_048;

/** Schemas of states that were met, by their fingerprints. */
const schemas = new Map<number, Schema>();

/** Has states of that schema read. */
export function learnSchema(schema: Schema): void {
  schemas.set(fingerprintOf(schema), schema);
}

/** The event is refused. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The reducer of a pipeline's rules: of today's, or as a text has it. */
function said(rules: object): ReducerRules {
  return rules as ReducerRules;
}

/** @throws Refused */
export function reducedWith(
  of: object,
  before: ReducedState | undefined,
  { isUndecided = false, ...seen }: Seen,
): ReducedState {
  const rules = said(of);
  const by = functionsOf(rules);
  if (by === undefined || before === UNDECIDED || isUndecided) return UNDECIDED;
  return made(rules, () => by.add(stateOf(rules, by, before), seen));
}

/** @throws Refused */
export function reducedOfBoth(of: object, earlier: ReducedState, later: ReducedState): ReducedState {
  const rules = said(of);
  const by = functionsOf(rules);
  if (by === undefined || earlier === UNDECIDED || later === UNDECIDED) return UNDECIDED;
  return made(rules, () => by.merge(stateOf(rules, by, earlier), stateOf(rules, by, later)));
}

/** `UNDECIDED`, or the result; null: it cannot be finished. */
export function finishedOf(of: object, state: ReducedState | undefined): unknown {
  const rules = said(of);
  const by = functionsOf(rules);
  if (by === undefined || state === UNDECIDED) return UNDECIDED;
  try {
    const { value, bytes } = resultOf(rules, by, stateOf(rules, by, state));
    return bytes > mostOf(rules) ? null : value;
  } catch {
    return null;
  }
}

/** Bytes that it takes of an entry's state. */
export function reducedSize(state: ReducedState | undefined): number {
  return state === undefined || state === UNDECIDED ? 0 : 4 + state.length / 2;
}

function made(rules: ReducerRules, make: () => unknown): ReducedState {
  try {
    const bytes = bytesOf(rules.state, unawaited(make()));
    if (bytes.length > rules.maxStateBytes) throw new Refused('it is too large');
    const by = functionsOf(rules)!;
    if (rules.builtIn === undefined) {
      const { bytes: result } = resultOf(rules, by, valueIn(rules.state, Uint8Array.from(bytes)));
      if (result > mostOf(rules)) throw new Refused('its result is too large');
    }
    learnSchema(rules.state);
    return hexOf([...word(fingerprintOf(rules.state)), ...bytes]);
  } catch (error) {
    // Whatever the functions throw.
    throw error instanceof Refused
      ? error
      : new Refused(error instanceof NoValue ? error.message : 'the reducer threw');
  }
}

function mostOf({ maxStateBytes, result }: ReducerRules): number {
  return RESULT_TIMES * maxStateBytes + RESULT_MORE_BYTES + new TextEncoder().encode(JSON.stringify(result)).length;
}

function resultOf(
  { result }: ReducerRules,
  by: ReducerFunctions,
  state: unknown,
): { readonly value: unknown; readonly bytes: number } {
  const avro = bytesOf(result, by.finish === undefined ? state : unawaited(by.finish(state)));
  const value = valueIn(result, Uint8Array.from(avro));
  const json = new TextEncoder().encode(JSON.stringify(plain(value))).length;
  return { value: plain(value), bytes: Math.max(avro.length, json) };
}

/** As JSON has it. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return btoa([...value].map((byte) => String.fromCharCode(byte)).join(''));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value);
  return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]));
}

/**
 * A copy in objects without a prototype: a key of an event means nothing but itself. Not by recursion: a value may be nested as
 * deep as it is long.
 */
export function bare(value: unknown): unknown {
  const holder: unknown[] = [value];
  const left: object[] = [holder];
  for (let at = left.pop(); at !== undefined; at = left.pop())
    for (const [name, each] of Object.entries(at)) {
      if (typeof each !== 'object' || each === null || each instanceof Uint8Array) continue;
      const copy: object = Array.isArray(each) ? [...(each as unknown[])] : ownOf(each as object);
      Object.defineProperty(at, name, { value: copy, writable: true, enumerable: true, configurable: true });
      left.push(copy);
    }
  return holder[0];
}

function ownOf(members: object): object {
  const object = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of members instanceof Map ? (members as Map<string, unknown>) : Object.entries(members))
    object[name] = each;
  return object;
}

function stateOf(rules: ReducerRules, by: ReducerFunctions, state: ReducedState | undefined): unknown {
  if (state === undefined) return valueIn(rules.state, Uint8Array.from(bytesOf(rules.state, by.initial())));
  const bytes = bytesIn(state);
  const schema = schemas.get(new DataView(bytes.buffer).getUint32(0, true));
  if (schema === undefined) throw new NoValue('a state of a schema that no settings have');
  return evolved(valueIn(schema, bytes.slice(4)), schema, rules.state);
}

/** undefined: they are not known. */
function functionsOf({ builtIn, functions, maxStateBytes }: ReducerRules): ReducerFunctions | undefined {
  if (builtIn === undefined) return functions?.();
  const parts = Object.entries(builtIn);
  const textBytes = setTextBytes(Object.values(builtIn), maxStateBytes);
  const each = (make: (part: BuiltInPart, name: string) => unknown): Record<string, unknown> =>
    Object.fromEntries(parts.map(([name, part]) => [name, make(part, name)]));
  type States = Readonly<Record<string, unknown>>;
  return {
    initial: () => each(initialOf),
    add: (state, seen) => each((part, name) => added(part, (state as States)[name], seen as SeenFields, textBytes)),
    merge: (a, b) => each((part, name) => merged(part, (a as States)[name], (b as States)[name], textBytes)),
    finish: (state) => each((part, name) => finished(part, (state as States)[name])),
  };
}

function word(value: number): number[] {
  return [
    value % 256,
    Math.floor(value / 2 ** 8) % 256,
    Math.floor(value / 2 ** 16) % 256,
    Math.floor(value / 2 ** 24),
  ];
}

export function hexOf(bytes: Iterable<number>): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesIn(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}
