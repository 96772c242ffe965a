// How long sessions lasted, as a sketch for quantiles: counts by bin (duration-bins.ts). The same durations make the same
// bytes (sketch-bytes.ts), in whatever order they came and however they were spread over sketches that were merged (C5).
import { type DurationMs, MalformedBytes } from '@flatline/base';
import { binOf, middleOf } from './duration-bins.ts';
import { readSketch, type SketchForm, writeSketch } from './sketch-bytes.ts';

export class DurationSketch {
  #zeros = 0;
  /** Counts of the bins from `#first` on. */
  #counts: number[] = [];
  #first = 0;

  /** Adds a duration, 0 ≤ `ms` ≤ 2^53 − 1. */
  add(ms: DurationMs): void {
    if (ms === 0) this.#zeros += 1;
    else this.#addTo(binOf(ms), 1);
  }

  /** Adds what the other one has. @throws MalformedBytes where both have more than 2^53 − 1 durations: no sessions make so many. */
  merge(other: DurationSketch): void {
    if (other.count > Number.MAX_SAFE_INTEGER - this.count)
      throw new MalformedBytes('sketches of more than 2^53 − 1 durations together');
    this.#zeros += other.#zeros;
    other.#counts.forEach((count, at) => {
      if (count > 0) this.#addTo(other.#first + at, count);
    });
  }

  /** Durations added. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, this.#zeros);
  }

  /**
   * The quantile `q`, from 0 to 1: of the durations in their order the one with the number ⌊q · (count − 1)⌋, from 0 on, in
   * milliseconds; off by 1.083 % at most. undefined: there are none.
   */
  quantile(q: number): number | undefined {
    const { count } = this;
    if (count === 0) return undefined;
    const rank = Math.floor(q * (count - 1));
    let below = this.#zeros;
    if (below > rank) return 0;
    for (let at = 0; at < this.#counts.length; at += 1) {
      below += this.#counts[at]!;
      if (below > rank) return middleOf(this.#first + at);
    }
    return undefined;
  }

  /** `form`: packed, or whole where that is shorter; whole alone where a former format of the changelog is pinned (K9). */
  encode(form: SketchForm = 'packed'): Uint8Array {
    return writeSketch({ zeros: this.#zeros, first: this.#first, counts: this.#counts }, form);
  }

  /** Reads either form. @throws MalformedBytes, also where `encode` would write the same counts otherwise. */
  static decode(bytes: Uint8Array): DurationSketch {
    const { zeros, first, counts } = readSketch(bytes);
    const sketch = new DurationSketch();
    sketch.#zeros = zeros;
    sketch.#first = first;
    sketch.#counts = [...counts];
    return sketch;
  }

  #addTo(bin: number, count: number): void {
    const counts = this.#counts;
    if (counts.length === 0) this.#first = bin;
    if (bin < this.#first) {
      this.#counts = [...new Array<number>(this.#first - bin).fill(0), ...counts];
      this.#first = bin;
    }
    for (let length = this.#counts.length; length <= bin - this.#first; length += 1) this.#counts.push(0);
    this.#counts[bin - this.#first]! += count;
  }
}
