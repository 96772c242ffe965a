// JSON as bytes, written into one buffer that is used again and again: of most records nothing is ever a string of its own.
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
/** Above this a call into the engine's own copying is cheaper than a loop. */
const LOOPED_MAX = 64;

export class JsonWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;
  readonly #chunks = new ByteChunks();

  clear(): void {
    this.#length = 0;
  }

  /** A copy of what was written since `clear`. */
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

  boolean(value: boolean): void {
    this.#ascii(value ? 'true' : 'false');
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
    const { length } = value;
    this.#reserve(length * ESCAPED_BYTES_MAX + 2);
    const buffer = this.#buffer;
    let at = this.#length;
    buffer[at++] = QUOTE;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (isSpecial(code)) {
        this.#length += buffer.write(JSON.stringify(value), this.#length, 'utf8');
        return;
      }
      buffer[at++] = code;
    }
    buffer[at++] = QUOTE;
    this.#length = at;
  }

  /** A string of printable ASCII out of its bytes. False: it is another one, and nothing was written. */
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
    const buffer = this.#buffer;
    let rest = value;
    for (let at = this.#length + count - 1; at >= this.#length; at -= 1) {
      const tenth = (rest / 10) | 0;
      buffer[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
    this.#length += count;
  }

  #reserve(more: number): void {
    const need = this.#length + more;
    if (need <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(need, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** What is escaped, or takes more than a byte. */
function isSpecial(code: number): boolean {
  return code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH;
}

/** Of an integer from 0 below 2^31. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits += 1;
  return digits;
}
