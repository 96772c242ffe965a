import { expect, test } from '@jest/globals';
import { runPool } from './pool.ts';
import type { SeedResult } from './tally.ts';

/** The reports of five worlds, one after another. */
async function fiveWorlds(worldEndsWithinMs?: number): Promise<SeedResult[]> {
  const left = [1, 2, 3, 4, 5];
  const results: SeedResult[] = [];
  await runPool({
    workers: 1,
    next: () => {
      const seed = left.shift();
      return seed === undefined ? undefined : { seed, kind: 'schedule' };
    },
    onResult: (result) => results.push(result),
    ...(worldEndsWithinMs !== undefined && { worldEndsWithinMs }),
  });
  return results;
}

test('every seed has its result', async () => {
  const results = await fiveWorlds();
  expect(results.map(({ seed, violations }) => ({ seed, violations }))).toEqual(
    [1, 2, 3, 4, 5].map((seed) => ({ seed, violations: [] })),
  );
});

test('a world without end is the failure of its seed, and others take the place of its worker, until three are dead', async () => {
  const results = await fiveWorlds(1);
  expect(results.map(({ seed, violations }) => ({ seed, violations }))).toEqual(
    [1, 2, 3].map((seed) => ({ seed, violations: ['the world had not ended after 0.001 s'] })),
  );
});
