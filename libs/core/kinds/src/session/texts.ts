// The texts of a session (event ids, counts by type, attributes; beside them its sources), read and edited in the bytes that they are kept as.
//
// The bytes are those of the changelog and the local store, where they stand as they are (docs/FORMATS.md):
//
//   attributeLength u32 · position of the types u32 (high bit: truncated) · position of the attributes u32 (high bit: some value
//   has not been ASCII) · event ids, types, attributes: each a count and that many items
//
// Where there is more, attributeLength has its high bit, too, and before the event ids stand
//
//   position of the event ids u32 (high bit: told of) · [when the session was last told of (S11): low u32 · high u32]
//   · [sources (S5): sources.ts]
//
//
// No object, no string is made of what is kept until a summary needs it. A text is looked for as bytes, one after another:
// lists are short, and lie on a few cache lines.
//
// Owns: what the bytes mean.
// Does not own: the bytes (StateBytes), limits (apply-event.ts).
//
// Invariants
//   SY1  The header says what walking the lists would find.
//   SY2  Texts come in the order in which they were first kept; a name or type is in its list once.
import { ByteWriter, type Millis } from '@flatline/base';
import { type BytesSpan, HeapBytes, type StateBytes } from '../state-bytes.ts';
import { RecurringTexts } from './recurring-texts.ts';
import { soughtText } from './sought-text.ts';

/** Where the fields of the header are. */
const ATTRIBUTE_LENGTH = 0;
const TYPES = 4;
const ATTRIBUTES = 8;
/** Where the lists begin; where there is more, the position of the event ids, which that follows. */
const LISTS = 12;
const MORE = 16;
/** Bytes of an instant, and what its high word is worth. */
const INSTANT_BYTES = 8;
const HIGH_WORD = 2 ** 32;
/** Beside a position or length: truncated, not ASCII, that there is more, or when it was told of. */
const MARK = 0x80000000;
const POSITION = MARK - 1;

/** Groups of seven bits that make an integer. */
const INT_BITS = 28;
/** A count below is one byte, which can be counted up in place. */
const SHORT_COUNT = 0x7f;

const NOTHING = new Uint8Array(0);
/** Room for the position of the event ids, and for an instant. */
const NO_MORE = new Uint8Array(MORE - LISTS);
const NO_INSTANT = new Uint8Array(INSTANT_BYTES);
const interned = new RecurringTexts();
/** Scratch for what is to be written, which limits keep short (apply-event.ts). */
const written = new ByteWriter(256);

/** Value of an attribute, and the event time that set it. */
export interface TimedValue {
  readonly value: string;
  readonly at: Millis;
}

export class SessionTexts {
  readonly #state: StateBytes;
  /** Where the list is read, and in which memory; what an edit has moved is never read on. */
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  /** Position of the attribute where `findAttribute` begins: producers send the same ones in the same order. */
  #next = 0;
  /** The attribute found last: position of its value, bytes of value and time, and what they say. */
  #value = 0;
  #valueBytes = 0;
  #foundLength = 0;
  #foundAt: Millis = 0;

  constructor(state: StateBytes) {
    this.#state = state;
  }

  get state(): StateBytes {
    return this.#state;
  }

  get truncated(): boolean {
    return this.#header(TYPES) >= MARK;
  }
  set truncated(value: boolean) {
    const position = this.#header(TYPES) & POSITION;
    this.#state.setUint32(TYPES, value ? position + MARK : position);
  }

  /** Sum of the UTF-16 lengths of attribute names and values. */
  get attributeLength(): number {
    return this.#header(ATTRIBUTE_LENGTH) & POSITION;
  }

