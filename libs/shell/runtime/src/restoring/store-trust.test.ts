// A local store is used only where it can be trusted, and else rebuilt (R2).
import { describe, expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { CHANGELOG, World } from '../world.fixture.ts';
import { afterKill, expectRight, restart, ROUNDS } from './afterwards.fixture.ts';

function floorOf(value: Uint8Array): number {
  const block = decodeBlock(value);
  if (block.kind !== 'state') throw new Error('the last block is a commit');
  return block.header.floor;
}

/** One of forty keys beats each second. */
async function beatFor(world: World, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    world.beat(`k${second % 40}`);
    await world.simulation.time.runFor(1_000);
  }
}

/** A process that has written its local store, and where that stood then. */
async function flushed(seed: number) {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
  const disk = world.simulation.disk('a');
  const process = world.launch('a');
  await beatFor(world, ROUNDS);
  return { world, disk, process, stoodAt: disk.file(0)?.checkpoint?.changelogPosition ?? 0 };
}

describe('[R2] a local store', () => {
  test('[R2][F9] hours old is rolled forward from the changelog, not dropped', async () => {
    const world = new World({ seed: 5, partitions: 1, timeoutMs: 120_000 });
    const { time } = world.simulation;
    const first = world.launch('a');
    for (let i = 0; i < 30; i += 1) world.beat(`k${i}`);
    await time.runFor(20_000);
    await time.complete(first.instance.stop());
    first.host.kill();
    const old = world.simulation.disk('a').copy(0);
    const second = world.launch('a');
    for (let i = 15; i < 40; i += 1) world.beat(`k${i}`);
    await time.runFor(20_000);
    second.host.kill();
    world.simulation.disk('a').restore(0, old);
    const third = await restart(world);
    expect(third.instance.status()[0]).toMatchObject({ state: 'running', storesDropped: 0, liveEntries: 40 });
    await expectRight(world);
  });

  test.each(['entryLost', 'imageChanged'] as const)(
    '[R1][R2] with a silent %s is found out by count or digest, dropped and rebuilt',
    async (how) => {
      const world = await afterKill(6);
      world.simulation.disk('a').rotSilently(0, how);
      const process = await restart(world);
      expect(process.instance.status()[0]).toMatchObject({ state: 'running', storesDropped: 1 });
      await expectRight(world);
    },
  );

  test('[R2] behind the start of the changelog is dropped and rebuilt', async () => {
    const world = new World({ seed: 7, partitions: 1, timeoutMs: 60_000 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    world.beat('x');
    await time.runFor(15_000);
    await time.complete(first.instance.stop());
    first.host.kill();
    const old = world.simulation.disk('a').copy(0);
    const second = world.launch('a');
    for (let round = 0; round < 30; round += 1) {
      // Another life of the key has another base: none is left where the log began.
      if (round === 10) world.end('x');
      world.beat('x');
      await time.runFor(1_000);
    }
    second.host.kill();
    world.simulation.disk('a').restore(0, old);
    log.partition(CHANGELOG, 0).truncateBelow(floorOf(log.committed(CHANGELOG, 0).at(-1)!.value!));
    const third = await restart(world);
    expect(third.instance.status()[0]).toMatchObject({ state: 'running', storesDropped: 1, liveEntries: 1 });
    await time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });
});

describe('[F13] a damaged store', () => {
  test.each(['format', 'checksum', 'unreadable', 'unclean-after-reboot'] as const)(
    '[R2][F13] (%s) is dropped, noted for the next process too, and rebuilt exactly',
    async (damage) => {
      const world = await afterKill(35);
      world.simulation.disk('a').damage(0, damage);
      const process = await restart(world);
      expect(process.instance.status()[0]).toMatchObject({ state: 'running', storesDropped: 1 });
      const drops = world.simulation.disk('a').drops.map(({ partition, reason }) => ({ partition, reason }));
      expect(drops).toEqual([{ partition: 0, reason: damage }]);
      await expectRight(world);
    },
  );

  test('[F13] found while it is written: the store is given up, and the next start begins without it', async () => {
    const { world, disk, process, stoodAt } = await flushed(41);
    expect(stoodAt).toBeGreaterThan(0);
    disk.rotten = true;
    await beatFor(world, 30);
    // Trying again would not have helped before, and is not tried now.
    disk.rotten = false;
    await beatFor(world, 30);
    expect(process.instance.status()[0]).toMatchObject({ state: 'running', lag: 0 });
    expect(disk.file(0)?.checkpoint?.changelogPosition).toBe(stoodAt);
    expect(process.failures).toEqual([]);
    await expectRight(world);
  });
});

describe('[F12] a full disk', () => {
  test('[F12] stops no commit and no process; once there is room the store is written again', async () => {
    const { world, disk, process, stoodAt } = await flushed(36);
    disk.full = true;
    await beatFor(world, 60);
    expect(process.instance.status()[0]).toMatchObject({ state: 'running', lag: 0 });
    expect(disk.file(0)?.checkpoint?.changelogPosition).toBe(stoodAt);
    disk.full = false;
    await beatFor(world, 30);
    expect(disk.file(0)?.checkpoint?.changelogPosition).toBeGreaterThan(stoodAt + 60);
    expect(process.failures).toEqual([]);
    await expectRight(world);
  });

  test('[F12] at a start: the task runs without a store and says so, and the next start has one again', async () => {
    const world = new World({ seed: 37, partitions: 1, timeoutMs: 60_000 });
    const { time } = world.simulation;
    const disk = world.simulation.disk('a');
    disk.full = true;
    for (let i = 0; i < 30; i += 1) world.beat(`k${i}`);
    const process = await restart(world);
    expect(process.instance.status()[0]).toMatchObject({ state: 'running', liveEntries: 30 });
    expect(process.lines).toContainEqual(expect.stringMatching(/local store not opened.*no space left/));
    disk.full = false;
    await beatFor(world, 30);
    await time.complete(process.instance.stop());
    process.host.kill();
    expect(disk.file(0)).toBeUndefined();
    const again = await restart(world);
    await beatFor(world, 30);
    expect(disk.file(0)?.checkpoint).toBeDefined();
    expect([...process.failures, ...again.failures]).toEqual([]);
    await expectRight(world);
  });
});
