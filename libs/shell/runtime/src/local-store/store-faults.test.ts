// A failing device under the local stores: a store is a cache, and its errors end neither a task nor the process.
import { describe, expect, test } from '@jest/globals';
import type { StoreCall, StoreFault } from '@flatline/cluster';
import type { PipelinePorts } from '../settings.ts';
import { FLUSH_INTERVAL_MS, type Process, World } from '../world.fixture.ts';

const FAULTS: readonly StoreFault[] = ['fails', 'failsForGood'];
/** Longer than the dead member stays in the group. */
const LATER = 25_000;
const each = (...calls: StoreCall[]) => calls.flatMap((at) => FAULTS.map((fault) => ({ at, fault })));

async function beatFor(world: World, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    world.beat(`k${second % 40}`);
    await world.simulation.time.runFor(1_000);
  }
}

/** One process that has written its local store. */
async function flushed(seed: number): Promise<{ world: World; process: Process }> {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
  const process = world.launch('a');
  await beatFor(world, FLUSH_INTERVAL_MS / 1_000 + 5);
  return { world, process };
}

function fired(world: World, { at, fault }: { at: StoreCall; fault: StoreFault }): number {
  return world.simulation.faults.fired().get(`${at}/${fault}`) ?? 0;
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}

async function expectRight(world: World, ...processes: readonly Process[]): Promise<void> {
  await world.simulation.time.runFor(200_000);
  expect(world.closed()).toEqual(world.expected());
  expect(world.closed().length).toBeGreaterThan(10);
  for (const { failures } of processes) expect(failures).toEqual([]);
}

const detailOf = ({ instance }: Process): string => instance.status()[0]?.detail ?? '';

describe('[F25] a device that fails', () => {
  test.each(each('StoreClose'))(
    '[R2][F25] ($at $fault) while a fenced zombie lets its task go: it can be given the partition again',
    async (fault) => {
      const { world, process } = await flushed(51);
      const { time } = world.simulation;
      process.host.pause();
      const heir = world.launch('b');
      await time.runFor(LATER);
      world.simulation.faults.inject({ ...fault, host: 'a' });
      process.host.resume();
      await beatFor(world, 20);
      expect(fired(world, fault)).toBe(1);
      expect(process.instance.storeErrors).toBe(1);
      heir.host.kill();
      await time.runFor(LATER);
      expect(process.instance.status()).toMatchObject([{ state: 'running' }]);
      await expectRight(world, process, heir);
    },
  );

  test.each(each('StoreClose'))('[R2][F25][X5] ($at $fault) while a process leaves: it leaves', async (fault) => {
    const { world, process } = await flushed(52);
    world.simulation.faults.inject(fault);
    await world.simulation.time.complete(process.instance.stop());
    expect(fired(world, fault)).toBe(1);
    expect(process.lines).toContainEqual(expect.stringContaining('local store not closed cleanly'));
    process.host.kill();
    await expectRight(world, process, world.launch('a'));
  });

  test.each(each('StoreOpen'))('[R2][F25] ($at $fault) at a start: the task runs without its store', async (fault) => {
    const { world, process } = await flushed(53);
    process.host.kill();
    world.simulation.faults.inject(fault);
    const again = world.launch('a');
    await beatFor(world, 45);
    expect(fired(world, fault)).toBe(1);
    expect(again.instance.status()).toMatchObject([{ state: 'running', liveEntries: 40 }]);
    expect(again.instance.storeErrors).toBe(1);
    expect(again.lines).toContainEqual(expect.stringContaining('local store not opened'));
    await expectRight(world, again);
  });

  test.each(each('StoreWipe'))(
    '[R2][F25] ($at $fault) where what was read is damaged and cannot be wiped, either: the changelog is read instead',
    async (fault) => {
      const { world, process } = await flushed(54);
      process.host.kill();
      world.simulation.faults.inject({ at: 'StoreScan', fault: 'fails' });
      world.simulation.faults.inject(fault);
      const again = world.launch('a');
      await beatFor(world, 45);
      expect(fired(world, fault)).toBe(1);
      expect(again.instance.status()).toMatchObject([{ state: 'running', storesDropped: 1, liveEntries: 40 }]);
      await world.simulation.time.complete(again.instance.stop());
      again.host.kill();
      await expectRight(world, again, world.launch('a'));
    },
  );

  test.each(each('StoreScan'))('[R2][F25] ($at $fault) while it is read: dropped, and counted', async (fault) => {
    const { world, process } = await flushed(58);
    process.host.kill();
    world.simulation.faults.inject(fault);
    const again = world.launch('a');
    await beatFor(world, 20);
    expect(fired(world, fault)).toBe(1);
    expect(again.instance.status()).toMatchObject([{ state: 'running', storesDropped: 1 }]);
    expect(again.instance.storeErrors).toBe(1);
    expect(again.lines).toContainEqual(expect.stringContaining('local store not read'));
    await expectRight(world, again);
  });

  test("[I6][F25] an assertion of a package's own while it is opened is an error of the store", async () => {
    const theirs = Object.assign(new Error('theirs'), { name: 'AssertionError' });
    const adapt = (ports: PipelinePorts): PipelinePorts => {
      const { stores } = ports;
      return {
        ...ports,
        stores: new Proxy(stores, { get: (_, name) => (name === 'open' ? open : bound(stores, name)) }),
      };
    };
    const open = (): Promise<never> => Promise.reject(theirs);
    const world = new World({ seed: 59, partitions: 1, timeoutMs: 60_000, adapt });
    const process = world.launch('a');
    await beatFor(world, 10);
    expect(process.instance.status()).toMatchObject([{ state: 'running' }]);
    expect(process.instance.storeErrors).toBe(1);
  });

  test.each(each('StoreOpen'))('[R2][F25][X5] ($at $fault) while it is opened: the status says so', async (fault) => {
    const { world, process } = await flushed(60);
    process.host.kill();
    world.simulation.faults.inject(fault);
    const again = world.launch('a');
    await beatFor(world, 20);
    expect(fired(world, fault)).toBe(1);
    expect(again.instance.status()).toMatchObject([
      {
        state: 'running',
        detail: expect.stringMatching(/^no local store: .*the next start reads the whole changelog/),
      },
    ]);
    await expectRight(world, again);
  });

  test('[R2][F25][X5] at a write, for a while: it is written again', async () => {
    const { world, process } = await flushed(55);
    const stoodAt = world.simulation.disk('a').file(0)!.checkpoint!.changelogPosition;
    world.simulation.faults.inject({ at: 'StoreWrite', fault: 'fails' });
    await beatFor(world, 30);
    expect(detailOf(process)).toBe('');
    expect(fired(world, { at: 'StoreWrite', fault: 'fails' })).toBe(1);
    expect(world.simulation.disk('a').file(0)!.checkpoint!.changelogPosition).toBeGreaterThan(stoodAt);
    expect(process.instance.storeErrors).toBe(1);
    await expectRight(world, process);
  });

  test('[R2][F25][X5] at a write, for good: the store is given up, the status says so, and the next start begins where it stands', async () => {
    const { world, process } = await flushed(56);
    const stoodAt = world.simulation.disk('a').file(0)!.checkpoint!.changelogPosition;
    world.simulation.faults.inject({ at: 'StoreWrite', fault: 'failsForGood' });
    await beatFor(world, 60);
    expect(world.simulation.disk('a').file(0)!.checkpoint!.changelogPosition).toBe(stoodAt);
    expect(detailOf(process)).toMatch(/^the local store is not written: .*mend its disk$/);
    expect(process.instance.storeErrors).toBe(1);
    await expectRight(world, process);
  });
});

