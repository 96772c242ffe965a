// The first keys of many, in the order of their bytes, whatever the order in which they come.
//
// Owns: what is listed of each.
// Does not own: where they come from.
//
// Invariants
//   EP1  The `limit` smallest of the wanted keys are kept, in order; all of them are counted.

export interface KeyWish {
  readonly prefix: Uint8Array;
  /** Only keys after it; undefined: all. */
  readonly after: Uint8Array | undefined;
  readonly limit: number;
}

export interface KeptKey<Of> {
  readonly key: Uint8Array;
  readonly of: Of;
}

export class KeyPage<Of> {
  readonly #wish: KeyWish;
  readonly #kept: KeptKey<Of>[] = [];
  #total = 0;
  /** After `after`. */
  #behind = 0;

  constructor(wish: KeyWish) {
    this.#wish = wish;
  }

  get kept(): readonly KeptKey<Of>[] {
    return this.#kept;
  }

  /** Keys with the prefix, those before the page among them. */
  get total(): number {
    return this.#total;
  }

  /** True if keys follow the page. */
  get hasMore(): boolean {
    return this.#behind > this.#kept.length;
  }

  /** `of` is asked for where the key is kept. */
  add(key: Uint8Array, of: () => Of): void {
    const { prefix, after, limit } = this.#wish;
    if (key.length < prefix.length || Buffer.compare(key.subarray(0, prefix.length), prefix) !== 0) return;
    this.#total += 1;
    if (after !== undefined && Buffer.compare(key, after) <= 0) return;
    this.#behind += 1;
    const kept = this.#kept;
    if (kept.length === limit && (limit === 0 || Buffer.compare(key, kept[limit - 1]!.key) > 0)) return;
    kept.splice(this.#placeOf(key), 0, { key, of: of() });
    if (kept.length > limit) kept.pop();
  }

  #placeOf(key: Uint8Array): number {
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(this.#kept[middle]!.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
