// Records of other topics that an output brings about; they go out with it in one transaction (P3).
//
// A function of the output, the routes and the partition counts alone: the checker makes the same of the output as it lies.
import { messageOf, partitionOf, unawaited, utf8Of } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { pointer } from '../reducing/built-in/json-pointer.ts';
import type { KindOutput } from '../contract.ts';
import type { Fields, SaidWords } from '../said-words.ts';
import {
  type AskedRecord,
  ROUTED_BYTES_MAX,
  ROUTED_RECORDS_MAX,
  type RoutedOutput,
  type RouteFunction,
  type RouteRules,
} from './route.ts';
import { saidBy, type SaidOutput } from './said.ts';
import { headerTemplateOf, type Template, templateOf } from './template.ts';

/** A record of another topic. */
export interface RoutedRecord extends KindOutput {
  readonly topic: string;
  readonly key: Uint8Array;
  readonly partition: number;
  readonly headers: readonly RecordHeader[];
}

export type Routed =
  | { readonly kind: 'record'; readonly record: RoutedRecord }
  /** A dead letter: the output itself is said all the same. */
  | { readonly kind: 'unroutable'; readonly detail: string };

export interface Routing {
  /** How many routes there are. */
  readonly count: number;
  /** In the order of the routes. Never throws. */
  of(output: KindOutput): readonly Routed[];
}

interface Made {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

type Make = (output: KindOutput, said: SaidOutput) => readonly Made[];

interface Route {
  readonly number: number;
  readonly to: string;
  readonly concerns: (said: SaidOutput) => boolean;
  readonly make: Make;
}

/** Why a route makes nothing of an output. */
class Unroutable extends Error {}

/** Two lengths, of up to five bytes each. */
const HEADER_FRAMING_BYTES = 10;
const NOTHING: readonly Routed[] = [];
const reader = new TextDecoder('utf-8', { ignoreBOM: true });

/** `partitionsOf`: how many a topic has. */
export function routingOf(
  words: SaidWords,
  routes: readonly RouteRules[],
  partitionsOf: (topic: string) => number,
): Routing {
  const compiled = routes.map(compiledRoute);
  const routed = (output: KindOutput, said: SaidOutput, { to, number, make }: Route): readonly Routed[] => {
    try {
      return make(output, said).map((made): Routed => {
        const record = { topic: to, partition: partitionOf(made.key, partitionsOf(to)), ...sized(made) };
        return { kind: 'record', record };
      });
    } catch (error) {
      return [{ kind: 'unroutable', detail: `routes[${number}] to ${to}: ${messageOf(error)}` }];
    }
  };
  return {
    count: routes.length,
    of: (output) => {
      const said = saidBy(words, output);
      if (said === undefined) return NOTHING;
      return compiled.filter(({ concerns }) => concerns(said)).flatMap((route) => routed(output, said, route));
    },
  };
}

function compiledRoute({ on, where = {}, to, record, ...said }: RouteRules, number: number): Route {
  const equalities = Object.entries(where).map(([path, value]) => ({ find: pointer(path), value }));
  const concerns = ({ names, fields }: SaidOutput): boolean =>
    (on === undefined || names.some((name) => on.includes(name))) &&
    equalities.every(({ find, value }) => (find(fields) ?? null) === value);
  return { number, to, concerns, make: record === undefined ? byTemplates(said) : byFunction(record) };
}

function byTemplates({ key, value = '', headers = {} }: Pick<RouteRules, 'key' | 'value' | 'headers'>): Make {
  const keyTemplate: Template = key === undefined ? (output) => output.key! : templateOf(key);
  const valueTemplate = value === null ? undefined : templateOf(value);
  const headerTemplates = Object.entries(headers).map(([name, said]) => ({ name, make: headerTemplateOf(name, said) }));
  return (output, { fields }) => {
    const made = (template: Template, what: string): Uint8Array => bytesBy(template, { output, fields, what });
    return [
      {
        key: made(keyTemplate, 'key'),
        value: valueTemplate === undefined ? null : made(valueTemplate, 'value'),
        headers: headerTemplates.map(({ name, make }) => ({ name, value: made(make, `header ${name}`) })),
      },
    ];
  };
}

function bytesBy(
  template: Template,
  { output, fields, what }: { readonly output: KindOutput; readonly fields: Fields; readonly what: string },
): Uint8Array {
  const made = template(output, fields);
  if (made instanceof Uint8Array) return made;
  throw new Unroutable(`${what}: ${made.why}`);
}

function byFunction(record: RouteFunction): Make {
  return (output, { names, fields }) => {
    const shown: RoutedOutput = { key: reader.decode(output.key ?? undefined), names, output: structuredClone(fields) };
    const asked: unknown = record(shown);
    if (asked === undefined) return [];
    const all: readonly unknown[] = Array.isArray(asked) ? asked : [asked];
    all.forEach(unawaited);
    if (all.length > ROUTED_RECORDS_MAX)
      throw new Unroutable(`its function asks for ${all.length} records; at most ${ROUTED_RECORDS_MAX}`);
    return all.map((each) => askedRecord(each, output));
  };
}

function askedRecord(asked: unknown, output: KindOutput): Made {
  if (typeof asked !== 'object' || asked === null || 'then' in asked)
    throw new Unroutable('its function returns no record, as { key, value, headers }');
  const { key, value, headers = {} } = asked as AskedRecord;
  if (key !== undefined && typeof key !== 'string') throw new Unroutable('its function returns a key that is no text');
  return {
    key: key === undefined ? output.key! : utf8Of(key),
    value: valueBytes(value, output),
    headers: Object.entries(headers).map(([name, of]) => ({ name, value: utf8Of(String(of)) })),
  };
}

function valueBytes(value: AskedRecord['value'], output: KindOutput): Uint8Array | null {
  if (value === undefined) return output.value;
  if (value === null) return null;
  const text: unknown = typeof value === 'string' ? value : JSON.stringify(value);
  if (typeof text !== 'string') throw new Unroutable('its function returns a value that is no JSON');
  return utf8Of(text);
}

function headerBytes(name: string, of: Uint8Array | null): number {
  return HEADER_FRAMING_BYTES + utf8Of(name).length + (of?.length ?? 0);
}

function sized(made: Made): Made {
  const { key, value, headers } = made;
  const ofHeaders = headers.reduce((sum, { name, value: of }) => sum + headerBytes(name, of), 0);
  const bytes = key.length + (value?.length ?? 0) + ofHeaders;
  if (bytes <= ROUTED_BYTES_MAX) return made;
  throw new Unroutable(`its record has ${bytes} bytes; at most ${ROUTED_BYTES_MAX}`);
}
