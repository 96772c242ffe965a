// A built-in reducer is a record of parts, each of which reduces what stands at one place of the event's value (S10).
//
// A part's result does not depend on the order in which events come: so it is exact in sessions that disorder has joined (C7), too.
import type { Millis } from '@flatline/base';
import type { ReducerEvent } from './reducer-event.ts';

export interface Part<State = unknown> {
  /** Avro schemas; `name` of the part is in their names, so that another operation is another type. */
  readonly state: unknown;
  readonly result: unknown;
  /** The state before the first event, as JSON: the default where a part is new. */
  readonly initial: State;
  /** Upper bound of an encoded state, whatever comes. */
  readonly bytesMax: number;
  add(state: State, event: ReducerEvent): State;
  merge(earlier: State, later: State): State;
  finish(state: State): unknown;
}

/** A value that is kept as it is. */
export type Scalar = boolean | number | string;

export const SCALAR = ['boolean', 'double', 'string'] as const;
export const SCALAR_OR_NONE = ['null', ...SCALAR] as const;

/** A text that is no Unicode could not be kept. */
export function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
}

/** A value, and the event that brought it: by its time, and of one instant by its place in the log. */
export interface Dated {
  readonly value: Scalar;
  readonly at: Millis;
  readonly offset: number;
}

export function isBefore(a: Dated, b: Dated): boolean {
  return a.at < b.at || (a.at === b.at && a.offset < b.offset);
}

export function datedFields(name: string): unknown {
  return {
    type: 'record',
    name,
    fields: [
      { name: 'value', type: SCALAR },
      { name: 'at', type: 'long' },
      { name: 'offset', type: 'long' },
    ],
  };
}
