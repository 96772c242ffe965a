// How many cases the property tests try, and from which seed.
//
// A failure prints its seed and path. To see it again, and alone:
//   FUZZ_SEED=<seed> node --experimental-vm-modules ../../../node_modules/jest/bin/jest.js -t '<title>'
// More than a gate has time for: FLATLINE_FUZZ_RUNS=1000000.
import { jest } from '@jest/globals';
import fc from 'fast-check';

const RUNS = numberOf('FLATLINE_FUZZ_RUNS');
const SEED = numberOf('FUZZ_SEED');

/** Parameters of `fc.assert`. */
export function fuzz(runs: number): { readonly numRuns: number; readonly seed?: number } {
  return { numRuns: RUNS ?? runs, ...(SEED !== undefined && { seed: SEED }) };
}

// For every test of a file that uses this: long enough for a million cases, or for a machine with other work to do.
jest.setTimeout(600_000);

function numberOf(name: string): number | undefined {
  const value = process.env[name];
  return value === undefined ? undefined : Number(value);
}

const HOSTILE = [
  '__proto__',
  'constructor',
  '',
  '1',
  '\u0000',
  '<script>',
  '\uFEFFa',
  '\uFFFD',
  '🎈',
  '"\\\n',
  'HEARTBEAT',
];

/** Any well-formed text, the treacherous kinds often. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Texts of 1 to `most` characters. */
export function boundedText(most: number): fc.Arbitrary<string> {
  return anyText.filter((text) => text.length >= 1 && text.length <= most);
}

export const anyTextMap: fc.Arbitrary<Map<string, string>> = fc
  .array(fc.tuple(anyText, anyText), { maxLength: 6 })
  .map((entries) => new Map(entries));

export const anySafeInteger: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, -1, 63, 64, -64, -65, 2 ** 28, 2 ** 53 - 1, -(2 ** 53) + 1),
  fc.maxSafeInteger(),
);
