import { expect, test } from '@jest/globals';
import { hostileThrough, publicRefused } from './hostile-runs.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 176_000_002);

test('[N5] of 100 000 hostile hosts 0 get through, and of 10 000 public ones 0 are refused', async () => {
  expect([SEED, await hostileThrough(SEED, 100_000)]).toEqual([SEED, []]);
  expect([SEED, await publicRefused(SEED, 10_000)]).toEqual([SEED, []]);
}, 300_000);
