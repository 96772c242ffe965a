// Growable byte writer and bounds-checked byte reader for our own formats (blocks, entry images).
//
// Integers are unsigned LEB128 varints up to 2^53 - 1 (JavaScript's safe integers) or fixed little-endian. A writer asserts that a
// value fits: one that does not would make a log that cannot be read.
import { assert, AssertionError } from './assert.ts';

/** Thrown by a reader on bytes that break the format; adapters turn it into their own consequence. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes';
}

const HIGH = 0x80000000;
/** Four groups of seven bits, which are added up in one piece. */
const LOW_BITS = 28;
const LOW = 2 ** LOW_BITS;
/** Weight of the tenth group of seven bits, the last of a 64-bit number. */
const VARINT_SCALE_MAX = 2 ** 63;

/** Least number that zigzag can double and decrement without rounding. */
const SIGNED_MIN = -(2 ** 52);
/** Zigzag of the greatest safe integer: even, so that it is exact although it is beyond them. */
const ZIGZAG_MAX = 2 * Number.MAX_SAFE_INTEGER;

/** Returns what `signedVarint` writes as a varint: −2^52 ≤ value ≤ 2^53 − 1. */
export function zigzag(value: number): number {
  if (value >= 0) return 2 * value;
  if (value < SIGNED_MIN) throw unwritable(value);
  return -2 * value - 1;
}

/** True if the value can be written although it is no integer from 0 below 2^31. */
function isLong(value: number): boolean {
  return value >= HIGH && value <= ZIGZAG_MAX && Number.isInteger(value);
}

function unwritable(value: number): AssertionError {
  return new AssertionError('a varint is written from an integer in its range', { value: String(value) });
}

