// How long the bases of the live entries are: those of more than a page by powers of two, all others together.
//
// Owns: the sums.
// Does not own: bases, where they lie (BlockLedger).
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';

const CLASSES = 32;

export class BaseSizes {
  /** The sum of all. */
  bytes = 0;
  #long = 0;
  #longBytes = 0;
  readonly #counts = new Int32Array(CLASSES);
  readonly #sums = new Float64Array(CLASSES);

  add(bytes: number): void {
    this.bytes += bytes;
    if (bytes > PAGE_BYTES_MAX) this.#count(bytes, 1);
  }

  remove(bytes: number): void {
    this.bytes -= bytes;
    if (bytes > PAGE_BYTES_MAX) this.#count(bytes, -1);
  }

  #count(bytes: number, sign: number): void {
    const size = Math.clz32(bytes);
    this.#counts[size]! += sign;
    this.#sums[size]! += sign * bytes;
    this.#long += sign;
    this.#longBytes += sign * bytes;
  }

  /** At most what so many of `entries` have, about: in the mean where none is long. */
  most(bases: number, entries: number): number {
    let left = bases;
    let bytes = 0;
    for (let size = 0; this.#long > 0 && left > 0 && size < CLASSES; size += 1) {
      const count = this.#counts[size]!;
      if (count === 0) continue;
      const taken = Math.min(left, count);
      bytes += (this.#sums[size]! * taken) / count;
      left -= taken;
    }
    return bytes + (left * (this.bytes - this.#longBytes)) / Math.max(1, entries - this.#long);
  }
}
