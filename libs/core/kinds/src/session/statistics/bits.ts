// Whole numbers as bits, the most significant bit of each byte first; zeros fill the last byte.
import { type ByteWriter, MalformedBytes } from '@flatline/base';

/** Bits that fit beside a byte's rest in one word of bitwise operators. */
const PIECE_BITS = 24;
const PIECE = 2 ** PIECE_BITS;
const WORD = 2 ** 32;
/** No number has more digits. */
const DIGITS_MAX = 53;

/** Binary digits of a whole number up to 2^53 − 1; 0 has none. */
export function digitsOf(value: number): number {
  return value < WORD ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / WORD));
}

/** Writes bits behind what is written there; the last byte with `end`. */
export class BitWriter {
  readonly #out: ByteWriter;
  #word = 0;
  /** Bits of the word that are not written yet, fewer than 8 between calls. */
  #waiting = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  /** The `count` low bits of `value`, which has no others. */
  bits(value: number, count: number): void {
    if (count > PIECE_BITS) {
      this.bits(Math.floor(value / PIECE), count - PIECE_BITS);
      this.bits(value % PIECE, PIECE_BITS);
      return;
    }
    const word = (this.#word << count) | value;
    let waiting = this.#waiting + count;
    while (waiting >= 8) {
      waiting -= 8;
      this.#out.u8((word >>> waiting) & 0xff);
    }
    this.#word = word;
    this.#waiting = waiting;
  }

  /** A number of n digits, 1 or more, as Elias' γ has it: n − 1 zeros, and its digits. */
  gamma(value: number): void {
    this.gammaWith(value, 0, 0);
  }

  /** The same, then the `count` low bits of `low`, which has no others, at most 31. */
  gammaWith(value: number, low: number, count: number): void {
    const digits = digitsOf(value);
    const all = 2 * digits - 1 + count;
    if (all <= PIECE_BITS) {
      this.bits((value << count) | low, all);
      return;
    }
    this.bits(0, digits - 1);
    this.bits(value, digits);
    this.bits(low, count);
  }

  end(): void {
    if (this.#waiting > 0) this.bits(0, 8 - this.#waiting);
  }
}

/** Reads what a BitWriter has written. Each call @throws MalformedBytes where the bytes end before. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at: number;
  /** Bits of the byte at `#at` that are read. */
  #passed = 0;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** True if a bit that is set is left: what fills the last byte has none. */
  get hasMore(): boolean {
    if (this.#word !== 0) return true;
    for (let at = this.#at + 1; at < this.#bytes.length; at += 1) if (this.#bytes[at]! > 0) return true;
    return false;
  }

  /** A number of so many digits, at most 53. */
  bits(count: number): number {
    if (count > PIECE_BITS) return this.bits(count - PIECE_BITS) * PIECE + this.bits(PIECE_BITS);
    const value = count === 0 ? 0 : this.#word >>> (32 - count);
    this.#pass(count);
    return value;
  }

  gamma(): number {
    let zeros = 0;
    for (let more = PIECE_BITS; more === PIECE_BITS && zeros < DIGITS_MAX;) {
      more = Math.min(PIECE_BITS, Math.clz32(this.#word));
      this.#pass(more);
      zeros += more;
    }
    if (zeros >= DIGITS_MAX) throw new MalformedBytes('a sketch with a number beyond 2^53 − 1');
    return this.bits(1 + zeros);
  }

  /** The next bits from the highest on, PIECE_BITS at least; behind the end they are zeros. */
  get #word(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    let word = 0;
    if (at + 4 <= bytes.length)
      word = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
    else for (let i = at; i < at + 4; i += 1) word = (word << 8) | (bytes[i] ?? 0);
    return word << this.#passed;
  }

  #pass(count: number): void {
    const passed = this.#passed + count;
    this.#at += passed >>> 3;
    this.#passed = passed & 7;
    if (this.#at + (this.#passed > 0 ? 1 : 0) > this.#bytes.length)
      throw new MalformedBytes('a sketch that ends within a number');
  }
}
