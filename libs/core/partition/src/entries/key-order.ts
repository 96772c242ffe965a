// The order in which a flush writes: nearly that of the keys, for as many of them as there are.
//
// Neighbours in the store's tree share its pages, and a page is copied, and written to disk, once per transaction: what is
// near one another had better be written together. Four bytes of a key are enough for that, those after what all keys of the
// first run have in common, as plain numbers: comparing whole keys takes twenty times as long. Runs are sorted one after
// another, so that others get their turn in between, and merged as they are taken.
//
// Owns: the runs.      Does not own: keys, which are numbered from 0 on, as they came.
//
// Invariants
//   KO1  Equal keys are given in the order in which they came.

/** Keys ordered together: a number takes 20 of a double's 53 bits, the bytes of its key 32. */
const ORDERED_MAX = 1 << 20;
/** Keys sorted in one go: some 5 ms. */
const RUN = 1 << 16;

/** How many keys are ordered together, and sorted in one go; tests make them few. */
export interface OrderBounds {
  /** At most 2^20. */
  readonly window: number;
  readonly run: number;
}

export const ORDER_BOUNDS: OrderBounds = { window: ORDERED_MAX, run: RUN };

/** Where some keys lie. */
export interface NumberedKeys {
  /** Goes to a key: `bytes`, `start` and `length` are then its. */
  at(number: number): void;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
}

/** The low bits of each are a key's number: no two are equal, and of equal keys the earlier comes first (KO1). */
interface SortedRun {
  readonly order: Float64Array;
  taken: number;
}

export class KeyOrder {
  readonly #keys: NumberedKeys;
  /** How many bytes keys begin with in common, as far as the first run knows. */
  #common: number | undefined;
  #runs: SortedRun[] = [];

  constructor(keys: NumberedKeys) {
    this.#keys = keys;
  }

  /** Forgets what is left, to order other keys numbered from 0 on. */
  clear(): void {
    this.#runs = [];
  }

  /** Adds the keys with these numbers. */
  addRun(from: number, to: number): void {
    const keys = this.#keys;
    const common = (this.#common ??= this.#commonPrefix(from, to));
    const order = new Float64Array(to - from);
    for (let number = from; number < to; number += 1) {
      keys.at(number);
      const { bytes, start, length } = keys;
      let prefix = 0;
      for (let i = common; i < common + 4; i += 1) prefix = prefix * 256 + (i < length ? bytes[start + i]! : 0);
      order[number - from] = prefix * ORDERED_MAX + number;
    }
    this.#runs.push({ order: order.sort(), taken: 0 });
  }

  /** The number of the next key; −1: there is none. */
  next(): number {
    let least = Infinity;
    let from: SortedRun | undefined;
    for (const run of this.#runs) {
      const next = run.order[run.taken];
      if (next === undefined || next > least) continue;
      least = next;
      from = run;
    }
    if (from === undefined) return -1;
    from.taken += 1;
    return least - Math.floor(least / ORDERED_MAX) * ORDERED_MAX;
  }

  /** How many bytes all these keys begin with. */
  #commonPrefix(from: number, to: number): number {
    const keys = this.#keys;
    keys.at(from);
    const { bytes: first, start: firstStart, length } = keys;
    let common = length;
    for (let number = from + 1; number < to; number += 1) {
      keys.at(number);
      common = Math.min(common, keys.length);
      const { bytes, start } = keys;
      for (let i = 0; i < common; i += 1) if (bytes[start + i] !== first[firstStart + i]) common = i;
    }
    return common;
  }
}
