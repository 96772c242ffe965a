import { describe, expect, test } from '@jest/globals';
import { PIPELINES, POISON, SeveralPipelines } from './several-pipelines.fixture.ts';

const KEYS = Array.from({ length: 100 }, (_, at) => `k${at}`);
/** The poison comes early: most keys fall silent afterwards. */
const POISONED = [...KEYS.slice(0, 20), POISON, ...KEYS.slice(20)];
const OTHERS = PIPELINES.filter((name) => name !== 'windows');

function longest(world: SeveralPipelines, name: (typeof PIPELINES)[number]): number {
  return Math.max(...world.closes(name).map(({ delayMs }) => delayMs));
}

describe('pipelines of three kinds on one input, in one process', () => {
  test('[P1] each says what its rules say of every key, side by side', async () => {
    const world = new SeveralPipelines(1);
    await world.live(KEYS);
    for (const name of PIPELINES) {
      expect(world.closes(name).map(({ key }) => key)).toEqual(KEYS);
      expect(world.status(name)).toMatchObject([{ state: 'running', liveEntries: 0 }]);
    }
  });

  test('[P1] one that stops stops alone: the others close as late as without it', async () => {
    const [well, poisoned] = [new SeveralPipelines(2), new SeveralPipelines(2)];
    await well.live(KEYS);
    await poisoned.live(POISONED);
    expect(poisoned.status('windows')).toMatchObject([
      { state: 'stopped', detail: expect.stringContaining(`${POISON} cannot be encoded`) as unknown },
    ]);
    expect(poisoned.fatal).toEqual([]);
    for (const name of OTHERS) {
      expect(poisoned.status(name)).toMatchObject([{ state: 'running', liveEntries: 0 }]);
      expect(poisoned.closes(name).map(({ key }) => key)).toEqual(POISONED);
      // One of them has one more record, so that the network draws other delays.
      expect(longest(poisoned, name)).toBeLessThanOrEqual(longest(well, name) + 20);
    }
  });
});
