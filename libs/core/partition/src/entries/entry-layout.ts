// The heads of entries, and the engine's fields in them (EntryWindow has the whole of it).
//
// All heads lie in one memory seen as Float64Array and as Int32Array. Columns of one typed array per field would cost a
// cache miss per field; objects would cost the garbage collector.
import { GrowingMemory } from '@flatline/base';
import { LINE_BYTES, LINE_F64_SHIFT, LINE_I32_SHIFT, type Lines } from '@flatline/kinds';
import { HASH_START_BITS, SLOTS_MAX } from './key-index.ts';

// Indices of a head's Int32.
export const KEY_REFERENCE = 11;
/** Key length in the low 16 bits, flags above, the first bits of the key's hash above these (KeyIndex). */
export const KEY_LENGTH_AND_FLAGS = 12;
/** Ordinal of the changelog block with the committed base; −1: none. */
export const BASE_BLOCK = 13;
/** Digest of what was last cut into a block, and the bytes of a base of it. */
export const WRITTEN_DIGEST = 14;
export const BASE_BYTES = 15;

/** HASH_START_BITS of the key's hash, as they stand in it. */
export const HASH_START = -1 << (32 - HASH_START_BITS);

/** By slot. `f64` and `i32` show the same bytes; they are others after `reserve`. */
export class Heads implements Lines {
  readonly #memory = new GrowingMemory(SLOTS_MAX * LINE_BYTES);
  #capacity = 0;
  f64 = new Float64Array(this.#memory.buffer, 0, 0);
  i32 = new Int32Array(this.#memory.buffer, 0, 0);

  /** Makes room for slots below `count`. */
  reserve(count: number): void {
    if (count <= this.#capacity) return;
    this.#memory.grow(count * LINE_BYTES);
    const { buffer } = this.#memory;
    this.#capacity = buffer.byteLength / LINE_BYTES;
    this.f64 = new Float64Array(buffer, 0, this.#capacity << LINE_F64_SHIFT);
    this.i32 = new Int32Array(buffer, 0, this.#capacity << LINE_I32_SHIFT);
  }
}
