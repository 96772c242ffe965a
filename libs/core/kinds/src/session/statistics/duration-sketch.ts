// How long sessions lasted, as a sketch for quantiles: counts by bin (duration-bins.ts). The same durations make the same
// bytes, in whatever order they came and however they were spread over sketches that were merged (C5).
//
//   sketch = scale u8 (5) · zeros varint (sessions that lasted no time) ·
//            for each stretch of bins that are not empty, ascending: bins passed over varint · bins varint · their counts varint…
import { ByteReader, ByteWriter, type DurationMs, MalformedBytes } from '@flatline/base';
import { BIN_MAX, binOf, middleOf, SCALE } from './duration-bins.ts';

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

  /** Adds what the other one has. */
  merge(other: DurationSketch): void {
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

  encode(): Uint8Array {
    const out = new ByteWriter(256);
    out.u8(SCALE);
    out.varint(this.#zeros);
    let passed = this.#first;
    for (let at = 0; at < this.#counts.length;) {
      let end = at;
      while ((this.#counts[end] ?? 0) > 0) end += 1;
      if (end > at) {
        out.varint(passed);
        out.varint(end - at);
        for (; at < end; at += 1) out.varint(this.#counts[at]!);
        passed = 0;
      } else {
        passed += 1;
        at += 1;
      }
    }
    return out.copy();
  }

  /** @throws MalformedBytes, also where `encode` would write the same counts otherwise. */
  static decode(bytes: Uint8Array): DurationSketch {
    const input = new ByteReader(bytes);
    const sketch = new DurationSketch();
    const scale = input.u8();
    if (scale !== SCALE) throw new MalformedBytes(`a sketch of scale ${scale}, this version reads ${SCALE}`);
    sketch.#zeros = input.varint();
    let bin = 0;
    for (let isFirst = true; input.remaining > 0; isFirst = false) {
      const passed = input.varint();
      const length = input.varint();
      if (length === 0 || (passed === 0 && !isFirst)) throw new MalformedBytes('a sketch with stretches that are none');
      bin += passed;
      if (bin + length > BIN_MAX + 1) throw new MalformedBytes(`a sketch with bin ${bin + length - 1}`);
      for (let left = length; left > 0; left -= 1, bin += 1) {
        const count = input.varint();
        if (count === 0) throw new MalformedBytes('a sketch that counts nothing in a stretch');
        sketch.#addTo(bin, count);
      }
    }
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
