// min, max, sum and mean of the numbers at one place; what is no finite number there is passed over.
import { EXTREME_BYTES_MAX, SUM_BYTES_MAX } from './bounds.ts';
import { ADDEND_LIMIT, rounded, sumOfBoth, withAddend } from './exact-sum.ts';
import { pointer } from './json-pointer.ts';
import type { Part } from './part.ts';

interface Extreme {
  readonly value: number;
}

export function extreme(operation: 'min' | 'max', name: string, field: string): Part<Extreme | null> {
  const valueAt = pointer(field);
  const of = (a: number, b: number): number => (operation === 'min' ? Math.min(a, b) : Math.max(a, b));
  const record = { type: 'record', name: `${operation}_${name}`, fields: [{ name: 'value', type: 'double' }] };
  return {
    state: ['null', record],
    result: ['null', 'double'],
    initial: null,
    bytesMax: EXTREME_BYTES_MAX,
    add(state, { fields }) {
      const value = valueAt(fields);
      if (typeof value !== 'number' || !Number.isFinite(value)) return state;
      // −0 is 0.
      return { value: of(state?.value ?? value, value) + 0 };
    },
    merge: (a, b) => (a === null || b === null ? (a ?? b) : { value: of(a.value, b.value) }),
    finish: (state) => state?.value ?? null,
  };
}

interface Sum {
  readonly parts: readonly number[];
  readonly count: number;
}

/** Exact, and rounded once: the order of the events does not matter. */
export function sum(operation: 'sum' | 'mean', name: string, field: string): Part<Sum> {
  const valueAt = pointer(field);
  return {
    state: {
      type: 'record',
      name: `${operation}_${name}`,
      fields: [
        { name: 'parts', type: { type: 'array', items: 'double' } },
        { name: 'count', type: 'long' },
      ],
    },
    result: operation === 'sum' ? 'double' : ['null', 'double'],
    initial: { parts: [], count: 0 },
    bytesMax: SUM_BYTES_MAX,
    add(state, { fields }) {
      const value = valueAt(fields);
      if (typeof value !== 'number' || !(Math.abs(value) < ADDEND_LIMIT)) return state;
      return { parts: withAddend(state.parts, value), count: state.count + 1 };
    },
    merge: (a, b) => ({ parts: sumOfBoth(a.parts, b.parts), count: a.count + b.count }),
    finish({ parts, count }) {
      if (operation === 'sum') return rounded(parts);
      return count === 0 ? null : rounded(parts) / count;
    },
  };
}
