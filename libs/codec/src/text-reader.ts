// Text out of a range of bytes: checked to be UTF-8, and short text interned.
//
// Owns: a direct-mapped table of the short strings seen last.      Does not own: the bytes.
//
// Types, attribute names and most attribute values come again and again. Finding the string that exists costs less than
// making one, and sessions that hold it then share it. A collision only replaces: hostile text cannot make it grow.
//
// Invariants
//   T1  A slot's string is exactly what its bytes decode to.
//   T2  What cannot be decoded without loss is bad input, never a replacement character.
import { isUtf8 } from 'node:buffer';
import { BadInput } from './bad-input.ts';

const SLOTS = 1024;
const SLOT_BYTES = 32;
const REPLACEMENT = '\uFFFD';

export class TextReader {
  readonly #bytes = new Uint8Array(SLOTS * SLOT_BYTES);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #texts: string[] = new Array<string>(SLOTS).fill('');

  /** For text that tends to come again. @throws BadInput `invalid-utf8`. */
  recurring(buffer: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length > SLOT_BYTES) return decodeUtf8(buffer, start, end);
    let hash = length;
    for (let i = start; i < end; i += 1) hash = (Math.imul(hash, 31) + buffer[i]!) | 0;
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    if (this.#holds(slot, buffer, start, length)) return this.#texts[slot]!;
    const text = decodeUtf8(buffer, start, end);
    this.#bytes.set(buffer.subarray(start, end), slot * SLOT_BYTES);
    this.#lengths[slot] = length;
    this.#texts[slot] = text;
    return text;
  }

  #holds(slot: number, buffer: Buffer, start: number, length: number): boolean {
    if (this.#lengths[slot] !== length) return false;
    const at = slot * SLOT_BYTES;
    const held = this.#bytes;
    for (let i = 0; i < length; i += 1) if (held[at + i] !== buffer[start + i]) return false;
    return true;
  }
}

/** @throws BadInput `invalid-utf8`. */
export function decodeUtf8(buffer: Buffer, start: number, end: number): string {
  const text = buffer.toString('utf8', start, end);
  // The replacement character may have been sent as such; only then is a second look needed.
  if (text.includes(REPLACEMENT) && !isUtf8(buffer.subarray(start, end))) {
    throw new BadInput('invalid-utf8', 'a text is not valid UTF-8');
  }
  return text;
}

/** The same bytes as a Buffer, without copying. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
