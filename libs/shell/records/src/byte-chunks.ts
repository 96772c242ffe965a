// Where encoded values lie: side by side in pieces of memory, since allocating a piece costs more than filling it.
//
// Owns: the piece being filled.
// Does not own: what was handed out: the garbage collector frees a piece with its last value.

const CHUNK_BYTES = 64 * 1024;
/** A longer value has a piece of its own, so that at most an eighth of one is left unused. */
const SHARING_MAX = CHUNK_BYTES / 8;

export class ByteChunks {
  #chunk = Buffer.alloc(0);
  #used = 0;

  /** A copy of the first `length` bytes. */
  copyOf(bytes: Buffer, length: number): Uint8Array {
    if (length > SHARING_MAX) return Buffer.from(bytes.subarray(0, length));
    if (this.#used + length > this.#chunk.length) {
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    bytes.copy(this.#chunk, start, 0, length);
    return this.#chunk.subarray(start, this.#used);
  }
}
