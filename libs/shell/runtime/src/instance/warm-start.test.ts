import { describe, expect, test } from '@jest/globals';
import { WARM_START_RECENT_MS, WARM_STARTS_MAX } from '../limits.ts';
import { warmStarts } from './warm-start.ts';
import { FREQUENT_FLUSHES, type Process, World } from '../world.fixture.ts';

const at = (partition: number, writtenAt: number) => ({ partition, writtenAt, changelogPosition: 7 });

describe('warmStarts', () => {
  test.each([
    ['nothing on disk', [], 4, []],
    ['written last, loaded first', [at(0, 10), at(1, 30), at(2, 20)], 4, [1, 2, 0]],
    ['of a partition that the input has not', [at(0, 10), at(4, 10)], 4, [0]],
    ['just within the time', [at(0, 0), at(1, WARM_START_RECENT_MS)], 4, [1, 0]],
    ['left before that', [at(0, 0), at(1, WARM_START_RECENT_MS + 1)], 4, [1]],
    ['left before that, but the newest is not of this input', [at(0, 0), at(4, WARM_START_RECENT_MS + 1)], 4, [0]],
  ])('%s', (_, found, partitions, expected) => {
    expect(warmStarts(found, partitions)).toEqual(expected);
  });

  test('[X6] so many at most', () => {
    const found = Array.from({ length: WARM_STARTS_MAX + 9 }, (_, partition) => at(partition, partition));
    const chosen = warmStarts(found, found.length);
    expect(chosen).toHaveLength(WARM_STARTS_MAX);
    expect(chosen[0]).toBe(found.length - 1);
  });
});

/** In the worlds below, turns of a second that loading takes. */
const LOAD_TURNS = 5;
const SLOW_TURN_MS = 1_000;
const SESSIONS = 60;
const bounds = { ...FREQUENT_FLUSHES, loadSlice: SESSIONS / LOAD_TURNS, armSlice: SESSIONS / 3 };

/** A process with this many sessions in its local store; the next one of its name has slow turns. */
async function withStore(seed: number): Promise<{ world: World; owner: Process }> {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000, bounds });
  const owner = world.launch('a');
  await world.simulation.time.runFor(3_000);
  for (let i = 0; i < SESSIONS; i += 1) world.beat(`k${i}`);
  await world.simulation.time.runFor(1_000);
  expect(owner.instance.status()).toMatchObject([{ state: 'running', liveEntries: SESSIONS }]);
  await world.simulation.time.runFor(15_000);
  world.beat('k0');
  await world.simulation.time.runFor(1_000);
  expect(world.simulation.disk('a').file(0)!.entries.size).toBe(SESSIONS);
  world.turnMs = SLOW_TURN_MS;
  return { world, owner };
}

async function leave(world: World, { instance, host }: Process): Promise<void> {
  await world.simulation.time.complete(instance.stop());
  host.kill();
}

const runsFromLocalStore = ({ lines }: Process): boolean =>
  lines.some((line) => line.includes('task runs') && line.includes('"restoredFrom":"localStore"'));

