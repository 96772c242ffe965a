// Which entries changed since the last cut: one bit per slot.
//
// Owns: the bits, their number.      Does not own: entries, when a cut is made (Changelog).
//
// A list of slots in the order of change would cost a cut several cache misses per entry; bits give them back in the order
// in which entries, keys and blocks lie in memory, and a slot is in the set at most once by construction.
const WORD_BITS = 32;

export class DirtySet {
  #words = new Uint32Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(slot: number): void {
    const word = slot >>> 5;
    if (word >= this.#words.length) this.#grow(word);
    const before = this.#words[word]!;
    const after = before | (1 << (slot & 31));
    // Both as unsigned 32-bit numbers: the `or` is signed.
    if (after >>> 0 === before) return;
    this.#words[word] = after;
    this.#size += 1;
  }

  delete(slot: number): void {
    const word = slot >>> 5;
    const bit = 1 << (slot & 31);
    if (word >= this.#words.length || (this.#words[word]! & bit) === 0) return;
    this.#words[word]! &= ~bit;
    this.#size -= 1;
  }

  /** Empties the set, calling `visit` for each slot in ascending order. Nothing is added meanwhile. */
  drain(visit: (slot: number) => void): void {
    const words = this.#words;
    for (let word = 0; this.#size > 0; word += 1) {
      let bits = words[word]!;
      words[word] = 0;
      while (bits !== 0) {
        const bit = WORD_BITS - 1 - Math.clz32(bits & -bits);
        bits &= bits - 1;
        this.#size -= 1;
        visit((word << 5) | bit);
      }
    }
  }

  #grow(word: number): void {
    const grown = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}
