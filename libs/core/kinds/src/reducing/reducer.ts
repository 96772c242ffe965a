// A reducer as an application writes it (S10): what a session, or a window, comes to, event by event.
import type { ReducerEvent } from './built-in/reducer-event.ts';
import { type Declared, declaredType, NoDeclaredType, type WrittenSchema } from './declared-type.ts';
import { encoded, NotOfType } from './encoding.ts';

/** Functions without side effects, of nothing but their arguments: a replay calls them again, and so does whoever checks. */
export interface ReducerFunctions<State, Result> {
  /** The state before the first event. */
  initial(): State;
  /** The state with the event; `state` may be changed and returned. A throw refuses the event, and leaves the state as it was. */
  add(state: State, event: ReducerEvent): State;
  /** The state of two sessions that turn out to be one (C7), the one whose time comes first, first. */
  merge(earlier: State, later: State): State;
  /** Turns the state into the result. Default: the state. */
  finish?(state: State): Result;
}

export interface ReducerDefinition<State, Result = State> extends ReducerFunctions<State, Result> {
  /** Avro schema of the state. It may evolve: what was kept by the former one is read as Avro resolves it. */
  readonly state: WrittenSchema;
  /** Avro schema of what `finish` returns. Default: the state's. */
  readonly result?: WrittenSchema;
  /** Bytes of the longest state, encoded: an event beyond it is refused. 1 to 65536; default: 16384. */
  readonly maxStateBytes?: number;
  /** Raise it where the functions change: what another version came to is not judged by this one. Default: 1. */
  readonly version?: number;
}

/** Bytes of a state, unless its reducer says otherwise. */
export const STATE_BYTES_DEFAULT = 16_384;
/** More would make a summary too long for a record. */
export const STATE_BYTES_LIMIT = 65_536;

/** The same for each copy of this package: a configuration may import another one than the program does. */
const BRAND = Symbol.for('flatline.reducer');

/** A reducer that was defined: a value for `reducer` of a pipeline. */
export interface Reducer {
  readonly [BRAND]: true;
  readonly definition: ReducerDefinition<unknown, unknown>;
  readonly state: Declared;
  readonly result: Declared;
  /** The state before the first event, encoded. */
  readonly initial: Uint8Array;
  readonly maxStateBytes: number;
  readonly version: number;
}

const FUNCTIONS = ['initial', 'add', 'merge'] as const;
const KNOWN: readonly string[] = [...FUNCTIONS, 'finish', 'state', 'result', 'maxStateBytes', 'version'];

/**
 * Defines a reducer for a configuration in TypeScript or JavaScript.
 * @throws TypeError for what is no reducer: a function that is missing, a schema that is none, an option unknown.
 */
export function defineReducer<State, Result = State>(definition: ReducerDefinition<State, Result>): Reducer {
  const { maxStateBytes = STATE_BYTES_DEFAULT, version = 1 } = definition;
  const unknown = Object.keys(definition).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new TypeError(`defineReducer: ${unknown} is none of ${KNOWN.join(', ')}`);
  for (const name of FUNCTIONS)
    if (typeof definition[name] !== 'function') throw new TypeError(`defineReducer: ${name} is a function, and needed`);
  if (definition.finish === undefined && definition.result !== undefined)
    throw new TypeError('defineReducer: result is the schema of what finish returns, and there is no finish');
  if (definition.finish !== undefined && definition.result === undefined)
    throw new TypeError('defineReducer: finish needs result, the Avro schema of what it returns');
  if (!Number.isInteger(maxStateBytes) || maxStateBytes < 1 || maxStateBytes > STATE_BYTES_LIMIT)
    throw new TypeError(`defineReducer: maxStateBytes is ${maxStateBytes}, wanted 1 to ${STATE_BYTES_LIMIT}`);
  if (!Number.isSafeInteger(version) || version < 0)
    throw new TypeError(`defineReducer: version is ${version}, wanted an integer from 0 on`);
  const state = read('state', definition.state);
  const result = definition.result === undefined ? state : read('result', definition.result);
  // States and results are only ever handed to the functions that they came from.
  const erased = definition as ReducerDefinition<unknown, unknown>;
  if (result.type.kind === 'union' || result.type.kind === 'null')
    throw new TypeError('defineReducer: the result is a union, or null: put it into a record');
  const initial = encodedAs('initial', state, definition.initial());
  if (initial.length > maxStateBytes)
    throw new TypeError(`defineReducer: initial has ${initial.length} bytes, maxStateBytes is ${maxStateBytes}`);
  if (definition.finish !== undefined) encodedAs('finish', result, definition.finish(definition.initial()));
  return { [BRAND]: true, definition: erased, state, result, initial, maxStateBytes, version };
}

function encodedAs(name: string, { type }: Declared, value: unknown): Uint8Array {
  try {
    return encoded(type, value);
  } catch (error) {
    if (!(error instanceof NotOfType)) throw error;
    const words = `defineReducer: what ${name} returns does not fit its schema: ${error.message}`;
    throw new TypeError(words, { cause: error });
  }
}

export function isReducer(value: unknown): value is Reducer {
  return typeof value === 'object' && value !== null && BRAND in value;
}

function read(name: string, schema: WrittenSchema): Declared {
  try {
    return declaredType(schema);
  } catch (error) {
    if (error instanceof NoDeclaredType)
      throw new TypeError(`defineReducer: ${name}: ${error.message}`, { cause: error });
    throw error;
  }
}
