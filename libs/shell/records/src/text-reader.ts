// Text out of a range of bytes: checked to be UTF-8, and short text interned.
//
// Owns: a direct-mapped table of the short strings seen last.
// Does not own: the bytes.
//
// Types, attribute names and most attribute values come again and again. Finding the string that exists costs less than
// making one, and sessions that hold it then share it. A collision only replaces: hostile text cannot make it grow.
//
// Invariants
//   TD1  A slot's string is exactly what its bytes decode to.
//   TD2  What cannot be decoded without loss is bad input, never a replacement character.
import { isUtf8 } from 'node:buffer';
import { BadInput } from './bad-input.ts';

const SLOTS = 1024;
const SLOT_BYTES = 32;
const REPLACEMENT = '\uFFFD';
const SLOT_BITS = Math.log2(SLOTS);
/** 2³² by the golden ratio: what differs anywhere differs in the highest bits of a product with it, and those choose the slot. */
const MULTIPLIER = 0x9e3779b1;
const NOTHING = Buffer.alloc(0);

export class TextReader {
  readonly #bytes = new Uint8Array(SLOTS * SLOT_BYTES);
  readonly #words = new DataView(this.#bytes.buffer);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #texts: string[] = new Array<string>(SLOTS).fill('');
  #viewed: Buffer = NOTHING;
  #view: DataView = viewOf(NOTHING);

  /** For text that tends to come again. @throws BadInput `invalid-utf8`. */
  recurring(buffer: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length > SLOT_BYTES) return decodeUtf8(buffer, start, end);
    const view = this.view(buffer);
    let hash = Math.imul(length, MULTIPLIER);
    let at = start;
    for (; at + 4 <= end; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), MULTIPLIER);
    for (; at < end; at += 1) hash = Math.imul(hash ^ buffer[at]!, MULTIPLIER);
    const slot = hash >>> (32 - SLOT_BITS);
    if (this.#holds(slot, view, start, length)) return this.#texts[slot]!;
    const text = decodeUtf8(buffer, start, end);
    this.#bytes.set(buffer.subarray(start, end), slot * SLOT_BYTES);
    this.#lengths[slot] = length;
    this.#texts[slot] = text;
    return text;
  }

  /** The bytes as words; buffers come by the batch, so that one view serves many texts. */
  view(buffer: Buffer): DataView {
    if (buffer !== this.#viewed) {
      this.#viewed = buffer;
      this.#view = viewOf(buffer);
    }
    return this.#view;
  }

  #holds(slot: number, view: DataView, start: number, length: number): boolean {
    if (this.#lengths[slot] !== length) return false;
    const at = slot * SLOT_BYTES;
    const held = this.#words;
    let i = 0;
    for (; i + 4 <= length; i += 4) if (held.getInt32(at + i, true) !== view.getInt32(start + i, true)) return false;
    for (; i < length; i += 1) if (held.getUint8(at + i) !== view.getUint8(start + i)) return false;
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

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
