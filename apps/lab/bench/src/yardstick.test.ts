import { describe, expect, test } from '@jest/globals';
import { access, compute, memoryFor, sort, type YardstickSize, yardstickText } from './yardstick.ts';

const SIZE: YardstickSize = { rounds: 100_000, sorted: 10_001, array: 2 ** 12, accesses: 50_000 };

describe('the yardstick', () => {
  test('is the same work everywhere, and stays it: another result is another yardstick', () => {
    expect([compute(SIZE), sort(SIZE), access(SIZE, memoryFor(SIZE))]).toEqual([1026827557, 2148365256, 3415]);
  });

  test('reads all over its array', () => {
    const ends = [1, 2, 3, 5_000, 50_000].map((accesses) => access({ ...SIZE, accesses }, memoryFor(SIZE)));
    expect(new Set(ends).size).toBe(ends.length);
  });

  test('is said as CPU time, with what the wall clock adds', () => {
    const measured = { computeMs: 900, sortMs: 800, accessMs: 1_400, elapsedMs: 3_200 };
    expect(yardstickText(measured)).toBe(
      '3.10 s of CPU (compute 0.90, sort 0.80, access 1.40), 3.20 s by the wall clock',
    );
  });
});
