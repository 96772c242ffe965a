// Values that are no events, but JSON that someone else writes: their attributes are the members of an object in them (S8).
//
// A text is its attribute as it is, null is none, anything else is its JSON, in which numbers keep their digits: an id of 64 bits
// would come out as another.
import { blankEvent, type DecodeOutcome, type EventDecoder, resetEvent } from '@flatline/ports/formats';
import { isNestedBeyond } from '../json/json-depth.ts';
import { FOREIGN_DEPTH_MAX } from '../limits.ts';
import { bareObject } from './attribute-gate.ts';

const EVENT: DecodeOutcome = { kind: 'event' };
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Node 22 has both, and TypeScript's library of this target has not. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const json = JSON as unknown as JsonWithSource;

/** `at`: a JSON pointer (RFC 6901), empty for the value itself. */
export function foreignDecoder(at: string): EventDecoder {
  const decode = attributesReader(at);
  return {
    prepare: () => Promise.resolve(),
    decode,
    // No other field counts.
    fields: (bytes, start, length) => {
      const event = blankEvent();
      decode(bytes, start, length, event);
      const { attributes } = event;
      return bareObject(attributes === undefined ? [] : [['attributes', bareObject(attributes)]]);
    },
  };
}

function attributesReader(at: string): EventDecoder['decode'] {
  const path = at
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return (bytes, start, length, target) => {
    resetEvent(target);
    if (isNestedBeyond(bytes, start, start + length, FOREIGN_DEPTH_MAX))
      return bad('invalid-json', `the value is nested more than ${FOREIGN_DEPTH_MAX} deep`);
    let text: string;
    try {
      text = utf8.decode(bytes.subarray(start, start + length));
    } catch {
      return bad('invalid-utf8', 'the value is not valid UTF-8');
    }
    const value = parsed(text);
    if (value === undefined) return bad('invalid-json', 'the value is not JSON');
    const found = path.reduce(memberOf, value) ?? undefined;
    if (found === undefined) return EVENT;
    if (!isObject(found)) return bad('invalid-attributes', `what lies at input.attributes.at (${at}) is no object`);
    const attributes = attributesIn(found);
    if (attributes === undefined) return bad('invalid-utf8', 'an attribute holds half of a surrogate pair');
    if (attributes.size > 0) target.attributes = attributes;
    return EVENT;
  };
}

/** undefined where it is no JSON. */
function parsed(text: string): unknown {
  try {
    return json.parse(text, (_name, value, { source }) => (typeof value === 'number' ? json.rawJSON(source) : value));
  } catch {
    return undefined; // that is the answer
  }
}

function memberOf(of: unknown, token: string): unknown {
  return isObject(of) && Object.hasOwn(of, token) ? of[token] : undefined;
}

/** No number, as `rawJSON` makes them: such an object has no prototype. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.getPrototypeOf(value) === Object.prototype
  );
}

/** undefined: a text that UTF-8 cannot encode. */
function attributesIn(members: Readonly<Record<string, unknown>>): Map<string, string> | undefined {
  const attributes = new Map<string, string>();
  for (const [name, value] of Object.entries(members)) {
    if (value === null) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (!name.isWellFormed() || !text.isWellFormed()) return undefined;
    attributes.set(name, text);
  }
  return attributes;
}

function bad(reason: Extract<DecodeOutcome, { kind: 'bad' }>['reason'], detail: string): DecodeOutcome {
  return { kind: 'bad', reason, detail };
}
