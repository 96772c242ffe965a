import { describe, expect, test } from '@jest/globals';
import { ChainWorld } from './chain-world.ts';
import { type ChainName, CHAINS } from './links.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 2);

describe('[P3] chains of pipelines under kills, freezes and lost requests', () => {
  test.each(Object.keys(CHAINS) as readonly ChainName[])(
    '[P3] %s is right from end to end, each record once (rerun: SEED, SEEDS)',
    async (name) => {
      const seen = { routed: 0, claims: 0 };
      for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
        const world = await ChainWorld.create(seed, name);
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
});
