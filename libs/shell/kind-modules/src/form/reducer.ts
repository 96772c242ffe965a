// The forms of a reducer in a configuration (S10): built-in ones, in any of its forms; in code a value of `defineReducer`;
// or `"custom"`, where the application that embeds the processor hands one over.
import { messageOf } from '@flatline/base';
import {
  builtInReducer,
  type BuiltIns,
  isReducer,
  leastStateBytes,
  type NamedReducer,
  type Reducer,
  STATE_BYTES_DEFAULT,
  STATE_BYTES_LIMIT,
  StateReducer,
} from '@flatline/kinds/reducing';
import { z } from 'zod';
import type { Problem } from './problem.ts';
import { FINAL, parts, PARTS_ARE, partsProblem } from './reducer-parts.ts';
import { setting } from './setting.ts';

/** Bytes of what the settings of a commit say of a reducer: so they have the last few, by which states may still be kept. */
const TEXT_BYTES_MAX = 12_000;
/** Values that no JSON has: its schema takes none. */
export const definedReducer = z.unknown().refine(isReducer, FINAL) as z.ZodType<Reducer, Reducer>;

/** `words`: names that the kind has for some of its own. */
export function reducerForm<const Words extends readonly [string, ...string[]]>(words: Words) {
  const any = `${words.map((word) => `"${word}"`).join(', ')}, or ${PARTS_ARE}`;
  return z.union([z.enum(words), definedReducer, parts], { error: ({ input }) => partsProblem(input) ?? any });
}

/** Settings that a reducer has beside itself. */
export const REDUCED_SETTINGS = {
  maxReducedBytes: setting(
    z.int().min(1).max(STATE_BYTES_LIMIT).optional(),
    `What the built-in parts of a \`reducer\` may take of a session or window (S10): ${STATE_BYTES_DEFAULT} if left out. Longer texts are cut, to fit whatever comes`,
  ),
};

type WrittenReducer = BuiltIns | Reducer | 'custom';

/** A pipeline's reducer, as its section has it. */
interface ReducerSection {
  readonly name: string;
  readonly reducer: WrittenReducer;
  readonly maxReducedBytes?: number | undefined;
}

/** Reducers by the name of the pipeline, from the application: one with a state is the value of `defineReducer`. */
type Handed = Readonly<Record<string, unknown>>;

/** undefined: there is none by that name, or it is a function of another sort. */
function namedReducer({ name, reducer, maxReducedBytes }: ReducerSection, handed: Handed): NamedReducer | undefined {
  if (reducer === 'custom') {
    const given = Object.hasOwn(handed, name) ? handed[name] : undefined;
    return isReducer(given) ? { reducer: given } : undefined;
  }
  if (isReducer(reducer)) return { reducer };
  return { reducer: builtInReducer(reducer, maxReducedBytes), builtIn: reducer };
}

export function stateReducer(section: ReducerSection, handed: Handed): StateReducer | undefined {
  const named = namedReducer(section, handed);
  return named && new StateReducer(named);
}

/** Finds a reducer that there is not, whose schemas say too much, or whose parts may take more than they have. */
export function reducerFindings(section: ReducerSection, handed: Handed): Problem[] {
  const { name, reducer } = section;
  const found = (problem: string): Problem[] => [{ setting: 'reducer', value: reducer, problem }];
  try {
    const named = namedReducer(section, handed);
    const least = named?.builtIn === undefined ? 0 : leastStateBytes(named.builtIn);
    if (named !== undefined && least > named.reducer.maxStateBytes) return found(tooMuch(named.reducer, least));
    const bytes = named && Buffer.byteLength(JSON.stringify(new StateReducer(named)));
    if (bytes !== undefined && bytes > TEXT_BYTES_MAX) return found(tooLong(bytes));
    if (bytes !== undefined) return unneededBound(section);
  } catch (error) {
    return found(messageOf(error));
  }
  const how = `createProcessor(config, { reducers: { ${JSON.stringify(name)}: defineReducer({ … }) } })`;
  return found(`${PARTS_ARE}; "custom" needs a processor that is embedded: ${how}`);
}

function tooMuch({ maxStateBytes }: Reducer, least: number): string {
  const remedy = least > STATE_BYTES_LIMIT ? '' : `set maxReducedBytes to ${least} or more, or `;
  return `its parts may take ${least} bytes of a state, and have ${maxStateBytes}: ${remedy}leave parts out`;
}

function tooLong(bytes: number): string {
  return (
    `has schemas and parts of ${bytes} bytes, as JSON; at most ${TEXT_BYTES_MAX}: each change of settings is said in the changelog, ` +
    'with those before it by which states are kept. Use fewer parts or fields, or shorter names and steps'
  );
}

/** Finds a bound that bounds nothing. */
export function unneededBound(section: Partial<ReducerSection>): Problem[] {
  const { reducer, maxReducedBytes: value } = section;
  if (value === undefined || (typeof reducer === 'object' && !isReducer(reducer))) return [];
  const problem =
    'is for the built-in parts of a reducer: one of defineReducer says maxStateBytes itself. Leave it out';
  return [{ setting: 'maxReducedBytes', value, problem, involved: ['reducer'] }];
}
