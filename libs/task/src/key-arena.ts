// Key bytes of the live entries, outside the garbage collector's sight.
//
// Chunks of 1 MiB are cut into units of 8 bytes; a reference is a unit's number, so 32 bits address 32 GiB. Freed places
// are kept in one list per size and reused for keys of that size: session ids of one kind have one size.
//
// Owns: the bytes, the free lists.      Does not own: lengths, nor which entry a key belongs to (EntryTable).
//
// Invariants
//   KA1  A place is either handed out or in exactly one free list, whose links lie in the free places themselves.
import { assert } from '@flatline/base';

const UNIT_SHIFT = 3;
const CHUNK_BYTES = 1 << 20;
/** Of an index into a chunk. */
export const CHUNK_MASK = CHUNK_BYTES - 1;
const CHUNK_UNIT_SHIFT = 20 - UNIT_SHIFT;
const CHUNK_UNIT_MASK = (1 << CHUNK_UNIT_SHIFT) - 1;
/** Longest key that can be kept, in bytes; configuration allows less. */
const KEY_BYTES_MAX = 65_535;
const SIZES = (KEY_BYTES_MAX >>> UNIT_SHIFT) + 2;
/** End of a free list. No place has this number: it would lie beyond the last chunk. */
const NONE = 0xffffffff;

export class KeyArena {
  readonly #chunks: Uint8Array[] = [];
  readonly #views: DataView[] = [];
  readonly #free = new Uint32Array(SIZES).fill(NONE);
  /** Next unit never handed out, and the end of the newest chunk. */
  #next = 0;
  #end = 0;

  /** Bytes held in chunks, in use or not. */
  get reservedBytes(): number {
    return this.#chunks.length * CHUNK_BYTES;
  }

  /** Copies a key in and returns its reference. */
  store(bytes: Uint8Array, start: number, length: number): number {
    assert(length <= KEY_BYTES_MAX, 'keys are bounded by configuration', { length });
    const reference = this.#take(unitsFor(length));
    const chunk = this.chunkOf(reference);
    let at = startOf(reference);
    for (let i = start, end = start + length; i < end; i += 1) chunk[at++] = bytes[i]!;
    return reference;
  }

  release(reference: number, length: number): void {
    this.#putFree(reference, unitsFor(length));
  }

  /** The chunk a reference points into; the key begins at `startOf(reference)`. */
  chunkOf(reference: number): Uint8Array {
    return this.#chunks[reference >>> CHUNK_UNIT_SHIFT]!;
  }

  /** The same chunk, to be read four bytes at a time. */
  viewOf(reference: number): DataView {
    return this.#views[reference >>> CHUNK_UNIT_SHIFT]!;
  }

  #take(units: number): number {
    const free = this.#free[units]!;
    if (free !== NONE) {
      this.#free[units] = this.#views[free >>> CHUNK_UNIT_SHIFT]!.getUint32(startOf(free), true);
      return free;
    }
    if (this.#next + units > this.#end) this.#grow();
    const reference = this.#next;
    this.#next += units;
    return reference;
  }

  #grow(): void {
    const rest = this.#end - this.#next;
    if (rest > 0) this.#putFree(this.#next, Math.min(rest, SIZES - 1));
    const chunk = new Uint8Array(CHUNK_BYTES);
    this.#next = this.#chunks.length * (1 << CHUNK_UNIT_SHIFT); // not a shift: that would be signed
    this.#end = this.#next + (1 << CHUNK_UNIT_SHIFT);
    this.#chunks.push(chunk);
    this.#views.push(new DataView(chunk.buffer));
  }

  #putFree(reference: number, units: number): void {
    this.#views[reference >>> CHUNK_UNIT_SHIFT]!.setUint32(startOf(reference), this.#free[units]!, true);
    this.#free[units] = reference;
  }
}

/** Where in its chunk a reference's key begins. */
export function startOf(reference: number): number {
  return (reference & CHUNK_UNIT_MASK) << UNIT_SHIFT;
}

/** A free place must hold a link of four bytes, so even an empty key takes one unit. */
function unitsFor(length: number): number {
  return Math.max(1, (length + 7) >>> UNIT_SHIFT);
}
