import { expect, test } from '@jest/globals';
import { calmLimitMs, LIVENESS_MAX_MS } from './calm-limit.ts';

test('[X5][D2] what is due may take as long as maxDuePerSecond leaves it, partition by partition, and no longer', () => {
  expect(calmLimitMs(undefined, [100_000])).toBe(LIVENESS_MAX_MS);
  expect(calmLimitMs(1, [])).toBe(LIVENESS_MAX_MS);
  expect(calmLimitMs(1, [279])).toBe(LIVENESS_MAX_MS + 279_000);
  expect(calmLimitMs(5, [10, 279, 0])).toBe(LIVENESS_MAX_MS + 55_800);
});
