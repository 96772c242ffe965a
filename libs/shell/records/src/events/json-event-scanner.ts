// The short way through the JSON that producers really send: known fields, plain strings, plain integers.
//
// It reads bytes where they lie, without a string of the whole and an object to throw away. It never decides that
// something is wrong: it leaves whatever is not plain to JSON.parse (json-record.ts), and reads the rest as JSON.parse
// would. A property test holds the two against each other. The one exception, text that is not
// UTF-8, is thrown from here as it would be from there.
import { HEARTBEAT, type SessionEvent, SOURCE_BYTES_MAX } from '@flatline/ports/formats';
import { ByteWords, fourDigits } from '../byte-words.ts';
import { EVENT_ID_LENGTH_MAX, TYPE_LENGTH_MAX } from '../limits.ts';
import { decodeUtf8, type TextReader } from '../text-reader.ts';

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Integers of this many digits are exact, and as times before INSTANT_MAX. */
const DIGITS_MAX = 15;

const HEARTBEAT_TYPE = words(`"${HEARTBEAT}"`);
const TYPE = words('type"');
const OCCURRED_AT = words('occurredAt"');
const EVENT_ID = words('eventId"');
const SEQUENCE = words('sequence"');
const TIMEOUT_MS = words('timeoutMs"');
const ATTRIBUTES = words('attributes"');
const SOURCE = words('source"');
/** Parts of most events as machines write them, without spaces; and what many of them begin with. */
const COMPACT_BEGINNING = words(`{"type":"${HEARTBEAT}","occurredAt":`);
const COMPACT_HEARTBEAT = words(`"type":"${HEARTBEAT}"`);
const COMPACT_OCCURRED_AT = words('"occurredAt":');
const COMPACT_SEQUENCE = words('"sequence":');

export class JsonEventScanner {
  readonly #texts: TextReader;
  #buffer: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;

  constructor(texts: TextReader) {
    this.#texts = texts;
  }