describe('[F25] a device that fails under a standby', () => {
  /** An owner and its heir, which stands by for the one partition. */
  async function pair(seed: number): Promise<{ world: World; owner: Process; heir: Process }> {
    const world = new World({ seed, partitions: 1, timeoutMs: 60_000, standbys: 1 });
    const processes = [world.launch('a'), world.launch('b')];
    await beatFor(world, 20);
    const [owner, heir] = processes.sort((a, b) => b.instance.status().length - a.instance.status().length);
    return { world, owner: owner!, heir: heir! };
  }

  test.each(each('StoreOpen'))('[R2][F25] ($at $fault): it follows without a store, and takes over', async (fault) => {
    const { world, owner, heir } = await pair(57);
    await world.simulation.time.complete(heir.instance.stop());
    heir.host.kill();
    world.simulation.faults.inject({ ...fault, host: heir.name });
    const again = world.launch(heir.name);
    await beatFor(world, 20);
    expect(fired(world, fault)).toBe(1);
    expect(again.instance.standbys()).toMatchObject([{ state: 'following', lag: 0 }]);
    owner.host.kill();
    await world.simulation.time.runFor(LATER);
    expect(again.instance.status()).toMatchObject([{ state: 'running' }]);
    await expectRight(world, again);
  });

  test.each(each('StoreWipe'))(
    '[K5][F25] ($at $fault) as it begins again: it goes on without a store',
    async (fault) => {
      const { world, owner, heir } = await pair(58);
      heir.host.pause();
      for (let round = 0; round < 2; round += 1) {
        for (let i = 0; i < 40; i += 1) world.end(`k${i}`);
        await beatFor(world, 45);
        world.truncateChangelog(0);
      }
      world.simulation.faults.inject({ ...fault, host: heir.name });
      heir.host.resume();
      await beatFor(world, 20);
      expect(fired(world, fault)).toBe(1);
      expect(heir.instance.standbys()).toMatchObject([{ state: 'following', lag: 0, storesDropped: 1 }]);
      owner.host.kill();
      await world.simulation.time.runFor(LATER);
      await expectRight(world, heir);
    },
  );

  test.each(each('StoreClose'))('[R2][F25][X5] ($at $fault) as it is let go: it leaves', async (fault) => {
    const { world, owner, heir } = await pair(59);
    world.simulation.faults.inject({ ...fault, host: heir.name });
    await world.simulation.time.complete(heir.instance.stop());
    expect(fired(world, fault)).toBe(1);
    expect(heir.instance.standbys()).toEqual([]);
    await expectRight(world, owner, heir);
  });
});
