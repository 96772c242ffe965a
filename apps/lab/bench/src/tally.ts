/** Counts numbered things that should come once each. */
export class Tally {
  readonly #times: Uint8Array;
  /** Numbers that have come, each counted once; and more than once. */
  count = 0;
  twice = 0;

  /** @param size above all numbers */
  constructor(size: number) {
    this.#times = new Uint8Array(size);
  }

  see(number: number): void {
    const times = this.#times[number]! + 1;
    this.#times[number] = times;
    if (times > 1) this.twice += 1;
    else this.count += 1;
  }
}
