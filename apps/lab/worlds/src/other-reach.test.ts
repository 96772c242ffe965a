import { expect, test } from '@jest/globals';
import { missedOfWorlds, seedsOf } from './other-reach.ts';

test.each(['chain', 'deliveries', 'tasks'] as const)(
  '[V12] a campaign of %s of its own length is judged by what happened, a shorter one is not',
  (world) => {
    const seeds = seedsOf(world);
    const missed = missedOfWorlds(world, seeds, new Map());
    expect(missed).not.toEqual([]);
    expect(missedOfWorlds(world, seeds, new Map([[missed[0]!, 1]]))).toEqual(missed.slice(1));
    expect(missedOfWorlds(world, seeds - 1, new Map())).toEqual([]);
  },
);
