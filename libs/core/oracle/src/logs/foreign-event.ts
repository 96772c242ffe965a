// Reads attributes out of JSON that is no event (S8): the members of the object to which a pointer leads.
import { utf8In } from './byte-names.ts';
import type { InputEvent } from './history.ts';
import { HEARTBEAT } from './json-event.ts';

/** A number as it was written. */
class Written {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

type Reviver = (name: string, value: unknown, context: { readonly source: string }) => unknown;

/** Objects and arrays within each other. */
const DEPTH_MAX = 512;

/** `bad`: no JSON, nested too deep, no object there, or a text that UTF-8 cannot encode (I1). */
export function foreignEvent(value: Uint8Array, pointer: string): InputEvent | 'bad' {
  const text = utf8In(value);
  const whole = text === undefined || depthOf(text) > DEPTH_MAX ? undefined : parsed(text);
  if (whole === undefined) return 'bad';
  const [, ...steps] = pointer.split('/');
  let there: unknown = whole;
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    there = isObject(there) && Object.hasOwn(there, name) ? there[name] : undefined;
  }
  if (there !== undefined && there !== null && !isObject(there)) return 'bad';
  const attributes = Object.entries(there ?? {}).flatMap(([name, each]): [string, string][] =>
    each === null ? [] : [[name, typeof each === 'string' ? each : textOf(each)]],
  );
  if (!attributes.every((each) => each.every((part) => part.isWellFormed()))) return 'bad';
  return {
    type: HEARTBEAT,
    occurredAt: undefined,
    eventId: undefined,
    sequence: undefined,
    timeoutMs: undefined,
    attributes: attributes.length === 0 ? undefined : new Map(attributes),
  };
}

/** Greatest number of brackets that are open at a place of the text, those in strings apart. */
function depthOf(text: string): number {
  let [open, most, isInText, isEscaped] = [0, 0, false, false];
  for (const character of text) {
    if (isEscaped) isEscaped = false;
    else if (isInText && character === '\\') isEscaped = true;
    else if (character === '"') isInText = !isInText;
    else if (!isInText && (character === '{' || character === '[')) most = Math.max(most, (open += 1));
    else if (!isInText && (character === '}' || character === ']')) open -= 1;
  }
  return most;
}

function parsed(text: string): unknown {
  const keepDigits: Reviver = (_name, value, { source }) => (typeof value === 'number' ? new Written(source) : value);
  try {
    return JSON.parse(text, keepDigits as (name: string, value: unknown) => unknown);
  } catch {
    return undefined; // that is the answer
  }
}

/** JSON without white space, its numbers as they were. */
function textOf(value: unknown): string {
  if (value instanceof Written) return value.digits;
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)}:${textOf(each)}`)
    .join()}}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Written);
}
