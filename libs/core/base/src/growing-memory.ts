// Memory that grows in place: the kernel provides each page when it is first written to.
//
// Growing an ordinary array copies it, which stops the loop for long where there are millions of entries. Cutting it into
// chunks costs each access a look at which chunk, and with it much of what the processor could have fetched meanwhile: for
// random keys beyond its caches 23 ns against 13. A growable SharedArrayBuffer (ES2024) reserves addresses only, grows in
// place, starts at a page of memory, so that an entry of 64 bytes is one cache line, and leaves the arrays on it whole. It is
// not shared.
//
// Owns: the buffer.
// Does not own: what lies in it; the arrays over it, which the caller makes again after growing it.
import { assert } from './assert.ts';

const STEP_BYTES = 1 << 20;

export class GrowingMemory {
  readonly #maxBytes: number;
  readonly buffer: SharedArrayBuffer;

  /** `maxBytes`: addresses that are reserved, not memory that is used. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.buffer = new SharedArrayBuffer(0, { maxByteLength: maxBytes });
  }

  /** Grows to at least `bytes`, by an eighth or more; the new part is zero. Arrays made before keep the former length. */
  grow(bytes: number): void {
    assert(bytes <= this.#maxBytes, 'the live state of a partition fits what is reserved for it', { bytes });
    const roomy = Math.max(bytes, this.buffer.byteLength * 1.125);
    this.buffer.grow(Math.min(this.#maxBytes, Math.ceil(roomy / STEP_BYTES) * STEP_BYTES));
  }
}
