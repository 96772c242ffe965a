import { describe, expect, test } from '@jest/globals';
import { TASK_BOUNDS as bounds } from '../limits.ts';
import { CHANGELOG, World, type WorldSettings } from '../world.fixture.ts';

const KB = 1024;

/** Ten sessions of 1 kB that beat each 100 ms: 100 kB of changelog a second. */
async function beaten(settings: Partial<WorldSettings>, seconds: number): Promise<World> {
  const unswept = { ...bounds, unsweptLogBytes: 20 * KB };
  const world = new World({ seed: 81, partitions: 1, timeoutMs: 60_000, stateBytes: KB, bounds: unswept, ...settings });
  const { time, log } = world.simulation;
  world.launch('a');
  await time.runFor(3_000);
  for (let tenths = 0; tenths < 10 * seconds; tenths += 1) {
    for (let key = 0; key < 10; key += 1) log.produce('in', 0, { key: `k${key}`, value: '{}' });
    await time.runFor(100);
  }
  return world;
}

/** Bytes of the changelog that are still there. */
function kept(world: World): number {
  return world.simulation.log.partition(CHANGELOG, 0).batches.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

describe('[K4] how far back the changelog goes', () => {
  test('[K4] a floor ripens by time', async () => {
    const world = await beaten({ truncateLagMs: 10_000 }, 60);
    expect(world.simulation.log.partition(CHANGELOG, 0).truncations.length).toBeGreaterThan(2);
    // Ten seconds, what comes until the next look, and what is above the floor.
    expect(kept(world)).toBeLessThan(30 * 100 * KB);
  });

  test('[K4] a floor ripens by what is written, where that comes first', async () => {
    const world = await beaten({ truncateLagMs: 600_000, truncateLagBytes: 1_000 * KB }, 60);
    const { truncations } = world.simulation.log.partition(CHANGELOG, 0);
    expect(truncations.length).toBeGreaterThan(2);
    expect(kept(world)).toBeGreaterThan(900 * KB);
    expect(kept(world)).toBeLessThan(1_600 * KB);
  });

  test('[K4] neither alone is cut short by the other', async () => {
    const world = await beaten({ truncateLagMs: 600_000 }, 60);
    expect(world.simulation.log.partition(CHANGELOG, 0).truncations).toEqual([]);
  });

  test('[K5] a standby that is stopped while more is written than a floor ripens in begins again, and takes over soundly', async () => {
    const world = new World({
      seed: 82,
      partitions: 1,
      timeoutMs: 60_000,
      stateBytes: KB,
      standbys: 1,
      truncateLagBytes: 200 * KB,
      bounds: { ...bounds, unsweptLogBytes: 20 * KB },
    });
    const { time, log } = world.simulation;
    const owner = world.launch('a');
    await time.runFor(3_000);
    const standby = world.launch('b');
    const beat = async (seconds: number): Promise<void> => {
      for (let tenths = 0; tenths < 10 * seconds; tenths += 1) {
        for (let key = 0; key < 10; key += 1) log.produce('in', 0, { key: `k${key}`, value: '{}' });
        await time.runFor(100);
      }
    };
    await beat(15);
    const [holds, follows] = owner.instance.standbys().length === 0 ? [owner, standby] : [standby, owner];
    follows.host.pause();
    await beat(8);
    expect(log.partition(CHANGELOG, 0).truncations.length).toBeGreaterThan(0);
    follows.host.resume();
    await beat(5);
    holds.host.kill();
    await time.runFor(120_000);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(10);
    expect(follows.lines.some((line) => line.includes('behind-log-start'))).toBe(true);
    expect([...owner.failures, ...standby.failures]).toEqual([]);
  });
});
