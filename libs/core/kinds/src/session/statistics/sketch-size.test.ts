// A sketch stays small whatever a million durations are spread like (S12).
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { DurationSketch } from './duration-sketch.ts';

const SEED = Number(process.env['SEED'] ?? 332_000_000);
const BINS = 53 * 32;
/** A thousand of them are five standard deviations: no draw has fewer than a million. */
const DURATIONS = 1_005_000;
const BYTES_MAX = 1_300;

/** By the logarithm of the duration in milliseconds; its area need not be 1. */
type Density = (log: number) => number;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEAR = 8_766 * HOUR;

function lognormal(median: number, sigma: number): Density {
  return (log) => Math.exp(-(((log - Math.log(median)) / sigma) ** 2) / 2) / sigma / Math.sqrt(2 * Math.PI);
}

function pareto(least: number, alpha: number): Density {
  return (log) => (log < Math.log(least) ? 0 : alpha * Math.exp(-alpha * (log - Math.log(least))));
}

/** As many in each decade. */
function evenly(least: number, greatest: number): Density {
  const width = Math.log(greatest / least);
  return (log) => (log < Math.log(least) || log > Math.log(greatest) ? 0 : 1 / width);
}

function mixed(...parts: readonly Density[]): Density {
  return (log) => parts.reduce((sum, part) => sum + part(log), 0);
}

/** Multiples of `ms` alone, as clients that beat at that rate make them: spikes where a bin is narrower than that. */
function inStepsOf(ms: number, density: Density): Density {
  return (log) => (Math.floor(Math.exp(log) / ms) > Math.floor(Math.exp(log - Math.LN2 / 32) / ms) ? density(log) : 0);
}

function poisson(random: Random, mean: number): number {
  if (mean > 60) {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  let count = 0;
  for (let left = Math.exp(-mean), rest = random.next(); rest > left; rest *= random.next()) count += 1;
  return count;
}

/** How many fall into each bin is drawn: as if each duration were. */
function drawn(random: Random, density: Density): DurationSketch {
  const greatest = Array.from({ length: BINS }, (_, bin) => Math.floor(2 ** (bin / 32)));
  const shares = greatest.map((most, bin) => {
    const least = (greatest[bin - 1] ?? 0) + 1;
    return least > most ? 0 : density(Math.log(most)) * Math.log((most + 1) / least);
  });
  const all = shares.reduce((sum, share) => sum + share, 0);
  const sketch = new DurationSketch();
  greatest.forEach((ms, bin) => {
    for (let left = poisson(random, (DURATIONS * shares[bin]!) / all); left > 0; left -= 1) sketch.add(ms);
  });
  return sketch;
}

const SIGMAS = [1, 1.5, 2, 2.5, 3];
const ALPHAS = [0.7, 1, 1.5, 2];
const SPREADS: readonly (readonly [string, Density])[] = [
  ...[5 * SECOND, 5 * MINUTE, HOUR].flatMap((median) =>
    SIGMAS.map((sigma) => [`lognormal around ${median} ms, σ = ${sigma}`, lognormal(median, sigma)] as const),
  ),
  ...[1, 100, SECOND, MINUTE].flatMap((least) =>
    ALPHAS.map((alpha) => [`Pareto from ${least} ms, α = ${alpha}`, pareto(least, alpha)] as const),
  ),
  ['evenly over 9 decades', evenly(1, 1e9)],
  ['evenly from a millisecond to a year', evenly(1, YEAR)],
  ['evenly over 12 decades', evenly(1, 1e12)],
  ['two modes, of seconds and of hours', mixed(lognormal(2 * SECOND, 1), lognormal(HOUR, 1))],
  ['three wide modes', mixed(lognormal(2 * SECOND, 2), lognormal(5 * MINUTE, 2), lognormal(8 * HOUR, 2))],
  ['lognormal and Pareto', mixed(lognormal(5 * MINUTE, 3), pareto(SECOND, 0.7))],
  ['two of Pareto', mixed(pareto(10, 0.7), pareto(100 * SECOND, 0.7))],
  ['evenly and lognormal', mixed(evenly(1, 1e9), lognormal(5 * MINUTE, 2))],
  ['lognormal in steps of half a minute', inStepsOf(MINUTE / 2, lognormal(5 * MINUTE, 2))],
  ['wide lognormal in steps of a minute', inStepsOf(MINUTE, lognormal(HOUR, 3))],
  ['Pareto in steps of ten seconds', inStepsOf(10 * SECOND, pareto(10 * SECOND, 1))],
];

describe(`[S12] a million durations take at most 1.3 kB (rerun: SEED=${SEED})`, () => {
  test.each(SPREADS)('%s', (_, density) => {
    const sketch = drawn(seededRandom(SEED), density);
    expect(sketch.count).toBeGreaterThanOrEqual(1_000_000);
    expect(sketch.encode().length).toBeLessThanOrEqual(BYTES_MAX);
  });

  test.each([
    [2, 2 ** 14],
    [3, 2 ** 20],
  ])('one that has spikes in each %i. bin, of %i durations, takes no more than the former form', (apart, spike) => {
    const sketch = new DurationSketch();
    for (let bin = 0; bin < 1_500; bin += 1) {
      const ms = Math.floor(2 ** ((bin + 0.5) / 32));
      for (let left = bin % apart === 0 ? spike : 1; left > 0; left -= 1) sketch.add(ms);
    }
    expect(sketch.encode().length).toBeLessThanOrEqual(sketch.encode('whole').length);
    expect(DurationSketch.decode(sketch.encode()).encode()).toEqual(sketch.encode());
  });

  test('one that repeats one duration takes a few bytes', () => {
    const sketch = new DurationSketch();
    for (let i = 0; i < 1_000_000; i += 1) sketch.add(30 * MINUTE);
    expect(sketch.encode().length).toBeLessThanOrEqual(10);
  });
});
