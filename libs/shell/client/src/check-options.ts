// Checks arguments of an application before they are used: programs in plain JavaScript have no types to stop them.
import { didYouMean } from '@flatline/base';
import { withoutCredentials } from '@flatline/system';

/** Valid values of an option, as a predicate and in words. */
export interface Wanted {
  readonly words: string;
  readonly is: (value: unknown) => boolean;
  /** Options of an object, which may depend on its value; default: not checked. */
  readonly options?: (value: object) => Options;
  /** In a configuration it may be a reference. */
  readonly isSecret?: boolean;
  readonly isRequired?: never;
}

type Options = Readonly<Record<string, Wanted | Needed>>;

/** A required option. */
export interface Needed extends Omit<Wanted, 'isRequired'> {
  readonly isRequired: true;
}

export const TEXT: Wanted = { words: 'text', is: (value) => typeof value === 'string' && value !== '' };
export const FUNCTION: Wanted = { words: 'a function', is: (value) => typeof value === 'function' };
export const OBJECT: Wanted = { words: 'an object', is: (value) => typeof value === 'object' && value !== null };
export const BOOLEAN: Wanted = { words: 'true or false', is: (value) => typeof value === 'boolean' };
export const COUNT: Wanted = { words: 'a number, 1 or more', is: (value) => typeof value === 'number' && value >= 1 };
export const WHOLE: Wanted = {
  words: 'a whole number, 1 or more',
  is: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1,
};
export const TIME: Wanted = {
  words: 'a number of milliseconds, 1 or more',
  is: (value) => typeof value === 'number' && value >= 1,
};
export const TIME_OR_NONE: Wanted = {
  words: 'a number of milliseconds, 0 or more',
  is: (value) => typeof value === 'number' && value >= 0,
};

export function oneOf(...known: readonly string[]): Wanted {
  const named = known.map((each) => `'${each}'`);
  const words = [named.slice(0, -1).join(', '), named.at(-1)].filter((each) => each !== '').join(' or ');
  return { words, is: (value) => typeof value === 'string' && known.includes(value) };
}

export function objectOf(options: Options | ((value: object) => Options)): Wanted {
  return { ...OBJECT, options: typeof options === 'function' ? options : () => options };
}

export function required(wanted: Wanted): Needed {
  return { ...wanted, isRequired: true };
}

/** @throws TypeError naming the first option that is misspelt, missing or of another type, its value, and what to give. */
export function checkOptions(call: string, options: unknown, known: Options, example: string): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${call}: the options are ${shown(options)}: give an object with ${example}`);
  checkMembers(call, options, known, '');
}

/** `within`: the option that they are of, and a dot. */
function checkMembers(call: string, options: object, known: Options, within: string): void {
  const named = (name: string): string => within + name;
  checkNames(call, 'option', Object.keys(options).map(named), Object.keys(known).map(named));
  for (const [name, wanted] of Object.entries(known)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    checkArgument(call, { name: named(name), value, wanted });
    if (wanted.options !== undefined && value !== undefined)
      checkMembers(call, value as object, wanted.options(value as object), `${named(name)}.`);
  }
}

/**
 * Members that are `undefined` are as good as left out; values are checked where they are encoded.
 * @throws TypeError naming the first field that is none of `fields`, or what is given instead of an object.
 */
export function checkFields(call: string, event: unknown, fields: readonly string[], example: string): void {
  // Iterables, such as arrays and Maps, do not hold their content in fields.
  if (typeof event !== 'object' || event === null || Symbol.iterator in event)
    throw new TypeError(`${call}: the event is ${shown(event)}: give an object, as ${example}`);
  checkNames(call, 'field', Object.keys(event), fields);
}

function checkNames(call: string, what: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `${call}: there is no ${what} ${unknown}${nearest(unknown, known)} There are ${known.join(', ')}`,
  );
}

/** @throws TypeError */
export function checkArgument(
  call: string,
  { name, value, wanted }: { readonly name: string; readonly value: unknown; readonly wanted: Wanted | Needed },
): void {
  if (value === undefined ? wanted.isRequired !== true : wanted.is(value)) return;
  const variable = wanted.isSecret === true ? variableOf(value) : undefined;
  if (variable !== undefined)
    throw new TypeError(
      `${call}: ${name} is { env }, which only a configuration has: give what ${variable} holds, or { file }`,
    );
  throw new TypeError(`${call}: ${name} is ${shown(value)}: give ${wanted.words}`);
}

/** Describes the variable of a `{ env: NAME }`, as in a configuration, or of an array's first; undefined for any other value. */
function variableOf(value: unknown): string | undefined {
  const found: unknown = [value].flat().find((each) => typeof each === 'object' && each !== null && 'env' in each);
  if (found === undefined) return undefined;
  const { env } = found as { readonly env: unknown };
  return typeof env === 'string' && /^\w+$/.test(env) ? `the variable ${env}` : 'the variable';
}

function nearest(name: string, names: readonly string[]): string {
  const meant = didYouMean(name, names);
  return meant === '' ? '.' : meant;
}

const SHOWN_LENGTH_MAX = 60;

export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(withoutCredentials(value).slice(0, SHOWN_LENGTH_MAX));
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isDate(value)) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString();
  if (typeof value !== 'object' || value === null) return String(value);
  return Symbol.iterator in value ? 'an object that is iterated over' : 'an object';
}

/** By its shape: one of another realm is no instance of this one's. */
export function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}
