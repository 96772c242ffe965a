// Compiles what a route says of key, value and headers.
import { millisecondsIn, utf8Of } from '@flatline/base';
import { pointer } from '../reducing/built-in/json-pointer.ts';
import type { KindOutput } from '../contract.ts';
import type { RouteInstant, RouteText } from './route.ts';
import type { Fields } from '../said-words.ts';

/** Makes the bytes; a text: why they cannot be made. */
export type Template = (output: KindOutput, fields: Fields) => Uint8Array | { readonly why: string };

export function templateOf(said: RouteText | number): Template {
  if (typeof said === 'number') return constant(String(said));
  if (typeof said === 'object') return 'text' in said ? constant(said.text) : instantAt(said);
  if (said === '') return ({ value }) => value!;
  return said.startsWith('/') ? textAt(said) : constant(said);
}

/** The value of a header: one whose name ends in `-ms` may be written as a length of time, "30m". */
export function headerTemplateOf(name: string, said: RouteText | number): Template {
  const written = typeof said === 'string' && name.endsWith('-ms') ? millisecondsIn(said) : undefined;
  return templateOf(written ?? said);
}

function constant(text: string): Template {
  const bytes = utf8Of(text);
  return () => bytes;
}

function textAt(path: string): Template {
  const find = pointer(path);
  return (_, fields) => {
    const text = textOf(find(fields));
    return text === undefined ? { why: `nothing at ${path}` } : utf8Of(text);
  };
}

function instantAt({ at, plusMs = 0 }: RouteInstant): Template {
  const find = pointer(at);
  return (_, fields) => {
    const found = find(fields);
    const instant = typeof found === 'number' ? found + plusMs : NaN;
    return Number.isSafeInteger(instant) ? utf8Of(String(instant)) : { why: `no instant at ${at}` };
  };
}

/** Texts as they are, all else as JSON; undefined: nothing is there, or null. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
