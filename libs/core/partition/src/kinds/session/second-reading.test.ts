// Sketches of durations, read by the product and written by the oracle, which share no code (F14, S12). `npm run fuzz` runs more of it.
import { expect, test } from '@jest/globals';
import { MalformedBytes, type Random, seededRandom } from '@flatline/base';
import { fuzz } from '@flatline/base/fuzz';
import { DurationSketch } from '@flatline/kinds/session';
import { binIn, exactSketch, formerSketch } from '@flatline/oracle/statistics';

const SEED = Number(process.env['SEED'] ?? 332_000_500);
const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
const BIN_MAX = 53 * 32;

/** Counts of bins: few or many, beside each other or not, alike or not. */
function drawnCounts(random: Random): Map<number, number> {
  const most = 2 ** random.below(random.chance(0.1) ? 44 : 16);
  const first = random.below(BIN_MAX);
  const bins = 1 + random.below(Math.min(BIN_MAX + 1 - first, random.chance(0.3) ? 900 : 12));
  const full = random.next();
  const level = random.chance(0.5) ? 1 : random.next();
  const counts = new Map<number, number>();
  for (let bin = first; bin < first + bins; bin += 1)
    if (random.chance(full)) counts.set(bin, 1 + Math.floor(most * (level + (1 - level) * random.next())));
  return counts;
}

/** By way of the former form, which is plain. */
function sketchOf(zeros: number, counts: ReadonlyMap<number, number>): DurationSketch {
  return DurationSketch.decode(formerSketch(zeros, counts));
}

test(`[S12] [C5] a sketch has the bytes that FORMATS says, whatever was counted (rerun: SEED=${SEED})`, () => {
  for (let seed = SEED; seed < SEED + 120; seed += 1) {
    const random = seededRandom(seed);
    const zeros = random.below(random.chance(0.5) ? 3 : 2 ** 20);
    const counts = drawnCounts(random);
    const sketch = sketchOf(zeros, counts);
    expect([seed, sketch.encode()]).toEqual([seed, exactSketch(zeros, counts)]);
    expect([seed, sketch.encode('whole')]).toEqual([seed, formerSketch(zeros, counts)]);
    expect([seed, DurationSketch.decode(sketch.encode()).encode('whole')]).toEqual([seed, formerSketch(zeros, counts)]);
  }
});

test('[S12] durations one by one, merged in any order, are what the oracle counts', () => {
  const random = seededRandom(SEED);
  const parts = Array.from({ length: 4 }, () => new DurationSketch());
  const counts = new Map<number, number>();
  for (let i = 0; i < 20_000; i += 1) {
    const ms = 1 + Math.floor(300_000 * random.next() ** 9);
    parts[random.below(4)]!.add(ms);
    counts.set(binIn(ms), (counts.get(binIn(ms)) ?? 0) + 1);
  }
  const [all, ...others] = [3, 1, 0, 2].map((at) => DurationSketch.decode(parts[at]!.encode()));
  for (const other of others) all!.merge(other);
  expect(all!.encode()).toEqual(exactSketch(0, counts));
});

test('[F14] [S12] damaged sketches: each is refused as malformed, or is what both would write of what it counts', () => {
  const random = seededRandom(SEED);
  const corpus = Array.from({ length: 12 }, () => drawnCounts(random)).flatMap((counts) => {
    const zeros = random.below(3);
    return [exactSketch(zeros, counts), formerSketch(zeros, counts)];
  });
  const feed = (bytes: Uint8Array): void => {
    let sketch: DurationSketch;
    try {
      sketch = DurationSketch.decode(bytes);
    } catch (error) {
      if (error instanceof MalformedBytes) return;
      throw error;
    }
    const [packed, whole] = [sketch.encode(), sketch.encode('whole')];
    expect(bytes).toEqual(bytes[0] === 5 ? whole : packed);
    const { zeros, counts } = countsIn(whole);
    expect([exactSketch(zeros, counts), formerSketch(zeros, counts)]).toEqual([packed, whole]);
    expect(sketch.count).toBe([...counts.values()].reduce((sum, count) => sum + count, zeros));
    expect(sketch.quantile(1) ?? 0).toBeLessThanOrEqual(2 ** 53);
  };
  fuzz({ name: 'partition/sketch', corpus, regressions, feed }, 8_000);
});

/** A former sketch that is sound. */
function countsIn(whole: Uint8Array): { readonly zeros: number; readonly counts: ReadonlyMap<number, number> } {
  const numbers = numbersIn(whole.subarray(1));
  const zeros = numbers.shift()!;
  const counts = new Map<number, number>();
  for (let bin = 0; numbers.length > 0;) {
    bin += numbers.shift()!;
    for (let left = numbers.shift()!; left > 0; left -= 1, bin += 1) counts.set(bin, numbers.shift()!);
  }
  return { zeros, counts };
}

function numbersIn(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let [number, scale] = [0, 1];
  for (const byte of bytes) {
    number += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    numbers.push(number);
    [number, scale] = [0, 1];
  }
  return numbers;
}
