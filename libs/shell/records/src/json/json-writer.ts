// JSON as bytes, written into one buffer that is reused: most records need no string of their own.
import { ByteChunks } from '../byte-chunks.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
const DELETE = 0x7f;
/** A JavaScript character takes at most three bytes of UTF-8, or six as an escape. */
const ESCAPED_BYTES_MAX = 6;
const DIGITS_MAX = 24;
/** Numbers are cut here, so that both halves are small integers. */
const HALF = 1e9;
const WORD_BYTES = 4;
/** Both digits of the numbers below a hundred, as two bytes. */
const DIGIT_PAIRS = Uint16Array.from(
  { length: 100 },
  (_, pair) => ((ZERO + Math.floor(pair / 10)) << 8) | (ZERO + (pair % 10)),
);
/** Above this a call into the engine's own copying is cheaper than a loop. */
const LOOPED_MAX = 64;

/** JSON that is written again and again, four bytes to a number so that it is copied in few steps. */
export interface Phrase {
  readonly words: Int32Array;
  readonly length: number;
}

export function phraseOf(json: string): Phrase {
  const bytes = Buffer.from(json);
  const words = new Int32Array(Math.ceil(bytes.length / WORD_BYTES));
  const padded = Buffer.alloc(words.length * WORD_BYTES);
  bytes.copy(padded);
  for (let i = 0; i < words.length; i += 1) words[i] = padded.readInt32BE(i * WORD_BYTES);
  return { words, length: bytes.length };
}

const TRUE = phraseOf('true');
const FALSE = phraseOf('false');

export class JsonWriter {
  #buffer = Buffer.allocUnsafeSlow(1024);
  #view = new DataView(this.#buffer.buffer);
  #length = 0;
  readonly #chunks = new ByteChunks();

  clear(): void {
    this.#length = 0;
  }

  /** All that was written since `clear`. Valid until more is. */
  view(): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, 0, this.#length);
  }

  /** A copy of it. */
  copy(): Uint8Array {
    return this.#chunks.copyOf(this.#buffer, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** Bytes that are JSON already. */
  raw(bytes: Uint8Array): void {
    const { length } = bytes;
    this.#reserve(length);
    const buffer = this.#buffer;
    const at = this.#length;
    if (length > LOOPED_MAX) buffer.set(bytes, at);
    else for (let i = 0; i < length; i += 1) buffer[at + i] = bytes[i]!;
    this.#length = at + length;
  }

  phrase({ words, length }: Phrase): void {
    this.#reserve(words.length * WORD_BYTES);
    const view = this.#view;
    const at = this.#length;
    // Bytes that the last word writes beyond the end are overwritten by what follows.
    for (let i = 0; i < words.length; i += 1) view.setInt32(at + i * WORD_BYTES, words[i]!);
    this.#length = at + length;
  }

  boolean(value: boolean): void {
    this.phrase(value ? TRUE : FALSE);
  }

  /** As `String(value)`; a safe integer that is not negative without the string. */
  number(value: number): void {
    this.#reserve(DIGITS_MAX);
    if (!Number.isSafeInteger(value) || value < 0) {
      this.#ascii(String(value));
    } else if (value < HALF) {
      this.#digits(value | 0, digitsOf(value | 0));
    } else {
      const high = Math.floor(value / HALF);
      this.#digits(high, digitsOf(high));
      this.#digits((value - high * HALF) | 0, 9);
    }
  }

  /** A string as JSON.stringify writes it. */
  string(value: string): void {
    if (this.plainString(value)) return;
    this.#length += this.#buffer.write(JSON.stringify(value), this.#length, 'utf8');
  }

  /** A string of printable ASCII without anything to escape. False: it is none, and nothing was written. */
  plainString(value: string): boolean {
    const { length } = value;
    this.#reserve(length * ESCAPED_BYTES_MAX + 2);
    const buffer = this.#buffer;
    let at = this.#length;
    buffer[at++] = QUOTE;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (isSpecial(code)) return false;
      buffer[at++] = code;
    }
    buffer[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  /** A string of printable ASCII from its bytes. False: it is not of printable ASCII, and nothing was written. */
  asciiString(bytes: Uint8Array): boolean {
    const { length } = bytes;
    this.#reserve(length + 2);
    const buffer = this.#buffer;
    let at = this.#length;
    buffer[at++] = QUOTE;
    for (let i = 0; i < length; i += 1) {
      const code = bytes[i]!;
      if (isSpecial(code)) return false;
      buffer[at++] = code;
    }
    buffer[at++] = QUOTE;
    this.#length = at;
    return true;
  }

  #ascii(text: string): void {
    this.#reserve(text.length);
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
  }

  /** The last `count` decimal digits of a small integer, zeros in front. */
  #digits(value: number, count: number): void {
    const view = this.#view;
    const start = this.#length;
    let rest = value;
    let at = start + count;
    for (; at - start >= 2; at -= 2) {
      const hundredth = (rest / 100) | 0;
      view.setUint16(at - 2, DIGIT_PAIRS[rest - 100 * hundredth]!);
      rest = hundredth;
    }
    if (at > start) view.setUint8(start, ZERO + (rest % 10));
    this.#length = start + count;
  }

  #reserve(more: number): void {
    const need = this.#length + more;
    if (need <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(need, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Characters that are escaped, or take more than a byte. */
function isSpecial(code: number): boolean {
  return code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH;
}

/** Decimal digits of an integer from 0 to below 2^31. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits += 1;
  return digits;
}
