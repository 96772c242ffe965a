// Counts of bins in bits: each by how far it is from what the two before it lead to expect.
//
//   stretch = γ(bins passed over; of the first stretch one more) · γ(bins) · counts…
//   count   = γ(⌊w / 2^k⌋ + 1) · the k low bits of w
//
// where γ is Elias' code of a whole number from 1 on (bits.ts), w tells u = count − 1 by p = ⌊(u before + u before that) / 2⌋, which
// are those of other stretches, too, and 0 where there is none:
//
//   w = u where u > 2·p, else 2·(u − p) where u ≥ p, else 2·(p − u) − 1
//   k = half of p's binary digits, rounded up
//
// Counts beside each other differ by the noise of a draw, some √p, which takes k + 2 bits whatever p is. Where two follow that are
// spikes of their own, p is too great for one of them by as much as it was too small for the other: that costs a few bits.
// Nothing is beyond 2^53 − 1: two counts add up to that at most, so 2·p is less.
import { MalformedBytes } from '@flatline/base';
import { type BitReader, type BitWriter, digitsOf } from './bits.ts';
import type { StretchReader, StretchWriter } from './stretches.ts';

const COUNT_MAX = Number.MAX_SAFE_INTEGER;

/** The next count less one, as the two before it lead to expect. */
class Expectation {
  #last = 0;
  #before = 0;

  get value(): number {
    return Math.floor((this.#last + this.#before) / 2);
  }

  follow(value: number): void {
    this.#before = this.#last;
    this.#last = value;
  }
}

/** Low bits that are written as they are, at most 26. */
function lowBits(expected: number): number {
  return (digitsOf(expected) + 1) >>> 1;
}

export class PackedCountsWriter implements StretchWriter {
  readonly #out: BitWriter;
  readonly #expected = new Expectation();
  #isFirst = true;

  constructor(out: BitWriter) {
    this.#out = out;
  }

  stretch(passed: number, bins: number): void {
    this.#out.gamma(this.#isFirst ? passed + 1 : passed);
    this.#out.gamma(bins);
    this.#isFirst = false;
  }

  count(count: number): void {
    const value = count - 1;
    const { value: expected } = this.#expected;
    this.#expected.follow(value);
    const low = lowBits(expected);
    const told = folded(value, expected);
    const high = Math.floor(told / (1 << low));
    this.#out.gammaWith(high + 1, told - high * (1 << low), low);
  }
}

export class PackedCountsReader implements StretchReader {
  readonly #input: BitReader;
  readonly #expected = new Expectation();
  #isFirst = true;

  constructor(input: BitReader) {
    this.#input = input;
  }

  get hasMore(): boolean {
    return this.#input.hasMore;
  }

  passed(): number {
    const passed = this.#input.gamma() - (this.#isFirst ? 1 : 0);
    this.#isFirst = false;
    return passed;
  }

  bins(): number {
    return this.#input.gamma();
  }

  count(): number {
    const { value: expected } = this.#expected;
    const low = lowBits(expected);
    const high = this.#input.gamma() - 1;
    const told = high * (1 << low) + this.#input.bits(low);
    if (told >= COUNT_MAX) throw new MalformedBytes('a sketch with a count beyond 2^53 − 1');
    const value = unfolded(told, expected);
    this.#expected.follow(value);
    return value + 1;
  }
}

function folded(value: number, expected: number): number {
  if (value > 2 * expected) return value;
  return value >= expected ? 2 * (value - expected) : 2 * (expected - value) - 1;
}

function unfolded(told: number, expected: number): number {
  if (told > 2 * expected) return told;
  return told % 2 === 0 ? expected + told / 2 : expected - (told + 1) / 2;
}
