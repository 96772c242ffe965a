import { describe, expect, test } from '@jest/globals';
import type { Routed } from '@flatline/kinds/routing';
import { ChainWorld, type Spoil } from './chain-world.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 2);

describe('[P3] chains of pipelines under kills, freezes and lost requests', () => {
  test.each([2, 3] as const)(
    '[P3] of %i are right from end to end, each record once (rerun: SEED, SEEDS)',
    async (length) => {
      const seen = { routed: 0, claims: 0 };
      for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
        const world = await ChainWorld.create(seed, length);
        await world.live();
        expect({ seed, failures: world.failures }).toEqual({ seed, failures: [] });
        for (const pipeline of world.pipelines) {
          const of = { seed, of: pipeline.name };
          const { violations, undecided, reach } = await world.judge(pipeline);
          expect({ ...of, violations, undecided }).toEqual({ ...of, violations: [], undecided: [] });
          seen.routed += reach.routed;
          seen.claims += reach.claims;
        }
      }
      expect(seen.routed).toBeGreaterThan(20 * SEEDS);
      expect(seen.claims).toBeGreaterThan(4 * SEEDS);
    },
  );

  /** Every seventh. */
  const now = (number: number): boolean => number % 7 === 0;
  const changed = (routed: Routed, change: object): Routed[] =>
    routed.kind === 'record' ? [{ ...routed, record: { ...routed.record, ...change } }] : [routed];

  test.each<[string, Spoil]>([
    ['leaves one out', (routed, number) => (now(number) ? [] : [routed])],
    ['says one twice', (routed, number) => (now(number) ? [routed, routed] : [routed])],
    ['changes a value', (routed, number) => (now(number) ? changed(routed, { value: Uint8Array.of(1) }) : [routed])],
    ['changes a key', (routed, number) => (now(number) ? changed(routed, { key: Uint8Array.of(1) }) : [routed])],
    // Each time, since few records have any.
    ['loses headers', (routed) => changed(routed, { headers: [] })],
    ['forgets letters', (routed) => (routed.kind === 'unroutable' ? [] : [routed])],
  ])('[P3] a product that %s is found', async (_, spoil) => {
    const world = await ChainWorld.create(SEED, 3, spoil);
    await world.live();
    const reports = await Promise.all(world.pipelines.map((pipeline) => world.judge(pipeline)));
    expect(reports.flatMap(({ violations }) => violations.map(({ rule }) => rule))).toContain('P3');
  });
});