describe('a warm start', () => {
  test('[R1] after kill −9 an instance loads while the group waits for the dead member', async () => {
    const { world, owner } = await withStore(31);
    owner.host.kill();
    const again = world.launch('a');
    await world.simulation.time.runFor(8_500);
    // The dead member is not given up yet.
    expect(again.instance.isReady).toBe(false);
    expect(again.instance.status()).toEqual([]);
    expect(again.instance.standbys()).toMatchObject([{ state: 'following', lag: 0, liveEntries: SESSIONS }]);
    await world.simulation.time.runFor(4_000);
    expect(again.instance.isReady).toBe(true);
    expect(again.instance.standbys()).toEqual([]);
    expect(runsFromLocalStore(again)).toBe(true);
  });

  test('[R1] an assignment that comes in the middle of the load waits for it and begins no other', async () => {
    const { world, owner } = await withStore(32);
    await leave(world, owner);
    const again = world.launch('a');
    await world.simulation.time.runFor(1_500);
    expect(again.instance.status()).toMatchObject([{ state: 'restoring' }]);
    await world.simulation.time.runFor((LOAD_TURNS + 8) * SLOW_TURN_MS);
    expect(again.instance.status()).toMatchObject([{ state: 'running', liveEntries: SESSIONS, storesDropped: 0 }]);
    expect(runsFromLocalStore(again)).toBe(true);
  });

  test.each(['before it is assigned', 'when it is handed over'])(
    '[X5] ending does not wait for a load, %s',
    async (when) => {
      const { world, owner } = await withStore(33);
      if (when === 'before it is assigned') owner.host.kill();
      else await leave(world, owner);
      const again = world.launch('a');
      await world.simulation.time.runFor(1_500);
      const { nowMs } = world.simulation.time;
      await world.simulation.time.complete(again.instance.abort());
      expect(world.simulation.time.nowMs - nowMs).toBeLessThanOrEqual(2 * SLOW_TURN_MS);
      expect(world.simulation.disk('a').lockedBy(0)).toBeUndefined();
    },
  );

  test('[X5] ending does not wait for timers to be armed', async () => {
    const { world, owner } = await withStore(37);
    await leave(world, owner);
    const again = world.launch('a');
    const hasState = (): boolean => again.instance.status().some(({ liveEntries }) => liveEntries > 0);
    expect(await world.simulation.time.runUntil(hasState, 60_000)).toBe(true);
    await world.simulation.time.runFor(SLOW_TURN_MS / 2);
    expect(again.instance.status()).toMatchObject([{ state: 'restoring', expiryLagMs: 0, liveEntries: SESSIONS }]);
    expect(again.instance.timers(0)).toBeUndefined();
    const { nowMs } = world.simulation.time;
    await world.simulation.time.complete(again.instance.abort());
    expect(world.simulation.time.nowMs - nowMs).toBeLessThanOrEqual(2 * SLOW_TURN_MS);
    expect(world.simulation.disk('a').lockedBy(0)).toBeUndefined();
  });

  test('[R1][S4] a partition that goes to another member is let go, and its store stays as it was', async () => {
    const world = new World({ seed: 34, partitions: 3, timeoutMs: 60_000 });
    const { time } = world.simulation;
    const owner = world.launch('a');
    await time.runFor(3_000);
    for (let i = 0; i < 90; i += 1) world.beat(`k${i}`);
    await time.runFor(1_000);
    await leave(world, owner);
    const other = world.launch('b');
    await time.runFor(5_000);
    const before = [0, 1, 2].map((partition) => world.simulation.disk('a').file(partition)!.checkpoint);
    other.host.pause();
    const again = world.launch('a');
    await time.runFor(3_000);
    expect(again.instance.standbys().map(({ partition }) => partition)).toEqual([0, 1, 2]);
    other.host.resume();
    await time.runFor(5_000);
    const mine = again.instance.status().map(({ partition }) => partition);
    expect(mine.length).toBeLessThan(3);
    expect(again.instance.standbys()).toEqual([]);
    const disk = world.simulation.disk('a');
    for (const partition of [0, 1, 2].filter((each) => !mine.includes(each))) {
      expect(disk.file(partition)!.checkpoint).toEqual(before[partition]);
      expect(disk.lockedBy(partition)).toBeUndefined();
    }
    await time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R2] a store that it had to drop is counted by the task that comes of it', async () => {
    const world = new World({ seed: 35, partitions: 1, timeoutMs: 60_000 });
    const { time } = world.simulation;
    const owner = world.launch('a');
    await time.runFor(3_000);
    for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
    await time.runFor(1_000);
    await leave(world, owner);
    const other = world.launch('b');
    await time.runFor(3_000);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 20; i += 1) {
        world.end(`k${i}`);
        world.beat(`k${i}`);
      }
      await time.runFor(1_000);
    }
    world.truncateChangelog(0);
    other.host.kill();
    const again = world.launch('a');
    await time.runFor(5_000);
    expect(again.instance.standbys()).toMatchObject([{ state: 'following', storesDropped: 1 }]);
    await time.runFor(10_000);
    expect(again.instance.status()).toMatchObject([{ state: 'running', storesDropped: 1 }]);
    expect(world.simulation.disk('a').drops).toMatchObject([{ partition: 0, reason: 'behind-log-start' }]);
    await time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('an instance that is stopped while it looks for its stores neither loads nor joins', async () => {
    const { world, owner } = await withStore(36);
    owner.host.kill();
    const again = world.launch('a');
    await world.simulation.time.complete(again.instance.stop());
    await world.simulation.time.runFor(20_000);
    expect(again.instance.standbys()).toEqual([]);
    expect(again.lines.filter((line) => line.includes('partitions assigned'))).toEqual([]);
    expect(world.simulation.group('app.visits').members()).toEqual([]);
  });
});
