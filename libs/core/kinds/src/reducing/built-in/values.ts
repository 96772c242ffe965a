// first and last of what stands at one place, by event time, and the set of different values up to so many.
import { pointer } from './json-pointer.ts';
import { type Dated, datedFields, isBefore, isScalar, type Part, SCALAR, SCALAR_OR_NONE } from './part.ts';
import type { ReducerEvent } from './reducer-event.ts';

export function edge(operation: 'first' | 'last', name: string, field: string): Part<Dated | null> {
  const dated = datedAt(field);
  const chosen = (a: Dated, b: Dated): Dated => (isBefore(a, b) === (operation === 'first') ? a : b);
  return {
    state: ['null', datedFields(`${operation}_${name}`)],
    result: SCALAR_OR_NONE,
    initial: null,
    add(state, event) {
      const found = dated(event);
      if (found === undefined) return state;
      return state === null ? found : chosen(state, found);
    },
    merge: (a, b) => (a === null || b === null ? (a ?? b) : chosen(a, b)),
    finish: (state) => state?.value ?? null,
  };
}

interface Values {
  /** In the order in which each came first. */
  readonly values: readonly Dated[];
  /** There were others. */
  readonly more: boolean;
}

/** Those that came first by event time, whatever the order in which they were heard. */
export function distinct(name: string, { field, max }: { readonly field: string; readonly max: number }): Part<Values> {
  const dated = datedAt(field);
  const united = (known: Values, others: readonly Dated[], more: boolean): Values => {
    const values = new Map(known.values.map((each) => [keyOf(each), each]));
    for (const each of others) {
      const held = values.get(keyOf(each));
      if (held === undefined || isBefore(each, held)) values.set(keyOf(each), each);
    }
    const inOrder = [...values.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1));
    return { values: inOrder.slice(0, max), more: known.more || more || inOrder.length > max };
  };
  return {
    state: {
      type: 'record',
      name: `set_${name}`,
      fields: [
        { name: 'values', type: { type: 'array', items: datedFields(`item_${name}`) } },
        { name: 'more', type: 'boolean' },
      ],
    },
    result: {
      type: 'record',
      name: `set_${name}`,
      fields: [
        { name: 'values', type: { type: 'array', items: SCALAR } },
        { name: 'more', type: 'boolean' },
      ],
    },
    initial: { values: [], more: false },
    add(state, event) {
      const found = dated(event);
      return found === undefined ? state : united(state, [found], false);
    },
    merge: (a, b) => united(a, b.values, b.more),
    finish: ({ values, more }) => ({ values: values.map(({ value }) => value), more }),
  };
}

function datedAt(field: string): (event: ReducerEvent) => Dated | undefined {
  const valueAt = pointer(field);
  return ({ fields, occurredAt: at, offset }) => {
    const value = valueAt(fields);
    if (!isScalar(value)) return undefined;
    // −0 is 0.
    return { value: typeof value === 'number' ? value + 0 : value, at, offset };
  };
}

function keyOf({ value }: Dated): string {
  return `${typeof value} ${String(value)}`;
}