  /** When the session was last told of (S11): in a record of its opening, or of an update; undefined: no record is owed one. */
  get toldAt(): Millis | undefined {
    if (!this.#isTold) return undefined;
    return this.#header(MORE) + this.#header(MORE + 4) * HIGH_WORD;
  }

  /** Makes the place for it where there is none. */
  noteTold(at: Millis): void {
    const state = this.#state;
    this.#makeMore();
    if (!this.#isTold) {
      state.splice(MORE, 0, NO_INSTANT, INSTANT_BYTES);
      state.setUint32(LISTS, this.#header(LISTS) + INSTANT_BYTES + MARK);
      this.#moveTypes(INSTANT_BYTES);
    }
    state.setUint32(MORE, at % HIGH_WORD);
    state.setUint32(MORE + 4, Math.floor(at / HIGH_WORD));
  }

  /** The sources' bytes, which `spliceSources` edits; undefined: there are none. */
  get sources(): BytesSpan | undefined {
    const { bytes, start } = this.#state;
    const first = this.#sources;
    const length = this.#eventIds - first;
    return length <= 0 ? undefined : { bytes, start: start + first, length };
  }

  /** Puts the first `count` bytes of `from` in place of `removed` at `at` of the sources, which there are from then on. */
  spliceSources(at: number, removed: number, from: Uint8Array, count: number): void {
    const state = this.#state;
    this.#makeMore();
    state.splice(this.#sources + at, removed, from, count);
    state.setUint32(LISTS, this.#header(LISTS) + count - removed);
    this.#moveTypes(count - removed);
  }

  get eventIdCount(): number {
    return this.#open(this.#eventIds);
  }
  get typeCount(): number {
    return this.#open(this.#types);
  }
  get attributeCount(): number {
    return this.#open(this.#attributes);
  }

  hasEventId(eventId: string): boolean {
    const text = soughtText(eventId);
    let left = this.#open(this.#eventIds);
    const bytes = this.#bytes;
    for (; left > 0; left -= 1) {
      if (isAt(bytes, this.#at, text)) return true;
      this.#at = this.#endOfText(this.#at);
    }
    return false;
  }

  /** The newest. */
  addEventId(eventId: string): void {
    written.clear();
    written.text(eventId);
    this.#state.splice(this.#types, 0, written.peek(), written.length);
    this.#moveTypes(written.length + this.#countUp(this.#eventIds, 1));
  }

  dropOldestEventId(): void {
    this.#open(this.#eventIds);
    const first = this.#at;
    this.#skipText();
    const removed = this.#at - first;
    this.#state.splice(first - this.#state.start, removed, NOTHING, 0);
    this.#moveTypes(this.#countUp(this.#eventIds, -1) - removed);
  }

  /** Counts one more of a type that has a count; false: it has none. */
  countType(type: string): boolean {
    const text = soughtText(type);
    let left = this.#open(this.#types);
    const bytes = this.#bytes;
    for (; left > 0; left -= 1) {
      const at = this.#at;
      if (isAt(bytes, at, text)) {
        this.#moveAttributes(this.#countUp(at + text.length - this.#state.start, 1));
        return true;
      }
      this.#at = endOfNumber(bytes, this.#endOfText(at));
    }
    return false;
  }

  /** A type that has none, with this count. */
  addType(type: string, count = 1): void {
    written.clear();
    written.text(type);
    written.varint(count);
    this.#state.splice(this.#attributes, 0, written.peek(), written.length);
    this.#moveAttributes(written.length + this.#countUp(this.#types, 1));
  }

  /** Says that what comes next is another event's attributes, or another session's. */
  rewind(): void {
    this.#next = 0;
  }

  /** True if there is such an attribute. Begins where the one found last ends, `rewind` before the first. */
  findAttribute(name: string): boolean {
    const text = soughtText(name);
    this.#open(this.#attributes);
    const first = this.#at;
    const { start, length } = this.#state;
    const from = Math.max(first, start + this.#next);
    return this.#findBetween(from, start + length, text) || this.#findBetween(first, from, text);
  }

  /** True if there is such an attribute with such a value: both as `soughtText` has them. Says nothing to `findAttribute`. */
  hasAttribute(name: Uint8Array, value: Uint8Array): boolean {
    let left = this.#open(this.#attributes);
    const bytes = this.#bytes;
    for (; left > 0; left -= 1) {
      const at = this.#at;
      const valueAt = this.#endOfText(at);
      if (isAt(bytes, at, name)) return isAt(bytes, valueAt, value);
      this.#at = endOfNumber(bytes, this.#endOfText(valueAt));
    }
    return false;
  }

  attributeNames(): Set<string> {
    const names = new Set<string>();
    for (let left = this.#open(this.#attributes); left > 0; left -= 1) {
      names.add(this.#text());
      this.#skipText();
      this.#varint();
    }
    return names;
  }

  /** The event time that set the attribute found, and the UTF-16 length of its value. */
  get foundAt(): Millis {
    return this.#foundAt;
  }
  get foundLength(): number {
    return this.#foundLength;
  }

  replaceFound(value: string, at: Millis): void {
    written.clear();
    this.#writeValue(value, at);
    this.#state.splice(this.#value, this.#valueBytes, written.peek(), written.length);
    this.#next = this.#value + written.length;
    const grown = value.length - this.#foundLength;
    if (grown !== 0) this.#state.setUint32(ATTRIBUTE_LENGTH, this.#header(ATTRIBUTE_LENGTH) + grown);
  }

  /** One that there is not. */
  addAttribute(name: string, value: string, at: Millis): void {
    written.clear();
    written.text(name);
    this.#writeValue(value, at);
    this.#state.splice(this.#state.length, 0, written.peek(), written.length);
    this.#countUp(this.#attributes, 1);
    this.#next = this.#state.length;
    this.#state.setUint32(ATTRIBUTE_LENGTH, this.#header(ATTRIBUTE_LENGTH) + name.length + value.length);
  }

  /** By type, without HEARTBEAT. */
  countsByType(): Map<string, number> {
    const counts = new Map<string, number>();
    for (let left = this.#open(this.#types); left > 0; left -= 1) counts.set(this.#text(), this.#varint());
    return counts;
  }

  /** The oldest first. */
  eventIds(): string[] {
    const ids: string[] = [];
    for (let left = this.#open(this.#eventIds); left > 0; left -= 1) ids.push(this.#text());
    return ids;
  }

  /** With the event time that set each. */
  attributes(): Map<string, TimedValue> {
    const attributes = new Map<string, TimedValue>();
    for (let left = this.#open(this.#attributes); left > 0; left -= 1) {
      const name = this.#text();
      const value = this.#text();
      const zigzagged = this.#varint();
      attributes.set(name, { value, at: zigzagged % 2 === 0 ? zigzagged / 2 : -(zigzagged + 1) / 2 });
    }
    return attributes;
  }

  attributeValues(): Map<string, string> {
    const values = new Map<string, string>();
    for (let left = this.#open(this.#attributes); left > 0; left -= 1) {
      values.set(this.#text(), this.#text());
      this.#varint();
    }
    return values;
  }

  #header(field: number): number {
    return this.#state.view.getUint32(this.#state.start + field, true);
  }

  get #hasMore(): boolean {
    return this.#header(ATTRIBUTE_LENGTH) >= MARK;
  }
  get #isTold(): boolean {
    return this.#hasMore && this.#header(LISTS) >= MARK;
  }
  get #sources(): number {
    return this.#isTold ? MORE + INSTANT_BYTES : MORE;
  }
  get #eventIds(): number {
    return this.#hasMore ? this.#header(LISTS) & POSITION : LISTS;
  }
  get #types(): number {
    return this.#header(TYPES) & POSITION;
  }
  get #attributes(): number {
    return this.#header(ATTRIBUTES) & POSITION;
  }

  /** Goes to the first item of the list at that position, and returns how many there are. */
  #open(list: number): number {
    this.#bytes = this.#state.bytes;
    this.#at = this.#state.start + list;
    return this.#varint();
  }

  #findBetween(from: number, to: number, name: Uint8Array): boolean {
    const bytes = this.#bytes;
    for (let at = from; at < to;) {
      const value = this.#endOfText(at);
      const time = this.#endOfText(value);
      if (!isAt(bytes, at, name)) at = endOfNumber(bytes, time);
      else return this.#noteFound(value, time);
    }
    return false;
  }

  /** An attribute whose value and time begin there. */
  #noteFound(value: number, time: number): true {
    const { start } = this.#state;
    const isAscii = this.#header(ATTRIBUTES) < MARK;
    this.#at = value;
    const length = this.#varint();
    this.#foundLength = isAscii ? length : unitsOf(this.#bytes, this.#at, length);
    this.#at = time;
    const zigzagged = this.#varint();
    // The first byte has the lowest bit: to divide a long number for it takes as long as all the rest.
    this.#foundAt = (this.#bytes[time]! & 1) === 0 ? zigzagged / 2 : -(zigzagged + 1) / 2;
    this.#value = value - start;
    this.#valueBytes = this.#at - value;
    this.#next = this.#at - start;
    return true;
  }

  #writeValue(value: string, at: Millis): void {
    const before = written.length;
    written.text(value);
    if (written.length - before !== textSize(value.length)) this.#state.setUint32(ATTRIBUTES, this.#attributes + MARK);
    written.signedVarint(at);
  }

