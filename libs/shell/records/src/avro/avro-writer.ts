// Avro's binary encoding (Avro 1.12, "Binary Encoding"), written into one buffer that is reused.
import { assert } from '@flatline/base';

/** Bytes of the longest `long`. */
const LONG_BYTES_MAX = 10;
const ASCII_TRIED_MAX = 63;

export class AvroWriter {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  /** All that was written since `clear`. Valid until more is. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** A copy of it. */
  copy(): Uint8Array {
    return Buffer.from(this.view());
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  u32BigEndian(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeUInt32BE(value, this.#length);
  }

  /** `int` and `long`: any safe integer. */
  long(value: number): void {
    if (!Number.isSafeInteger(value)) assert(false, 'an Avro long is written from a safe integer', { value });
    this.#reserve(LONG_BYTES_MAX);
    const buffer = this.#buffer;
    let at = this.#length;
    // Zigzag doubles the value, which may leave the safe integers: it is written as 28 low bits and the rest.
    const negative = value < 0;
    const magnitude = negative ? -(value + 1) : value;
    const high = Math.floor(magnitude / 2 ** 27);
    let rest = (magnitude - high * 2 ** 27) * 2 + (negative ? 1 : 0);
    if (high > 0) {
      for (let byte = 0; byte < 4; byte += 1) {
        buffer[at++] = (rest & 0x7f) | 0x80;
        rest >>>= 7;
      }
      rest = high;
    }
    while (rest >= 0x80) {
      buffer[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[at++] = rest;
    this.#length = at;
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  bytes(value: Uint8Array): void {
    const { length } = value;
    this.long(length);
    this.#reserve(length);
    this.#buffer.set(value, this.#length);
    this.#length += length;
  }

  text(value: string): void {
    if (value.length <= ASCII_TRIED_MAX && this.#ascii(value)) return;
    const length = Buffer.byteLength(value, 'utf8');
    this.long(length);
    this.#reserve(length);
    this.#length += this.#buffer.write(value, this.#length, length, 'utf8');
  }

  /** Short ASCII, most text there is, costs less byte by byte than through two calls. False: nothing was written. */
  #ascii(value: string): boolean {
    const length = value.length;
    this.#reserve(length + 1);
    const buffer = this.#buffer;
    const at = this.#length + 1;
    for (let i = 0; i < length; i += 1) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      buffer[at + i] = code;
    }
    buffer[at - 1] = length << 1;
    this.#length = at + length;
    return true;
  }

  #reserve(more: number): void {
    const need = this.#length + more;
    if (need <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(need, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