  /**
   * True: `target`, blank before, holds the event. False: not plain, and `target` may be half filled.
   * @throws BadInput `invalid-utf8`.
   */
  scan(buffer: Buffer, start: number, end: number, target: SessionEvent): boolean {
    this.#buffer = buffer;
    this.#view = this.#texts.view(buffer);
    this.#at = start;
    this.#end = end;
    if (!this.#first(target)) return false;
    for (;;) {
      const after = this.#next();
      if (after === CLOSE) return this.#at === end;
      if (after !== COMMA || !this.#member(target)) return false;
    }
  }

  /** The opening brace and a member, or two where both are what they mostly are. */
  #first(event: SessionEvent): boolean {
    if (!this.#passes(COMPACT_BEGINNING)) return this.#next() === OPEN && this.#member(event);
    event.type = HEARTBEAT;
    return (event.occurredAt = this.#integer()) >= 0;
  }

  #member(event: SessionEvent): boolean {
    // The names differ in their second letter, here and below.
    switch (this.#buffer[this.#at + 2]) {
      case 0x79:
        if (!this.#passes(COMPACT_HEARTBEAT)) break;
        event.type = HEARTBEAT;
        return true;
      case 0x63:
        if (!this.#passes(COMPACT_OCCURRED_AT)) break;
        return (event.occurredAt = this.#integer()) >= 0;
      case 0x65:
        if (!this.#passes(COMPACT_SEQUENCE)) break;
        return (event.sequence = this.#integer()) >= 0;
    }
    return this.#anyMember(event);
  }

  #anyMember(event: SessionEvent): boolean {
    if (this.#next() !== QUOTE) return false;
    switch (this.#buffer[this.#at + 1]) {
      case 0x79:
        return this.#name(TYPE) && this.#type(event);
      case 0x63:
        return this.#name(OCCURRED_AT) && (event.occurredAt = this.#integer()) >= 0;
      case 0x76:
        return this.#name(EVENT_ID) && this.#eventId(event);
      case 0x65:
        return this.#name(SEQUENCE) && (event.sequence = this.#integer()) >= 0;
      case 0x69:
        return this.#name(TIMEOUT_MS) && (event.timeoutMs = this.#integer()) >= 1;
      case 0x74:
        return this.#name(ATTRIBUTES) && this.#attributes(event);
      case 0x6f:
        return this.#name(SOURCE) && this.#source(event);
      default:
        return false;
    }
  }

  #type(event: SessionEvent): boolean {
    // Most events are heartbeats.
    if (this.#peek() === QUOTE && this.#passes(HEARTBEAT_TYPE)) {
      event.type = HEARTBEAT;
      return true;
    }
    const start = this.#string();
    if (start < 0) return false;
    event.type = this.#texts.recurring(this.#buffer, start, this.#at - 1);
    return event.type.length >= 1 && event.type.length <= TYPE_LENGTH_MAX;
  }

  #eventId(event: SessionEvent): boolean {
    const start = this.#string();
    if (start < 0) return false;
    event.eventId = decodeUtf8(this.#buffer, start, this.#at - 1);
    return event.eventId.length >= 1 && event.eventId.length <= EVENT_ID_LENGTH_MAX;
  }

  #source(event: SessionEvent): boolean {
    const start = this.#string();
    const end = this.#at - 1;
    if (start < 0 || end === start || end - start > SOURCE_BYTES_MAX) return false;
    event.source = this.#texts.recurring(this.#buffer, start, end);
    return true;
  }

  #attributes(event: SessionEvent): boolean {
    event.attributes = undefined;
    if (this.#next() !== OPEN) return false;
    if (this.#peek() === CLOSE) return this.#next() === CLOSE;
    const attributes = new Map<string, string>();
    for (;;) {
      if (!this.#attribute(attributes)) return false;
      const after = this.#next();
      if (after === CLOSE) break;
      if (after !== COMMA) return false;
    }
    event.attributes = attributes;
    return true;
  }

  #attribute(attributes: Map<string, string>): boolean {
    const keyStart = this.#string();
    if (keyStart < 0) return false;
    const first = this.#buffer[keyStart]!;
    // JSON.parse's objects put keys that look like array indexes first: another order than the text's.
    if (first >= ZERO && first <= NINE) return false;
    const key = this.#texts.recurring(this.#buffer, keyStart, this.#at - 1);
    if (this.#next() !== COLON) return false;
    const start = this.#string();
    if (start < 0) return false;
    attributes.set(key, this.#texts.recurring(this.#buffer, start, this.#at - 1));
    return true;
  }

  /** The rest of a field's name, its closing quote and the colon. */
  #name(name: ByteWords): boolean {
    return this.#passes(name) && this.#next() === COLON;
  }

  /** Passes over a plain string: where its text starts (it ends before the quote, at `#at − 1`), or −1. */
  #string(): number {
    if (this.#next() !== QUOTE) return -1;
    const buffer = this.#buffer;
    const start = this.#at;
    for (let at = start; at < this.#end; at += 1) {
      const byte = buffer[at]!;
      if (byte === QUOTE) {
        this.#at = at + 1;
        return start;
      }
      if (byte === BACKSLASH || byte < SPACE) return -1;
    }
    return -1;
  }

  /** A plain integer ≥ 0, or −1. */
  #integer(): number {
    if (this.#peek() === ZERO) {
      this.#at += 1;
      return 0;
    }
    const end = this.#end;
    const start = this.#at;
    let at = start;
    let value = 0;
    for (; at + 4 <= end; at += 4) {
      const four = fourDigits(this.#view.getInt32(at, true));
      if (four < 0) break;
      value = value * 10_000 + four;
    }
    for (; at < end; at += 1) {
      const digit = this.#buffer[at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#at = at;
    return at > start && at - start <= DIGITS_MAX ? value : -1;
  }

  /** Moves past these bytes, if they are next. */
  #passes(bytes: ByteWords): boolean {
    const at = this.#at;
    if (at + bytes.length > this.#end || !bytes.areAt(this.#view, at)) return false;
    this.#at = at + bytes.length;
    return true;
  }

  /** Moves past the next byte that is not a space; −1 at the end. */
  #next(): number {
    const byte = this.#peek();
    this.#at += 1;
    return byte;
  }

  #peek(): number {
    const buffer = this.#buffer;
    const end = this.#end;
    let at = this.#at;
    while (at < end && buffer[at] === SPACE) at += 1;
    this.#at = at;
    return at < end ? buffer[at]! : -1;
  }
}

function words(text: string): ByteWords {
  return new ByteWords(Buffer.from(text));
}
