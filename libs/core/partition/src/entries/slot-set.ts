// A set of slots: one bit for each.
//
// Owns: the bits, their number.
// Does not own: what being in it means.
//
// Walking a list of slots in the order of change would cost several cache misses per entry. Bits return them in the order in
// which entries, keys and blocks lie in memory, and hold a slot at most once by construction.
const WORD_BITS = 32;

export class SlotSet {
  #words = new Int32Array(64);
  #size = 0;
  /** The word that `take` looks at next. */
  #hand = 0;

  get size(): number {
    return this.#size;
  }

  /** True where the slot was not in the set. */
  add(slot: number): boolean {
    const word = slot >>> 5;
    if (word >= this.#words.length) this.#grow(word);
    const before = this.#words[word]!;
    const after = before | (1 << (slot & 31));
    if (after === before) return false;
    this.#words[word] = after;
    this.#size += 1;
    return true;
  }

  has(slot: number): boolean {
    return ((this.#words[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;
  }

  /** True where the slot was in the set. */
  delete(slot: number): boolean {
    if (!this.has(slot)) return false;
    this.#words[slot >>> 5]! &= ~(1 << (slot & 31));
    this.#size -= 1;
    return true;
  }

  /**
   * Takes up to `limit` slots out of the set, in ascending order; returns how many, 0 once the set is empty. Nothing but what
   * was taken is added before it is.
   */
  take(into: Int32Array, limit: number): number {
    const words = this.#words;
    const count = Math.min(limit, this.#size);
    let word = this.#hand;
    for (let taken = 0; taken < count;) {
      let bits = words[word]!;
      for (; bits !== 0 && taken < count; taken += 1) {
        into[taken] = (word << 5) | (WORD_BITS - 1 - Math.clz32(bits & -bits));
        bits &= bits - 1;
      }
      words[word] = bits;
      if (bits === 0) word = word + 1 === words.length ? 0 : word + 1;
    }
    this.#size -= count;
    this.#hand = this.#size === 0 ? 0 : word;
    return count;
  }

  /** Gives back what `take` took last, from the place `first` to the place `end`: it comes first again. */
  putBack(slots: Int32Array, first: number, end: number): void {
    for (let at = first; at < end; at += 1) this.add(slots[at]!);
    if (first < end) this.#hand = slots[first]! >>> 5;
  }

  /** The least slot in the set that is `from` or above, −1: there is none. */
  next(from: number): number {
    // Each cut asks what leaves: looking at all words takes a millisecond where millions of slots are in use.
    if (this.#size === 0) return -1;
    const words = this.#words;
    let word = from >>> 5;
    let bits = (words[word] ?? 0) & (-1 << (from & 31));
    while (bits === 0) {
      word += 1;
      if (word >= words.length) return -1;
      bits = words[word]!;
    }
    return (word << 5) | (WORD_BITS - 1 - Math.clz32(bits & -bits));
  }

  /** Slots from `first` on, ascending. */
  from(first: number): number[] {
    const slots: number[] = [];
    for (let slot = this.next(first); slot >= 0; slot = this.next(slot + 1)) slots.push(slot);
    return slots;
  }

  /** Adds all of another, a word at a time: 2 ms for 33 million slots. */
  addAll(other: SlotSet): void {
    const from = other.#words;
    if (other.#size === 0) return;
    if (from.length > this.#words.length) this.#grow(from.length - 1);
    const words = this.#words;
    for (let word = 0; word < from.length; word += 1) {
      const added = from[word]! & ~words[word]!;
      if (added === 0) continue;
      words[word]! |= added;
      this.#size += bitCount(added);
    }
  }

  clear(): void {
    this.#words.fill(0);
    this.#size = 0;
    this.#hand = 0;
  }

  #grow(word: number): void {
    const grown = new Int32Array(Math.max(word + 1, this.#words.length * 2));
    grown.set(this.#words);
    this.#words = grown;
  }
}

/** How many bits are set, in five steps (Warren, "Hacker's Delight", 5-1). */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
