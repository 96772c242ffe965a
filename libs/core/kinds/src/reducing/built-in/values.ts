// first and last of what stands at one place, by event time, and the set of different values up to so many.
import { cut, DATED_BYTES, EDGE_BYTES_MAX, SET_BYTES, TEXT_BYTES_MAX } from './bounds.ts';
import { pointer } from './json-pointer.ts';
import { type Dated, datedFields, isBefore, isScalar, type Part, SCALAR, SCALAR_OR_NONE } from './part.ts';
import type { ReducerEvent } from './reducer-event.ts';

export function edge(operation: 'first' | 'last', name: string, field: string): Part<Dated | null> {
  const dated = datedAt(field);
  const chosen = (a: Dated | null, b: Dated | null): Dated | null => {
    if (a === null || b === null) return within(a ?? b, TEXT_BYTES_MAX);
    return within(isBefore(a, b) === (operation === 'first') ? a : b, TEXT_BYTES_MAX);
  };
  return {
    state: ['null', datedFields(`${operation}_${name}`)],
    result: SCALAR_OR_NONE,
    initial: null,
    bytesMax: EDGE_BYTES_MAX,
    add: (state, event) => chosen(state, dated(event) ?? null),
    merge: chosen,
    finish: (state) => state?.value ?? null,
  };
}

interface Values {
  /** In the order in which each came first. */
  readonly values: readonly Dated[];
  /** There were others. */
  readonly more: boolean;
}

/** Keeps the distinct values that came first by event time, whatever the order in which they were heard. `textBytes`: of each text. */
export function distinct(
  name: string,
  { field, max }: { readonly field: string; readonly max: number },
  textBytes: number,
): Part<Values> {
  const dated = datedAt(field);
  const united = (known: Values, others: readonly Dated[], more: boolean): Values => {
    const values = new Map<string, Dated>();
    for (const found of [...known.values, ...others]) {
      const each = within(found, textBytes);
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
    bytesMax: SET_BYTES + max * (textBytes + DATED_BYTES),
    add(state, event) {
      const found = dated(event);
      // Also without one: other settings may have left more than there is room for now.
      return united(state, found === undefined ? [] : [found], false);
    },
    merge: (a, b) => united(a, b.values, b.more),
    finish: ({ values, more }) => ({ values: values.map(({ value }) => value), more }),
  };
}

/** The same, its text cut to so many bytes. */
function within<Maybe extends Dated | null>(dated: Maybe, textBytes: number): Dated | Maybe {
  if (dated === null) return dated;
  const value = cut(dated.value, textBytes);
  return value === dated.value ? dated : { ...dated, value };
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
