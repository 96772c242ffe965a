// How far a session has come on a way of named steps, and when it reached each (S10).
//
// The times are kept at which each step was seen: which of them count is known only once all have come, in whatever order.
// A step keeps its first times and the last one. A session that saw a step more often may have gone further than is
// said, never less far.
import type { Millis } from '@flatline/base';
import { funnelBytesMax } from './bounds.ts';
import { pointer } from './json-pointer.ts';
import type { Part } from './part.ts';

/** Times kept of a step. */
const STEP_TIMES_MAX = 8;

interface Funnel {
  /** In their order, by step. */
  readonly times: Readonly<Record<string, readonly Millis[]>>;
}

export interface FunnelOptions {
  readonly field: string;
  readonly steps: readonly string[];
}

export function funnel(name: string, { field, steps }: FunnelOptions): Part<Funnel> {
  const valueAt = pointer(field);
  return {
    state: {
      type: 'record',
      name: `funnel_${name}`,
      fields: [{ name: 'times', type: { type: 'map', values: { type: 'array', items: 'long' } } }],
    },
    result: {
      type: 'record',
      name: `funnel_${name}`,
      fields: [
        { name: 'reached', type: 'int' },
        { name: 'steps', type: { type: 'array', items: stepType(name) } },
      ],
    },
    initial: { times: {} },
    bytesMax: funnelBytesMax(steps),
    add({ times }, { fields, occurredAt }) {
      const step = valueAt(fields);
      const known = ofSteps(times, steps);
      if (typeof step !== 'string' || !steps.includes(step)) return { times: known };
      return { times: withTimes(known, step, [occurredAt]) };
    },
    merge: (a, b) => ({
      times: Object.entries(ofSteps(b.times, steps)).reduce(
        (all, [step, times]) => withTimes(all, step, times),
        ofSteps(a.times, steps),
      ),
    }),
    finish({ times }) {
      const reached: { step: string; at: Millis }[] = [];
      for (const step of steps) {
        const from = reached.at(-1)?.at ?? -Infinity;
        const at = (Object.hasOwn(times, step) ? times[step]! : []).find((each) => each >= from);
        if (at === undefined) break;
        reached.push({ step, at });
      }
      return { reached: reached.length, steps: reached };
    },
  };
}

function stepType(name: string): unknown {
  return {
    type: 'record',
    name: `step_${name}`,
    fields: [
      { name: 'step', type: 'string' },
      { name: 'at', type: 'long' },
    ],
  };
}

/** Keeps only the times of steps that the funnel has: former settings may have left more than there is room for now. */
function ofSteps(times: Funnel['times'], steps: readonly string[]): Funnel['times'] {
  const known = Object.create(null) as Record<string, readonly Millis[]>;
  for (const [step, each] of Object.entries(times)) if (steps.includes(step)) known[step] = each;
  return known;
}

function withTimes(times: Funnel['times'], step: string, more: readonly Millis[]): Funnel['times'] {
  const known = Object.hasOwn(times, step) ? times[step]! : [];
  const all = [...new Set([...known, ...more])].sort((a, b) => a - b);
  const kept = all.length <= STEP_TIMES_MAX ? all : [...all.slice(0, STEP_TIMES_MAX - 1), all.at(-1)!];
  // Without a prototype, as it was read: a step may have any name.
  return Object.assign(Object.create(null) as Record<string, readonly Millis[]>, times, { [step]: kept });
}
