// The built-in parts of a reducer as a configuration has them (S10), and what is wrong with the first that is, by its name.
import { didYouMean } from '@flatline/base';
import { isPointer } from '@flatline/kinds/reducing';
import { z } from 'zod';

const PARTS_MAX = 32;
const PART_NAME = /^(?!__)[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const SET_MAX = 256;
const STEPS_MAX = 32;
const TEXT_MAX = 256;

/** All of a part, for who has written none. */
export const PARTS_ARE =
  'an object of parts, each one of { "first" | "last" | "min" | "max" | "sum" | "mean": a JSON pointer into the value, as "/amount" }, ' +
  `{ "set": { "field": "/page", "max": 20 } } with max from 1 to ${SET_MAX}, { "funnel": { "field": "/page", "steps": ["/", "/cart"] } } ` +
  `with up to ${STEPS_MAX} different steps; or, in code, what defineReducer returns`;

/** Otherwise a union would tell of the one branch whose type fits, and not in its own words. */
export const FINAL = { abort: true };

/** Words of one check, which hold for a value of another type, too. */
const wanted = (error: string): { readonly error: string } => ({ error });

const A_POINTER = wanted(`a JSON pointer into the value, of at most ${TEXT_MAX} characters, as "/amount"`);
const A_STEP = wanted(`a text of 1 to ${TEXT_MAX} characters`);
const STEPS = wanted(`1 to ${STEPS_MAX} different texts, as ["/", "/cart"]`);
const A_SET = wanted('{ "field": "/page", "max": 20 }, and nothing else');
const A_FUNNEL = wanted('{ "field": "/page", "steps": ["/", "/cart"] }, and nothing else');
const A_MAXIMUM = wanted(`a whole number from 1 to ${SET_MAX}`);

const pointer = z
  .string(A_POINTER)
  .max(TEXT_MAX, A_POINTER)
  .refine(isPointer, { ...FINAL, ...A_POINTER });
const step = z
  .string(A_STEP)
  .min(1, A_STEP)
  .max(TEXT_MAX, A_STEP)
  .refine((text) => text.isWellFormed(), { ...FINAL, ...A_STEP });
const steps = z
  .array(step, STEPS)
  .min(1, STEPS)
  .max(STEPS_MAX, STEPS)
  .refine((all) => new Set(all).size === all.length, { ...FINAL, ...STEPS });
const most = z.int(A_MAXIMUM).min(1, A_MAXIMUM).max(SET_MAX, A_MAXIMUM);

const OPERATIONS = {
  first: pointer,
  last: pointer,
  min: pointer,
  max: pointer,
  sum: pointer,
  mean: pointer,
  set: z.strictObject({ field: pointer, max: most }, A_SET),
  funnel: z.strictObject({ field: pointer, steps }, A_FUNNEL),
};
const { first, last, min, max, sum, mean, set, funnel } = OPERATIONS;
const part = z.union([
  z.strictObject({ first }),
  z.strictObject({ last }),
  z.strictObject({ min }),
  z.strictObject({ max }),
  z.strictObject({ sum }),
  z.strictObject({ mean }),
  z.strictObject({ set }),
  z.strictObject({ funnel }),
]);

export const parts = z
  .record(z.string().regex(PART_NAME), part)
  .refine((all) => Object.keys(all).length > 0 && Object.keys(all).length <= PARTS_MAX, FINAL);

/** Which part is wrong, in what, and what it should be; undefined: these are no parts at all. */
export function partsProblem(written: unknown): string | undefined {
  if (!isObject(written)) return undefined;
  const all = Object.entries(written);
  const wrong = all.map(([name, each]) => partProblem(name, each)).find((problem) => problem !== undefined);
  if (wrong !== undefined) return wrong;
  return all.length > PARTS_MAX ? `has ${all.length} parts, and may have ${PARTS_MAX}: leave some out` : undefined;
}

function partProblem(name: string, written: unknown): string | undefined {
  const what = `part ${JSON.stringify(name)}`;
  if (!PART_NAME.test(name))
    return `${what}: a name has 1 to 64 letters, digits and "_", and begins with no digit and no "__": name it so`;
  const [[operation, value] = ['', undefined], ...others] = isObject(written) ? Object.entries(written) : [];
  if (!isObject(written) || operation === '' || others.length > 0)
    return `${what} is ${shown(written)}: give it one operation, as { "sum": "/amount" }`;
  if (!isOperation(operation)) {
    const there = Object.keys(OPERATIONS);
    return `${what}: its operations are ${there.join(', ')}, and not ${shown(operation)}${didYouMean(operation, there)}`;
  }
  const [issue] = OPERATIONS[operation].safeParse(value).error?.issues ?? [];
  if (issue === undefined) return undefined;
  // A member that is not known has the path of the object that it is in.
  const place = [operation, ...issue.path].join('.');
  const found = issue.path.reduce<unknown>((at, each) => (at as Record<PropertyKey, unknown>)[each], value);
  return `${what}: ${place} is ${found === undefined ? 'missing' : shown(found)}: it is ${issue.message}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOperation(name: string): name is keyof typeof OPERATIONS {
  return Object.hasOwn(OPERATIONS, name);
}

/** Most characters of a value in a message. */
const SHOWN_MAX = 80;

/** Objects by their names alone: what code hands over may be a circle. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : isObject(value) ? namesOf(value) : listOf(value);
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

function namesOf(value: object): string {
  const names = Object.keys(value);
  return names.length === 0 ? 'an object of nothing' : `an object of ${names.join(', ')}`;
}

function listOf(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((each) => (typeof each === 'object' ? '…' : shown(each))).join(', ')}]`;
  // A function's own text may throw.
  return typeof value === 'function' ? 'a function' : String(value);
}
