// What may be said of a reducer in a configuration (S10): built-in ones, in any of its forms; in code a value of `defineReducer`;
// or `"custom"`, where the application that embeds the processor hands one over.
import { messageOf } from '@flatline/base';
import {
  builtInReducer,
  type BuiltIns,
  isPointer,
  isReducer,
  type NamedReducer,
  type Reducer,
  StateReducer,
} from '@flatline/kinds/reducing';
import { z } from 'zod';
import type { Problem } from './problem.ts';

const PARTS_MAX = 32;
const PART_NAME = /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const SET_MAX = 256;
const STEPS_MAX = 32;

const PARTS_ARE =
  'an object of parts, each one of { "first" | "last" | "min" | "max" | "sum" | "mean": a JSON pointer into the value, as "/amount" }, ' +
  `{ "set": { "field": "/page", "max": 20 } } with max from 1 to ${SET_MAX}, { "funnel": { "field": "/page", "steps": ["/", "/cart"] } } ` +
  `with up to ${STEPS_MAX} different steps; or, in code, what defineReducer returns`;

/** Otherwise a union would tell of the one branch whose type fits, and not in its own words. */
const FINAL = { abort: true };

const pointer = z.string().max(256).refine(isPointer, FINAL);
const part = z.union([
  z.strictObject({ first: pointer }),
  z.strictObject({ last: pointer }),
  z.strictObject({ min: pointer }),
  z.strictObject({ max: pointer }),
  z.strictObject({ sum: pointer }),
  z.strictObject({ mean: pointer }),
  z.strictObject({ set: z.strictObject({ field: pointer, max: z.int().min(1).max(SET_MAX) }) }),
  z.strictObject({
    funnel: z.strictObject({
      field: pointer,
      steps: z
        .array(
          z
            .string()
            .min(1)
            .max(256)
            .refine((step) => step.isWellFormed(), FINAL),
        )
        .min(1)
        .max(STEPS_MAX)
        .refine((steps) => new Set(steps).size === steps.length, FINAL),
    }),
  }),
]);
const parts = z
  .record(z.string().regex(PART_NAME), part)
  .refine((all) => Object.keys(all).length > 0 && Object.keys(all).length <= PARTS_MAX, FINAL);

/** Values that no JSON has: its schema takes none. */
export const definedReducer: z.ZodType<Reducer> = z.unknown().refine(isReducer, FINAL);

/** `words`: names that the kind has for some of its own. */
export function reducerForm<const Words extends readonly [string, ...string[]]>(words: Words) {
  const error = `${words.map((word) => `"${word}"`).join(', ')}, or ${PARTS_ARE}`;
  return z.union([z.enum(words), definedReducer, parts], { error });
}

export type WrittenReducer = BuiltIns | Reducer | 'custom';

/** What an application hands over by the name of the pipeline: for a reducer with a state, what `defineReducer` returns. */
type Handed = Readonly<Record<string, unknown>>;

/** undefined: there is none by that name, or it is a function of another sort. */
export function namedReducer(written: WrittenReducer, pipeline: string, handed: Handed): NamedReducer | undefined {
  if (written === 'custom') {
    const reducer = Object.hasOwn(handed, pipeline) ? handed[pipeline] : undefined;
    return isReducer(reducer) ? { reducer } : undefined;
  }
  return isReducer(written) ? { reducer: written } : { reducer: builtInReducer(written), builtIn: written };
}

export function stateReducer(written: WrittenReducer, pipeline: string, handed: Handed): StateReducer | undefined {
  const named = namedReducer(written, pipeline, handed);
  return named && new StateReducer(named);
}

/** Finds a reducer that there is not, or whose schemas say too much. */
export function reducerFindings(written: WrittenReducer, pipeline: string, handed: Handed): Problem[] {
  const found = (problem: string): Problem[] => [{ setting: 'reducer', value: written, problem }];
  try {
    if (namedReducer(written, pipeline, handed) !== undefined) return [];
  } catch (error) {
    return found(messageOf(error));
  }
  const how = `createProcessor(config, { reducers: { ${JSON.stringify(pipeline)}: defineReducer({ … }) } })`;
  return found(`${PARTS_ARE}; "custom" needs a processor that is embedded: ${how}`);
}
