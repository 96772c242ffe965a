// Copies of a few bytes each, side by side in memory that goes once none of them is in use: an array with memory of its own costs
// several times what copying does, when it is made and when it goes.
//
// For what is gone soon, with others of its age: a copy that stays keeps the memory of all its neighbours.
import { copyBytes } from './bytes.ts';

const CHUNK_BYTES = 32 * 1024;
/** Longer ones get memory of their own: so little of a chunk is left unused at its end. */
const SHARED_BYTES_MAX = 2 * 1024;

export class BriefCopies {
  #chunk = new Uint8Array(0);
  #used = 0;

  of(bytes: Uint8Array, start = 0, end: number = bytes.length): Uint8Array {
    const length = end - start;
    if (length > SHARED_BYTES_MAX) return copyBytes(bytes, start, end);
    if (this.#used + length > this.#chunk.length) {
      this.#chunk = new Uint8Array(CHUNK_BYTES);
      this.#used = 0;
    }
    const copy = this.#chunk.subarray(this.#used, this.#used + length);
    copy.set(length === bytes.length ? bytes : bytes.subarray(start, end));
    this.#used += length;
    return copy;
  }
}
