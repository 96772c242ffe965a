// How an entry lies in memory: 64 bytes, one cache line, so that a heartbeat touches one line for all its fields.
//
// All entries lie in one memory seen as Float64Array and as Int32Array. Columns of one typed array per field would cost a
// cache miss per field; objects would cost the garbage collector.
import { GrowingMemory } from '@flatline/base';
import { HASH_START_BITS, SLOTS_MAX } from './key-index.ts';

/** From a slot to the index of its entry's first Int32, and of its first Float64. */
export const I32_SHIFT = 4;
export const F64_SHIFT = 3;
const ENTRY_BYTES = 64;

// Of an entry's eight Float64, by index: 0 openedAt, 1 lastSeenAt, 2 firstOffset, 3 lastOffset, 4 timeoutMs. Of its sixteen
// Int32 the first ten are these, and 10 is eventCount. EntryView has all of them as literals: V8 inlines functions of up to 27
// bytes of bytecode whatever else it has inlined, and a setter has 24 with a literal and 29 with a named constant. With names
// an event with a payload costs a tenth more.

/** Int32 fields that others look at, too. */
export const KEY_REFERENCE = 11;
/** Key length in the low 16 bits, flags above, the first bits of the key's hash above these (KeyIndex). */
export const KEY_LENGTH_AND_FLAGS = 12;
/** Ordinal of the changelog block with the committed image; −1: none. */
export const IMAGE_BLOCK = 13;
/** Digest and byte length of the image last cut into a block. */
export const IMAGE_DIGEST = 14;
export const IMAGE_BYTES = 15;

export const LIVE = 1 << 16;
/** In a cut whose commit is not yet resolved. */
export const IN_FLIGHT = 1 << 17;
/** Has a detail record. */
export const DETAILED = 1 << 18;
/** An event chose the timeout (S7). */
export const TIMEOUT_CHOSEN = 1 << 19;

/** HASH_START_BITS of the key's hash, as they stand in it. */
export const HASH_START = -1 << (32 - HASH_START_BITS);

/** The entries of a table, by slot. `f64` and `i32` show the same bytes; they are others after `reserve`. */
export class Entries {
  readonly #memory = new GrowingMemory(SLOTS_MAX * ENTRY_BYTES);
  #capacity = 0;
  f64 = new Float64Array(this.#memory.buffer, 0, 0);
  i32 = new Int32Array(this.#memory.buffer, 0, 0);

  /** Makes room for slots below `count`. */
  reserve(count: number): void {
    if (count <= this.#capacity) return;
    this.#memory.grow(count * ENTRY_BYTES);
    const { buffer } = this.#memory;
    this.#capacity = buffer.byteLength / ENTRY_BYTES;
    this.f64 = new Float64Array(buffer, 0, this.#capacity << F64_SHIFT);
    this.i32 = new Int32Array(buffer, 0, this.#capacity << I32_SHIFT);
  }
}
