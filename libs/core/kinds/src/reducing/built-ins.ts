// Reducers that a configuration names, in any of its forms (S10): a record of parts, each by its operation.
import type { ReducerEvent } from './built-in/reducer-event.ts';
import { defineReducer, type Reducer } from './reducer.ts';
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

/** `parts` are as the configuration's form has checked them. */
export function builtInReducer(parts: BuiltIns): Reducer {
  const all = Object.entries(parts).map(([name, part]) => ({ name, part: partOf(name, part) }));
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
  });
}

function partOf(name: string, part: BuiltInPart): Part {
  // Each part is handed what it has returned itself.
  return made(name, part);
}

function made(name: string, part: BuiltInPart) {
  if ('first' in part) return edge('first', name, part.first);
  if ('last' in part) return edge('last', name, part.last);
  if ('min' in part) return extreme('min', name, part.min);
  if ('max' in part) return extreme('max', name, part.max);
  if ('sum' in part) return sum('sum', name, part.sum);
  if ('mean' in part) return sum('mean', name, part.mean);
  if ('set' in part) return distinct(name, part.set);
  return funnel(name, part.funnel);
}
