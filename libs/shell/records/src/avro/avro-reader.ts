// Avro's binary encoding (Avro 1.12, "Binary Encoding"), read in place within the bounds of one value.
//
// Everything that a value says of lengths and counts is a claim: nothing is allocated for it, nothing is repeated for it
// without consuming bytes. (The avsc library believes block counts, and loops 2^50 times over an empty rest.)
//
// Invariants
//   AR1  start ≤ position ≤ end; no byte outside is read.
//   AR2  Every loop consumes at least one byte per turn, so a value costs time in proportion to its size.
import { counted } from '@flatline/base';
import { BadInput } from '../bad-input.ts';
import { decodeUtf8, type TextReader } from '../text-reader.ts';

const NOTHING = Buffer.alloc(0);
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

export class AvroReader {
  readonly #texts: TextReader;
  #buffer: Buffer = NOTHING;
  #end = 0;
  #position = 0;
  /** Nesting of what is being skipped, kept by recursive skips. */
  depth = 0;

  constructor(texts: TextReader) {
    this.#texts = texts;
  }

  reset(buffer: Buffer, start: number, end: number): void {
    this.#buffer = buffer;
    this.#position = start;
    this.#end = end;
    this.depth = 0;
  }

  get remaining(): number {
    return this.#end - this.#position;
  }

  /** `int` and `long`: zigzag, base 128, low end first, at most ten bytes. @throws BadInput beyond 2^53 − 1. */
  long(): number {
    const first = this.#byte();
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    // Two halves of 28 bits, since bit operations are 32-bit; bits above 56 must be zero.
    let low = first & 0x7f;
    let high = 0;
    let byte = first;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = this.#byte();
      if (shift < 28) low |= (byte & 0x7f) << shift;
      else if (shift < 56) high |= (byte & 0x7f) << (shift - 28);
      else if (shift > 63) throw new BadInput('invalid-avro', 'a number of more than ten bytes');
      else if ((byte & 0x7f) !== 0) throw tooLarge();
    }
    const magnitude = (high >>> 0) * 2 ** 27 + (low >>> 1);
    const negative = low & 1;
    if (magnitude > Number.MAX_SAFE_INTEGER - negative) throw tooLarge();
    return negative === 1 ? -magnitude - 1 : magnitude;
  }

  boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw new BadInput('invalid-avro', `a boolean is the byte ${byte}`);
    return byte === 1;
  }

  /** `string`, or `bytes` that hold text. @throws BadInput where they are not UTF-8. */
  text(): string {
    const start = this.advance(this.#length());
    return decodeUtf8(this.#buffer, start, this.#position);
  }

  /** A text whose bytes may be any: what is no UTF-8 becomes U+FFFD. */
  lossyText(): string {
    const start = this.advance(this.#length());
    return lossy.decode(this.#buffer.subarray(start, this.#position));
  }

  /** Copies `length` bytes. */
  raw(length: number): Uint8Array {
    const start = this.advance(length);
    return Uint8Array.prototype.slice.call(this.#buffer, start, this.#position);
  }

  float(): number {
    return this.#buffer.readFloatLE(this.advance(4));
  }

  double(): number {
    return this.#buffer.readDoubleLE(this.advance(8));
  }

  /** As `long`, of any size: the nearest double. */
  roundedLong(): number {
    let zigzagged = 0n;
    for (let shift = 0n, byte = 0x80; byte >= 0x80; shift += 7n) {
      if (shift > 63n) throw new BadInput('invalid-avro', 'a number of more than ten bytes');
      byte = this.#byte();
      zigzagged |= BigInt(byte & 0x7f) << shift;
    }
    const magnitude = zigzagged & 0xffffffffffffffffn;
    return Number((magnitude & 1n) === 0n ? magnitude >> 1n : -(magnitude >> 1n) - 1n);
  }

  /** A copy. */
  bytes(): Uint8Array {
    const start = this.advance(this.#length());
    return Uint8Array.prototype.slice.call(this.#buffer, start, this.#position);
  }

  /** Text that tends to come again. */
  recurringText(): string {
    const start = this.advance(this.#length());
    return this.#texts.recurring(this.#buffer, start, this.#position);
  }

  /** Which branch of a union of `count` follows. */
  branch(count: number): number {
    const index = this.long();
    if (index < 0 || index >= count) throw new BadInput('invalid-avro', `branch ${index} of a union of ${count}`);
    return index;
  }

  /** The number of items in the next block of a map or array; 0 ends it. The size some blocks carry is passed over. */
  blockCount(): number {
    const count = this.long();
    if (count >= 0) return count;
    this.#length();
    return -count;
  }

  /** Passes over a block at once where it carries its size. True: done; false: `count` items follow, one by one. */
  blockToSkip(): { readonly count: number; readonly skipped: boolean } {
    const count = this.long();
    if (count >= 0) return { count, skipped: false };
    this.advance(this.#length());
    return { count: -count, skipped: true };
  }

  /** `bytes` and `string`, unread. */
  skipSized(): void {
    this.advance(this.#length());
  }

  /** Skips a number, which may be beyond our range. */
  skipLong(): void {
    for (let bytes = 1; this.#byte() >= 0x80; bytes += 1) {
      if (bytes === 10) throw new BadInput('invalid-avro', 'a number of more than ten bytes');
    }
  }

  /** Moves on by `length` bytes; where they start. */
  advance(length: number): number {
    const start = this.#position;
    if (length > this.#end - start) {
      throw new BadInput('invalid-avro', `the value ends ${counted(length - (this.#end - start), 'byte')} too early`);
    }
    this.#position = start + length;
    return start;
  }

  #byte(): number {
    if (this.#position >= this.#end) throw new BadInput('invalid-avro', 'the value ends too early');
    return this.#buffer[this.#position++]!;
  }

  #length(): number {
    const length = this.long();
    if (length < 0) throw new BadInput('invalid-avro', `a length of ${length}`);
    return length;
  }
}

function tooLarge(): BadInput {
  return new BadInput('invalid-avro', 'a number beyond 2^53 - 1');
}
