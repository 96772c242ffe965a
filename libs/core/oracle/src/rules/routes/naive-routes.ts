// The effects of an output (P3), read a second time from docs/SPEC.md and docs/ROUTES.md: as plainly as they say it.
import { unawaited } from '@flatline/base';
import type { NaiveRoute, OutputRecord, RawHeader, RoutedOutput, RouteText } from '../../logs/history.ts';
import { textOf } from '../../logs/byte-names.ts';
import type { OutputWords } from '../reading.ts';

export interface ExpectedRoute {
  readonly to: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
  readonly headers: readonly RawHeader[];
}

/** `unroutable`: a dead letter; `unknown`: its function is not at hand. */
export type RouteOutcome = ExpectedRoute | 'unroutable' | 'unknown';

type Fields = Readonly<Record<string, unknown>>;

const BYTES_MAX = 900_000;
const HEADER_BYTES = 10;
const RECORDS_MAX = 16;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const utf8 = new TextEncoder();

/** All that it brings about, in the order of the routes. */
export function routesOf(
  words: Pick<OutputWords, 'saidIn'>,
  routes: readonly NaiveRoute[],
  output: OutputRecord,
): readonly RouteOutcome[] {
  const seen = seenIn(words, output);
  if (seen === undefined) return [];
  return routes.filter((route) => isFor(route, seen)).flatMap((route) => outcomesOf(route, seen, output));
}

function seenIn({ saidIn }: Pick<OutputWords, 'saidIn'>, output: OutputRecord): RoutedOutput | undefined {
  const { key, value } = output;
  if (key === null || value === null) return undefined;
  const said = saidIn(output);
  return said && { key: textOf(key), names: [...said.names], output: said.fields };
}

function isFor({ on, where }: NaiveRoute, { names, output }: RoutedOutput): boolean {
  if (on !== undefined && on.every((name) => !names.includes(name))) return false;
  for (const [path, wanted] of Object.entries(where ?? {})) if ((at(output, path) ?? null) !== wanted) return false;
  return true;
}

function outcomesOf(route: NaiveRoute, seen: RoutedOutput, output: OutputRecord): RouteOutcome[] {
  const { to, code = false, record } = route;
  if (record === undefined) return code ? ['unknown'] : [bounded(to, fromTexts(route, seen, output))];
  const asked = askedOf(record, seen);
  if (asked === 'unroutable') return ['unroutable'];
  const made = allMade(asked, output);
  // One that cannot be made leaves out the others.
  return made.some((each) => bounded(to, each) === 'unroutable')
    ? ['unroutable']
    : made.map((each) => bounded(to, each));
}

type Made = Omit<ExpectedRoute, 'to'> | undefined;

function bounded(to: string, made: Made): ExpectedRoute | 'unroutable' {
  if (made === undefined) return 'unroutable';
  let bytes = made.key.length + (made.value === null ? 0 : made.value.length);
  for (const { name, value } of made.headers)
    bytes += HEADER_BYTES + utf8.encode(name).length + (value === null ? 0 : value.length);
  return bytes > BYTES_MAX ? 'unroutable' : { to, ...made };
}

function fromTexts(
  { key: ofKey, value: ofValue, headers: said = {} }: NaiveRoute,
  seen: RoutedOutput,
  output: OutputRecord,
): Made {
  const whole = output.value!;
  const key = ofKey === undefined ? output.key! : bytesOf(ofKey, seen.output, whole);
  const value = ofValue === null ? null : ofValue === undefined ? whole : bytesOf(ofValue, seen.output, whole);
  if (key === undefined || value === undefined) return undefined;
  const headers: RawHeader[] = [];
  for (const [name, of] of Object.entries(said)) {
    const length = name.endsWith('-ms') && typeof of === 'string' ? lengthIn(of) : undefined;
    const found = bytesOf(length ?? of, seen.output, whole);
    if (found === undefined) return undefined;
    headers.push({ name, value: found });
  }
  return { key, value, headers };
}

/** undefined: it cannot be made. */
function bytesOf(said: RouteText | number, output: Fields, whole: Uint8Array): Uint8Array | undefined {
  if (said === '') return whole;
  if (typeof said === 'number') return utf8.encode(String(said));
  if (typeof said === 'object') {
    if ('text' in said) return utf8.encode(said.text);
    const from = at(output, said.at);
    const sum = typeof from === 'number' ? from + (said.plusMs ?? 0) : Number.NaN;
    return Number.isSafeInteger(sum) ? utf8.encode(String(sum)) : undefined;
  }
  if (said[0] !== '/') return utf8.encode(said);
  const found = at(output, said);
  if (found === undefined || found === null) return undefined;
  return utf8.encode(typeof found === 'string' ? found : JSON.stringify(found));
}

/** `"30m"`; undefined: it is no length of time. */
function lengthIn(text: string): number | undefined {
  const [, amount, unit] = /^([0-9]+(?:\.[0-9]+)?) ?(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number((Number(amount) * UNITS[unit!]!).toPrecision(15));
}

/** RFC 6901. */
function at(fields: unknown, path: string): unknown {
  let found = fields;
  for (const part of path.split('/').slice(1)) {
    const name = part.replace(/~1/g, '/').replace(/~0/g, '~');
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found) && !/^(0|[1-9]\d*)$/.test(name)) return undefined;
    if (!Object.prototype.hasOwnProperty.call(found, name)) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

function askedOf(record: (output: RoutedOutput) => unknown, seen: RoutedOutput): readonly unknown[] | 'unroutable' {
  try {
    const asked = record(structuredClone(seen));
    if (asked === undefined) return [];
    if (!Array.isArray(asked)) return [unawaited(asked)];
    asked.forEach(unawaited);
    return asked.length > RECORDS_MAX ? 'unroutable' : (asked as readonly unknown[]);
  } catch {
    return 'unroutable'; // that is what it comes to
  }
}

/** A function may return no JSON, or a value without a text: then nothing can be made of it. */
function allMade(asked: readonly unknown[], output: OutputRecord): readonly Made[] {
  try {
    return asked.map((each) => fromAsked(each, output));
  } catch {
    return [undefined];
  }
}

function fromAsked(asked: unknown, output: OutputRecord): Made {
  if (typeof asked !== 'object' || asked === null || 'then' in asked) return undefined;
  const { key, value, headers = {} } = asked as Readonly<Record<string, unknown>>;
  if (key !== undefined && typeof key !== 'string') return undefined;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) as string | undefined);
  if (value !== undefined && value !== null && text === undefined) return undefined;
  return {
    key: key === undefined ? output.key! : utf8.encode(key),
    value: value === undefined ? output.value : value === null ? null : utf8.encode(text),
    headers: Object.entries(headers as object).map(([name, of]) => ({ name, value: utf8.encode(String(of)) })),
  };
}
