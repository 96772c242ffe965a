// Reducers of worlds (S10): built-in ones, and functions of an application that misbehave as such may.
import type { Random } from '@flatline/base';
import { type BuiltIns, builtInReducer, defineReducer, StateReducer } from '@flatline/kinds/reducing';
import type { ReducerRules } from '@flatline/oracle';

/** Before and after the settings change. */
export type DrawnReducers = readonly [StateReducer | undefined, StateReducer | undefined];

const ALL: BuiltIns = {
  s: { sum: '/n' },
  m: { mean: '/n' },
  lo: { min: '/n' },
  hi: { max: '/n' },
  f: { first: '/v' },
  l: { last: '/v' },
  d: { set: { field: '/v', max: 2 } },
  w: { funnel: { field: '/v', steps: ['a', 'b', 'c'] } },
};
/** Kept through every change: so both have something to read. */
const ALWAYS = 's';

interface Heard {
  readonly by: Record<string, number>;
  readonly heard: readonly (number | null)[];
}

/** It throws at some events, grows beyond its bound, changes what it is given, and cannot merge all that it has made. */
const own = new StateReducer({
  reducer: defineReducer<Heard, { readonly kinds: number; readonly heard: readonly (number | null)[] }>({
    state: {
      type: 'record',
      name: 'Heard',
      fields: [
        { name: 'by', type: { type: 'map', values: 'long' } },
        { name: 'heard', type: { type: 'array', items: ['null', 'double'] } },
      ],
    },
    result: {
      type: 'record',
      name: 'HeardOf',
      fields: [
        { name: 'kinds', type: 'int' },
        { name: 'heard', type: { type: 'array', items: ['null', 'double'] } },
      ],
    },
    maxStateBytes: 90,
    initial: () => ({ by: {}, heard: [] }),
    add(state, { type, fields, occurredAt, effectiveAt }) {
      const { n, v } = fields;
      if (n === 7) throw new RangeError('not seven');
      const name = `${type} ${String(v)}`;
      state.by[name] = (state.by[name] ?? 0) + (occurredAt < effectiveAt ? 1 : 2);
      delete (fields as Record<string, unknown>)['v'];
      return { by: state.by, heard: [...state.heard, typeof n === 'number' ? n : null] };
    },
    merge(a, b) {
      if (a.heard.length + b.heard.length > 6) throw new Error('more than six');
      for (const [name, count] of Object.entries(b.by)) a.by[name] = (a.by[name] ?? 0) + count;
      return { by: a.by, heard: [...a.heard, ...b.heard] };
    },
    finish: ({ by, heard }) => ({ kinds: Object.keys(by).length, heard }),
  }),
});

/** `random`: a source of its own, of which the same is drawn in each process. `more`: what all built-in ones have beside. */
export function drawReducers(random: Random, more: BuiltIns = {}): DrawnReducers {
  const draw = random.below(100);
  const [first, changed] = [partsOf(random, more), partsOf(random, more)];
  if (draw < 60) return [undefined, undefined];
  if (draw < 75) return [own, own];
  // Added to a pipeline that has states without one, or taken from it.
  if (draw < 80) return [undefined, builtIn(changed)];
  if (draw < 85) return [builtIn(first), undefined];
  return [builtIn(first), builtIn(changed)];
}

function partsOf(random: Random, more: BuiltIns): BuiltIns {
  return {
    ...Object.fromEntries(Object.entries(ALL).filter(([name]) => random.chance(0.5) || name === ALWAYS)),
    ...more,
  };
}

function builtIn(parts: BuiltIns): StateReducer {
  return new StateReducer({ reducer: builtInReducer(parts), builtIn: parts });
}

/** As another process has it: it knows no former states. */
export function asElsewhere({ named }: StateReducer): StateReducer {
  return new StateReducer(named);
}

/** As the second reading knows it. */
export function rulesOf(reducer: StateReducer): ReducerRules {
  const { builtIn: parts, reducer: of } = reducer.named;
  const said = reducer.toJSON() as ReducerRules;
  return parts === undefined ? { ...said, functions: () => of.definition } : said;
}

const NUMBERS = [0, 1, 7, 0.1, -0.2, 1e16, -1e16, 5e-324, 'x', null];
const VALUES = ['a', 'b', 'c', '__proto__', 1, true, null];

/** Fields of an event that reducers look at. */
export function reducedFields(random: Random): Readonly<Record<string, unknown>> {
  const n = NUMBERS[random.below(NUMBERS.length)];
  const v = VALUES[random.below(VALUES.length)];
  return { n, v };
}
