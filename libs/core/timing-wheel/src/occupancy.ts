import { LEVELS, SLOTS } from './levels.ts';

const WORDS_PER_LEVEL = SLOTS / 32;

/**
 * One bit per bucket, and above it one bit per word of them, which lets the wheel cross a quiet year in a few steps. Buckets
 * beyond the levels' have bits too, which are never searched.
 */
export class Occupancy {
  readonly #words: Int32Array;
  readonly #summaries: Int32Array;

  constructor(buckets: number) {
    this.#words = new Int32Array(Math.ceil(buckets / SLOTS) * WORDS_PER_LEVEL);
    this.#summaries = new Int32Array(Math.max(LEVELS, Math.ceil(buckets / SLOTS)));
  }

  mark(bucket: number): void {
    const word = bucket >> 5;
    this.#words[word]! |= 1 << (bucket & 31);
    this.#summaries[word >> 3]! |= 1 << (word & 7);
  }

  unmark(bucket: number): void {
    const word = bucket >> 5;
    const left = this.#words[word]! & ~(1 << (bucket & 31));
    this.#words[word] = left;
    if (left === 0) this.#summaries[word >> 3]! &= ~(1 << (word & 7));
  }

  isLevelEmpty(level: number): boolean {
    return this.#summaries[level] === 0;
  }

  /** Index of the first occupied slot of a level that is not empty, going round from index `from`, itself included. */
  firstFrom(level: number, from: number): number {
    const summary = this.#summaries[level]!;
    const at = from >> 5;
    const here = this.#words[level * WORDS_PER_LEVEL + at]! & (-1 << (from & 31));
    if (here !== 0) return (at << 5) + lowestBit(here);
    // Words beyond, else from the start of the level: there the word at `at` can only hold bits below `from`.
    const beyond = summary & (-2 << at);
    const word = lowestBit(beyond === 0 ? summary : beyond);
    return (word << 5) + lowestBit(this.#words[level * WORDS_PER_LEVEL + word]!);
  }

  isMarked(bucket: number): boolean {
    return (this.#words[bucket >> 5]! & (1 << (bucket & 31))) !== 0;
  }

  /** True if each summary bit is set exactly where its word has a bit. For checks. */
  get isSummed(): boolean {
    return this.#words.every((word, at) => (word !== 0) === ((this.#summaries[at >> 3]! & (1 << (at & 7))) !== 0));
  }

  clear(): void {
    this.#words.fill(0);
    this.#summaries.fill(0);
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
