import { expect, test } from '@jest/globals';
import { heapMebibytes } from './worker-limits.ts';

const GIBIBYTE = 1024 ** 3;

test("V8's heaps take half of the memory together, within bounds for each", () => {
  expect(heapMebibytes(16 * GIBIBYTE, 4)).toBe(2_048);
  expect(heapMebibytes(64 * GIBIBYTE, 2)).toBe(4_096);
  expect(heapMebibytes(2 * GIBIBYTE, 16)).toBe(256);
});
