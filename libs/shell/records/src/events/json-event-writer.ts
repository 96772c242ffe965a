// Writes an event as JSON straight from what an application gives, where that is plainly right: without an object, a Map and a
// second event between. Anything else is left to a careful writer, which refuses it or writes the same bytes as here.
//
// Owns: the bytes being written.
// Does not own: what is refused, and in what words (EVENT_SHAPE).
import { INSTANT_MAX } from '@flatline/base';
import { HEARTBEAT, type SessionEvent, SOURCE_BYTES_MAX } from '@flatline/ports/formats';
import { JsonWriter, type Phrase, phraseOf } from '../json/json-writer.ts';
import { EVENT_ID_LENGTH_MAX, TYPE_LENGTH_MAX } from '../limits.ts';
import { type EventEncoder, isSource, type OutgoingEvent } from './event-shape.ts';

/** A field that EVENT_SHAPE gets is missing here, too, and the compiler says so. */
const BEFORE: Readonly<Record<keyof SessionEvent, Phrase>> = {
  type: phraseOf('{"type":'),
  occurredAt: phraseOf(',"occurredAt":'),
  eventId: phraseOf(',"eventId":'),
  sequence: phraseOf(',"sequence":'),
  timeoutMs: phraseOf(',"timeoutMs":'),
  attributes: phraseOf(',"attributes":{'),
  source: phraseOf(',"source":'),
};
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACE_CLOSE = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;

/** As an application gives it: programs in plain JavaScript have no types to stop them. */
type Given = Readonly<Record<keyof SessionEvent, unknown>>;

export class JsonEventWriter implements EventEncoder {
  readonly #writer = new JsonWriter();
  readonly #careful: EventEncoder;

  constructor(careful: EventEncoder) {
    this.#careful = careful;
  }

  encode(event: OutgoingEvent): Uint8Array {
    this.#writer.clear();
    return isPlain(event) && this.#writes(event as Given) ? this.#writer.copy() : this.#careful.encode(event);
  }

  /** In the order of EVENT_SHAPE. False: something is not plain. */
  #writes({ type, occurredAt, eventId, sequence, timeoutMs, attributes, source }: Given): boolean {
    const isWritten =
      this.#text(BEFORE.type, type ?? HEARTBEAT, TYPE_LENGTH_MAX) &&
      this.#long(BEFORE.occurredAt, occurredAt, 0, INSTANT_MAX) &&
      this.#text(BEFORE.eventId, eventId, EVENT_ID_LENGTH_MAX) &&
      this.#long(BEFORE.sequence, sequence, 0, Number.MAX_SAFE_INTEGER) &&
      this.#long(BEFORE.timeoutMs, timeoutMs, 1, Number.MAX_SAFE_INTEGER) &&
      this.#attributes(attributes) &&
      this.#source(source);
    this.#writer.byte(BRACE_CLOSE);
    return isWritten;
  }

  #text(before: Phrase, value: unknown, most: number): boolean {
    if (value === undefined || value === null) return true;
    if (typeof value !== 'string' || value.length < 1 || value.length > most) return false;
    this.#writer.phrase(before);
    return this.#string(value);
  }

  #long(before: Phrase, value: unknown, least: number, most: number): boolean {
    if (value === undefined || value === null) return true;
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) return false;
    this.#writer.phrase(before);
    this.#writer.number(value as number);
    return true;
  }

  #source(value: unknown): boolean {
    if (value === undefined || value === null) return true;
    if (typeof value !== 'string' || value === '') return false;
    this.#writer.phrase(BEFORE.source);
    // Plain ASCII has as many bytes as characters.
    if (value.length <= SOURCE_BYTES_MAX && this.#writer.plainString(value)) return true;
    return isSource(value) && this.#string(value);
  }

  #attributes(given: unknown): boolean {
    if (given === undefined || given === null) return true;
    if (isPlain(given)) return this.#members(given as Readonly<Record<string, unknown>>);
    return Object.getPrototypeOf(given) === Map.prototype && this.#entries(given as ReadonlyMap<unknown, unknown>);
  }

  #members(members: Readonly<Record<string, unknown>>): boolean {
    let count = 0;
    for (const name of Object.keys(members)) {
      if (!this.#member(name, members[name], count)) return false;
      count += 1;
    }
    if (count > 0) this.#writer.byte(BRACE_CLOSE);
    return true;
  }

  #entries(entries: ReadonlyMap<unknown, unknown>): boolean {
    let count = 0;
    for (const [name, value] of entries) {
      // Names that may be an index come first in an object, whatever their place in a Map.
      if (typeof name !== 'string' || isDigit(name.charCodeAt(0)) || !this.#member(name, value, count)) return false;
      count += 1;
    }
    if (count > 0) this.#writer.byte(BRACE_CLOSE);
    return true;
  }

  /** `count`: of those before it. */
  #member(name: string, value: unknown, count: number): boolean {
    const writer = this.#writer;
    if (count === 0) writer.phrase(BEFORE.attributes);
    else writer.byte(COMMA);
    if (typeof value !== 'string' || !this.#string(name)) return false;
    writer.byte(COLON);
    return this.#string(value);
  }

  #string(value: string): boolean {
    if (this.#writer.plainString(value)) return true;
    if (!value.isWellFormed()) return false;
    this.#writer.string(value);
    return true;
  }
}

/** An object without a class: what it holds are its own members. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