  /** Adds to the number at that position; returns how many bytes longer it is now. */
  #countUp(position: number, by: number): number {
    const state = this.#state;
    const byte = state.bytes[state.start + position]!;
    if (byte < SHORT_COUNT) {
      state.setUint8(position, byte + by);
      return 0;
    }
    this.#bytes = state.bytes;
    this.#at = state.start + position;
    const count = this.#varint();
    const length = this.#at - state.start - position;
    written.clear();
    written.varint(count + by);
    state.splice(position, length, written.peek(), written.length);
    return written.length - length;
  }

  /** Makes room for what stands before the event ids. */
  #makeMore(): void {
    if (this.#hasMore) return;
    const state = this.#state;
    state.splice(LISTS, 0, NO_MORE, NO_MORE.length);
    state.setUint32(LISTS, MORE);
    state.setUint32(ATTRIBUTE_LENGTH, this.#header(ATTRIBUTE_LENGTH) + MARK);
    this.#moveTypes(NO_MORE.length);
  }

  #moveTypes(by: number): void {
    if (by === 0) return;
    this.#state.setUint32(TYPES, this.#header(TYPES) + by);
    this.#moveAttributes(by);
  }
  #moveAttributes(by: number): void {
    if (by !== 0) this.#state.setUint32(ATTRIBUTES, this.#header(ATTRIBUTES) + by);
  }

  #endOfText(at: number): number {
    const length = this.#bytes[at]!;
    if (length < 0x80) return at + 1 + length;
    this.#at = at;
    this.#skipText();
    return this.#at;
  }

  /** Returns how many bytes it is, without its length. */
  #skipText(): number {
    const length = this.#varint();
    this.#at += length;
    return length;
  }

  #text(): string {
    const length = this.#skipText();
    return interned.textOf(this.#bytes, this.#at - length, length);
  }

  #varint(): number {
    const byte = this.#bytes[this.#at++]!;
    return byte < 0x80 ? byte : this.#longVarint(byte & 0x7f);
  }

  #longVarint(first: number): number {
    const bytes = this.#bytes;
    let value = first;
    for (let shift = 7; shift < INT_BITS; shift += 7) {
      const byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    for (let scale = 2 ** INT_BITS, byte = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = bytes[this.#at++]!;
      value += (byte & 0x7f) * scale;
    }
    return value;
  }
}

export function blankTexts(): SessionTexts {
  const state = new HeapBytes(new Uint8Array(LISTS + 3));
  state.setUint32(TYPES, LISTS + 1);
  state.setUint32(ATTRIBUTES, LISTS + 2);
  return new SessionTexts(state);
}

/** True if the text there is the one sought, length and all: where it is shorter, the first byte tells. */
function isAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i += 1) if (bytes[at + i] !== text[i]) return false;
  return true;
}

/** After the varint that begins there. */
function endOfNumber(bytes: Uint8Array, begin: number): number {
  let at = begin;
  while (bytes[at++]! >= 0x80);
  return at;
}

/** UTF-16 units of UTF-8 text: as many as there are bytes that begin a character, and one more where that takes four. */
function unitsOf(bytes: Uint8Array, start: number, length: number): number {
  let units = 0;
  for (let i = start; i < start + length; i += 1) {
    const byte = bytes[i]!;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

/** Bytes of a text of so many, with its length. */
function textSize(length: number): number {
  let size = length + 1;
  for (let rest = length; rest >= 0x80; rest >>>= 7) size += 1;
  return size;
}
