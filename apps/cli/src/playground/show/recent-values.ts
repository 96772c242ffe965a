/** The last values of a series, and their quantiles. */
export class RecentValues {
  readonly #values: Float64Array;
  #added = 0;

  constructor(valuesMax: number) {
    this.#values = new Float64Array(valuesMax);
  }

  add(value: number): void {
    this.#values[this.#added % this.#values.length] = value;
    this.#added += 1;
  }

  /** The least value that at least `share` (0 to 1) of the recent ones do not exceed; undefined where there are none. */
  quantile(share: number): number | undefined {
    const held = Math.min(this.#added, this.#values.length);
    const sorted = this.#values.slice(0, held).sort();
    return sorted[Math.max(0, Math.ceil(share * held) - 1)];
  }
}