/** A text shorter than this has its length in one byte. */
const SHORT_TEXT = 0x80;
/** Contents shorter than this have their views kept. */
const KEPT_VIEWS = 512;

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  /** Views of short contents, by length: images have few lengths, and a view costs more than what it shows. */
  #views: (Uint8Array | undefined)[] = [];
  #length = 0;

  constructor(initialCapacity = 1024) {
    this.#bytes = new Uint8Array(initialCapacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far, valid until the next write; copy to keep. */
  peek(): Uint8Array {
    const length = this.#length;
    if (length >= KEPT_VIEWS) return this.#bytes.subarray(0, length);
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }

  /** The bytes that `peek` shows, as an existing view: those below `length` are written. Valid until the next write. */
  get view(): DataView {
    return this.#view;
  }

  /** A copy of the bytes written so far. */
  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Forgets everything from `length` on: undoes what was written since `length` was read. */
  truncate(length: number): void {
    assert(length <= this.#length, 'truncate only shortens', { length, current: this.#length });
    this.#length = length;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  f64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** 0 ≤ value ≤ 2^53 − 1, integer; 1 to 8 bytes. */
  varint(value: number): void {
    if (value > Number.MAX_SAFE_INTEGER) throw unwritable(value);
    this.#varint(value);
  }

  #varint(value: number): void {
    this.#reserve(8);
    const bytes = this.#bytes;
    let at = this.#length;
    let rest = value | 0;
    if (rest !== value || rest < 0) {
      // Bit operations are 32-bit: the low groups come off in one piece. Dividing by a power of two is exact.
      if (!isLong(value)) throw unwritable(value);
      bytes[at] = rest | 0x80;
      bytes[at + 1] = (rest >>> 7) | 0x80;
      bytes[at + 2] = (rest >>> 14) | 0x80;
      bytes[at + 3] = (rest >>> 21) | 0x80;
      at += 4;
      rest = (value / LOW) | 0;
    }
    while (rest >= 0x80) {
      bytes[at++] = rest | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.#length = at;
  }

  /**
   * Writes the first `count` values as `varint` does, or as `signedVarint` does where `zigzag` has encoded them. One loop costs
   * half as much as single calls, for which the compiler's inlining budget runs out.
   */
  varints(values: Float64Array, count: number): void {
    this.#reserve(8 * count);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < count; i += 1) {
      const value = values[i]!;
      let rest = value | 0;
      if (rest !== value || rest < 0) {
        if (!isLong(value)) throw unwritable(value);
        bytes[at] = rest | 0x80;
        bytes[at + 1] = (rest >>> 7) | 0x80;
        bytes[at + 2] = (rest >>> 14) | 0x80;
        bytes[at + 3] = (rest >>> 21) | 0x80;
        at += 4;
        rest = (value / LOW) | 0;
      }
      while (rest >= 0x80) {
        bytes[at++] = rest | 0x80;
        rest >>>= 7;
      }
      bytes[at++] = rest;
    }
    this.#length = at;
  }

  /** An integer from −2^52 to 2^53 − 1, zigzag: small negatives stay small. */
  signedVarint(value: number): void {
    this.#varint(zigzag(value));
  }

  raw(bytes: Uint8Array, start = 0, length: number = bytes.length - start): void {
    this.#reserve(length);
    const target = this.#bytes;
    let at = this.#length;
    if (length < 64) for (let i = start, end = start + length; i < end; i += 1) target[at++] = bytes[i]!;
    else target.set(length === bytes.length ? bytes : bytes.subarray(start, start + length), at);
    this.#length += length;
  }

  /** `raw` for the bytes of a view, four at a time: for short pieces half the time of copying byte by byte. */
  rawView(view: DataView, start: number, length: number): void {
    this.#reserve(length);
    const target = this.#view;
    const at = this.#length;
    const whole = length & ~3;
    for (let i = 0; i < whole; i += 4) target.setInt32(at + i, view.getInt32(start + i));
    for (let i = whole; i < length; i += 1) target.setUint8(at + i, view.getUint8(start + i));
    this.#length += length;
  }

  /** Length as varint, then the bytes. */
  block(bytes: Uint8Array, start = 0, length: number = bytes.length - start): void {
    this.varint(length);
    this.raw(bytes, start, length);
  }

  /** Begins a block whose length is known only once it is written: what is returned goes to `endBlock`. */
  beginBlock(): number {
    this.u8(0);
    return this.#length;
  }

  /** Ends it: the bytes are those that `block` would have written. */
  endBlock(start: number): void {
    const length = this.#length - start;
    if (length < 0x80) {
      this.#bytes[start - 1] = length;
      return;
    }
    const content = this.#bytes.slice(start, this.#length);
    this.#length = start - 1;
    this.block(content);
  }

  /** Length in bytes as varint, then UTF-8. */
  text(value: string): void {
    const { length } = value;
    if (length < SHORT_TEXT && this.#shortAscii(value, length)) return;
    this.block(utf8.encode(value));
  }

  /** Writes ASCII without a call and an array for each text. Returns false, and writes nothing, for any other text. */
  #shortAscii(value: string, length: number): boolean {
    this.#reserve(1 + length);
    const bytes = this.#bytes;
    const start = this.#length;
    bytes[start] = length;
    for (let i = 0; i < length; i += 1) {
      const unit = value.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[start + 1 + i] = unit;
    }
    this.#length = start + 1 + length;
    return true;
  }

  #reserve(more: number): void {
    const need = this.#length + more;
    if (need <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(need, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
    this.#views = [];
  }
}

export class ByteReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  position: number;
  /** Made on first need: most readers read varints only, and there is one reader per image. */
  #lazyView: DataView | undefined;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  get remaining(): number {
    return this.end - this.position;
  }

  u8(): number {
    return this.bytes[this.#advance(1)]!;
  }

  u32(): number {
    return this.#view().getUint32(this.#advance(4), true);
  }

  f64(): number {
    return this.#view().getFloat64(this.#advance(8), true);
  }

  varint(): number {
    return this.#varint(Number.MAX_SAFE_INTEGER);
  }

  #varint(most: number): number {
    const { bytes, end } = this;
    let at = this.position;
    let low = 0;
    for (let shift = 0; shift < LOW_BITS && at < end; shift += 7) {
      const byte = bytes[at++]!;
      low |= (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      this.position = at;
      return low;
    }
    this.position = at;
    return this.#longVarint(low, most);
  }

  /** Reads the groups that follow the four in `low`; fails at the end of the bytes. */
  #longVarint(low: number, most: number): number {
    let result = low;
    let scale = LOW;
    for (let count = 4; count < 8; count += 1) {
      const byte = this.u8();
      result += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        // Beyond the safe integers an odd number has been rounded to an even one by now.
        if (result > most || (result > Number.MAX_SAFE_INTEGER && low % 2 === 1))
          throw new MalformedBytes('varint beyond 2^53');
        return result;
      }
      scale *= 128;
    }
    throw new MalformedBytes('varint longer than 8 bytes');
  }

  signedVarint(): number {
    const value = this.#varint(ZIGZAG_MAX);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** `varint`, or 2^53 − 1 for one beyond: writers that did not look at the range have left such in logs that are still read. */
  saturatedVarint(): number {
    return this.#saturated(Number.MAX_SAFE_INTEGER);
  }

  /** `signedVarint`, or 2^53 − 1 for one beyond. */
  saturatedSignedVarint(): number {
    const value = this.#saturated(ZIGZAG_MAX);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #saturated(most: number): number {
    let result = 0;
    for (let scale = 1; scale <= VARINT_SCALE_MAX; scale *= 128) {
      const byte = this.u8();
      result += (byte & 0x7f) * scale;
      if (byte < 0x80) return Math.min(result, most);
    }
    throw new MalformedBytes('varint longer than 10 bytes');
  }

  /** A view, not a copy. */
  raw(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.bytes.subarray(start, start + length);
  }

  skip(length: number): void {
    this.#advance(length);
  }

  block(): Uint8Array {
    return this.raw(this.varint());
  }

  text(): string {
    return utf8Reader.decode(this.block());
  }

  #view(): DataView {
    const { buffer, byteOffset, byteLength } = this.bytes;
    this.#lazyView ??= new DataView(buffer, byteOffset, byteLength);
    return this.#lazyView;
  }

  #advance(length: number): number {
    const start = this.position;
    if (length > this.end - start) throw new MalformedBytes(`needs ${length} bytes, ${this.end - start} left`);
    this.position = start + length;
    return start;
  }
}

const utf8 = new TextEncoder();
// Without `ignoreBOM` a leading U+FEFF is dropped, and a text read back would be another one.
const utf8Reader = new TextDecoder('utf-8', { ignoreBOM: true });

/** Longest text that is encoded in place, in UTF-16 units: three bytes each at most. */
const SCRATCH_UNITS = 1_024;
const scratch = new Uint8Array(3 * SCRATCH_UNITS);

/**
 * The UTF-8 of a text, in bytes of its own; a lone surrogate becomes U+FFFD. `TextEncoder.encode` takes memory outside of V8's heap each
 * time: for a key it costs six times as much.
 */
export function utf8Of(text: string): Uint8Array {
  if (text.length > SCRATCH_UNITS) return utf8.encode(text);
  return scratch.slice(0, utf8.encodeInto(text, scratch).written);
}

/** A copy of a range. Not `slice`: on Node's Buffer, which readers may hand out, that is a view. */
export function copyBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return new Uint8Array(bytes.subarray(start, end));
}
