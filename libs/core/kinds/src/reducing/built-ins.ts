// Reducers that a configuration names, in any of its forms (S10): a record of parts, each by its operation.
import type { ReducerEvent } from './built-in/reducer-event.ts';
import { defineReducer, type Reducer, STATE_BYTES_DEFAULT } from './reducer.ts';
import { SET_TEXT_BYTES_LEAST, TEXT_BYTES_MAX } from './built-in/bounds.ts';
import { funnel, type FunnelOptions } from './built-in/funnel.ts';
import { extreme, sum } from './built-in/numbers.ts';
import type { Part } from './built-in/part.ts';
import { distinct, edge } from './built-in/values.ts';

/** JSON pointers into the value, but for sets and funnels, which have more to say. */
export type BuiltInPart =
  | { readonly first: string }
  | { readonly last: string }
  | { readonly min: string }
  | { readonly max: string }
  | { readonly sum: string }
  | { readonly mean: string }
  | { readonly set: { readonly field: string; readonly max: number } }
  | { readonly funnel: FunnelOptions };

/** By the names under which the result has them. */
export type BuiltIns = Readonly<Record<string, BuiltInPart>>;

/** Name of the records that hold the parts. */
const WHOLE = 'Reduced';

type States = Record<string, unknown>;

/** `parts` are as the configuration has checked them. `maxStateBytes`: of the longest state, `leastStateBytes` or more. */
export function builtInReducer(parts: BuiltIns, maxStateBytes: number = STATE_BYTES_DEFAULT): Reducer {
  const textBytes = setTextBytes(parts, maxStateBytes);
  const all = Object.entries(parts).map(([name, part]) => ({ name, part: partOf(name, part, textBytes) }));
  const record = (fields: readonly object[]): object => ({ type: 'record', name: WHOLE, fields });
  const each = (make: (part: Part, name: string) => unknown): States =>
    Object.fromEntries(all.map(({ name, part }) => [name, make(part, name)]));
  return defineReducer<States, States>({
    state: record(all.map(({ name, part }) => ({ name, type: part.state, default: part.initial }))) as never,
    result: record(all.map(({ name, part }) => ({ name, type: part.result }))) as never,
    initial: () => each(({ initial }) => initial),
    add: (state, event: ReducerEvent) => each((part, name) => part.add(state[name], event)),
    merge: (a, b) => each((part, name) => part.merge(a[name], b[name])),
    finish: (state) => each((part, name) => part.finish(state[name])),
    maxStateBytes,
  });
}

/** Bytes of a state in which the parts have room for whatever comes. */
export function leastStateBytes(parts: BuiltIns): number {
  return bytesMaxOf(parts, SET_TEXT_BYTES_LEAST);
}

/** Bytes of a text in any of the sets: each value of them has the same room. */
function setTextBytes(parts: BuiltIns, maxStateBytes: number): number {
  const values = Object.values(parts).reduce((sum, part) => sum + ('set' in part ? part.set.max : 0), 0);
  const left = Math.max(0, maxStateBytes - leastStateBytes(parts));
  return Math.min(TEXT_BYTES_MAX, SET_TEXT_BYTES_LEAST + Math.floor(left / Math.max(values, 1)));
}

function bytesMaxOf(parts: BuiltIns, textBytes: number): number {
  return Object.entries(parts).reduce((sum, [name, part]) => sum + partOf(name, part, textBytes).bytesMax, 0);
}

function partOf(name: string, part: BuiltInPart, textBytes: number): Part {
  // Each part is handed what it has returned itself.
  return made(name, part, textBytes);
}

function made(name: string, part: BuiltInPart, textBytes: number) {
  if ('first' in part) return edge('first', name, part.first);
  if ('last' in part) return edge('last', name, part.last);
  if ('min' in part) return extreme('min', name, part.min);
  if ('max' in part) return extreme('max', name, part.max);
  if ('sum' in part) return sum('sum', name, part.sum);
  if ('mean' in part) return sum('mean', name, part.mean);
  if ('set' in part) return distinct(name, part.set, textBytes);
  return funnel(name, part.funnel);
}
