import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ADDEND_LIMIT, rounded, sumOfBoth, withAddend } from './exact-sum.ts';

const number = fc.double({ noNaN: true, min: -ADDEND_LIMIT, max: ADDEND_LIMIT, minExcluded: true, maxExcluded: true });
const sumOf = (numbers: readonly number[]): number[] =>
  numbers.reduce<number[]>((parts, each) => withAddend(parts, each), []);

test('[S10] the order of what is added does not matter, nor in how many parts (rerun: the printed seed)', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 30 }), fc.nat(30), (numbers, at) => {
      const parts = sumOf(numbers);
      expect(sumOf([...numbers].reverse())).toEqual(parts);
      expect(sumOf([...numbers].sort((a, b) => a - b))).toEqual(parts);
      expect(sumOfBoth(sumOf(numbers.slice(0, at)), sumOf(numbers.slice(at)))).toEqual(parts);
      expect(parts.length).toBeLessThanOrEqual(40);
    }),
    { numRuns: 500 },
  );
});

test.each<[number, readonly number[]]>([
  [0, []],
  [0, [1e100, -1e100]],
  [1, [1e100, 1, -1e100]],
  [0.30000000000000004, [0.1, 0.2]],
  [1, Array<number>(10).fill(0.1)],
  [2 ** 53 + 2, [2 ** 53, 1, 1]],
  // Half-way between two doubles, and decided by what is far below.
  [2 ** 53, [2 ** 53, 1]],
  [2 ** 53 + 2, [2 ** 53, 1, 2 ** -1_000]],
  [5e-324, [5e-324, 1, -1]],
])('[S10] %d is the sum of %j, rounded once', (sum, numbers) => {
  expect(rounded(sumOf(numbers))).toBe(sum);
});
