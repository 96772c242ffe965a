// The bins are exact, and the bytes of a sketch say what was added and nothing of how.
import { describe, expect, test } from '@jest/globals';
import { MalformedBytes, seededRandom } from '@flatline/base';
import fc from 'fast-check';
import { binOf, middleOf } from './duration-bins.ts';
import { DurationSketch } from './duration-sketch.ts';

const SEED = Number(process.env['SEED'] ?? 120_000_000);
const MAX = Number.MAX_SAFE_INTEGER;

/** By integers of any length: the least b with ms^32 ≤ 2^b. */
function exactBin(ms: number): number {
  const power = BigInt(ms) ** 32n;
  const bits = power.toString(2).length;
  return power === 1n << BigInt(bits - 1) ? bits - 1 : bits;
}

function sketchOf(durations: readonly number[]): DurationSketch {
  const sketch = new DurationSketch();
  for (const ms of durations) sketch.add(ms);
  return sketch;
}

const hex = (sketch: DurationSketch): string => Buffer.from(sketch.encode()).toString('hex');
const duration = fc.oneof(fc.nat(100), fc.nat(100_000), fc.maxSafeNat());

describe('[S12] the bins of durations', () => {
  test('each power of two is the last duration of its bin, and its neighbours lie where they should', () => {
    for (let exponent = 0; exponent <= 52; exponent += 1) {
      const power = 2 ** exponent;
      expect(binOf(power)).toBe(32 * exponent);
      for (const ms of [power - 1, power + 1]) if (ms > 0) expect(binOf(ms)).toBe(exactBin(ms));
    }
    expect(binOf(MAX)).toBe(53 * 32);
  });

  test('around each bound, and anywhere, a duration is in the bin that integers of any length say', () => {
    for (let bin = 1; bin <= 53 * 32; bin += 1) {
      const near = Math.floor(2 ** (bin / 32));
      for (let ms = Math.max(1, near - 2); ms <= Math.min(near + 2, MAX); ms += 1) expect(binOf(ms)).toBe(exactBin(ms));
    }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX }), (ms) => {
        expect(binOf(ms)).toBe(exactBin(ms));
      }),
    );
  });

  test('what stands for a bin is off by 1.083 % at most, and by nothing where few milliseconds lie', () => {
    for (let ms = 1; ms < 46; ms += 1) expect(middleOf(binOf(ms))).toBe(ms);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: MAX }), (ms) => {
        expect(Math.abs(middleOf(binOf(ms)) - ms) / ms).toBeLessThan(0.010_831);
      }),
    );
  });
});

describe('[S12] the sketch of durations', () => {
  test('golden bytes', () => {
    expect(hex(new DurationSketch())).toBe('0500');
    expect(hex(sketchOf([0, 0, 1, 2, 2, 3, 1_000, MAX]))).toMatchInlineSnapshot(
      `"05020001011f01021201018b020101e00a0101"`,
    );
  });

  test('[C5] the bytes depend neither on the order nor on how durations were spread over what was merged', () => {
    fc.assert(
      fc.property(fc.array(duration, { maxLength: 300 }), fc.integer({ min: 1, max: 5 }), (durations, parts) => {
        const sorted = sketchOf([...durations].sort((one, other) => other - one));
        const merged = new DurationSketch();
        for (let part = parts - 1; part >= 0; part -= 1)
          merged.merge(DurationSketch.decode(sketchOf(durations.filter((_, i) => i % parts === part)).encode()));
        expect(hex(sorted)).toBe(hex(sketchOf(durations)));
        expect(hex(merged)).toBe(hex(sketchOf(durations)));
        expect(merged.count).toBe(durations.length);
      }),
    );
  });

  test('[R1] what is read is written again as it was', () => {
    fc.assert(
      fc.property(fc.array(duration, { maxLength: 100 }), (durations) => {
        const sketch = sketchOf(durations);
        expect(hex(DurationSketch.decode(sketch.encode()))).toBe(hex(sketch));
      }),
    );
  });

  test('quantiles are those of the sorted durations, to 1.083 %', () => {
    fc.assert(
      fc.property(
        fc.array(duration, { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (durations, q) => {
          const sorted = [...durations].sort((one, other) => one - other);
          const exact = sorted[Math.floor(q * (sorted.length - 1))]!;
          expect(Math.abs(sketchOf(durations).quantile(q)! - exact)).toBeLessThanOrEqual(0.010_831 * exact);
        },
      ),
    );
    expect(new DurationSketch().quantile(0.5)).toBeUndefined();
  });

  test(`a million durations spread as sessions' are take at most 1.3 KB (rerun: SEED=${SEED})`, () => {
    const random = seededRandom(SEED);
    const sketch = new DurationSketch();
    for (let i = 0; i < 1_000_000; i += 1) {
      // Lognormal around five minutes, σ = 1.5.
      const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
      sketch.add(Math.floor(300_000 * Math.exp(1.5 * normal)));
    }
    expect(sketch.encode().length).toBeLessThanOrEqual(1_300);
  });

  test('[F14] any bytes are refused, or are the ones that it would write', () => {
    const few = fc.uint8Array({ max: 4, maxLength: 12 }).map((bytes) => Uint8Array.of(5, ...bytes));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), few), (bytes) => {
        let sketch: DurationSketch;
        try {
          sketch = DurationSketch.decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedBytes);
          return;
        }
        expect(DurationSketch.decode(sketch.encode()).encode()).toEqual(sketch.encode());
      }),
    );
  });

  test.each([
    ['another scale', '0400'],
    ['a stretch of no bins', '05000000'],
    ['two stretches that are one', '0500000101000101'],
    ['a count of nothing', '0500000100'],
    ['a bin beyond the last', '0500a10d0101'],
    ['half a number', '050080'],
  ])('%s is refused', (_, bytes) => {
    expect(() => DurationSketch.decode(new Uint8Array(Buffer.from(bytes, 'hex')))).toThrow(MalformedBytes);
  });
});
