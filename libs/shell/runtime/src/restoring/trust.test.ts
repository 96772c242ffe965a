// What is found at a start is used only where it can be trusted: a local store is rebuilt (R2), a log stops the partition (R3).
import { describe, expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { OPEN_TRANSACTION_ALARM_MS } from '../instance/limits.ts';
import { CHANGELOG, DEAD_LETTERS, FLUSH_INTERVAL_MS, INPUT, type Process, World } from '../world.fixture.ts';

/** Longer than the dead member stays in the group, and an input is asked for its end before it is believed shorter. */
const LATER = 25_000;

/** A second each, so that a local store has been written. */
const ROUNDS = FLUSH_INTERVAL_MS / 1_000 + 5;

/** A world in which one process has run for a while and was then killed, with live sessions left. */
async function afterKill(seed: number): Promise<World> {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
  const process = world.launch('a');
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let i = 0; i < 20; i += 1) world.beat(`k${i + round}`);
    await world.simulation.time.runFor(1_000);
  }
  process.host.kill();
  return world;
}

async function restart(world: World): Promise<Process> {
  const process = world.launch('a');
  await world.simulation.time.runFor(LATER);
  return process;
}

function floorOf(value: Uint8Array): number {
  const block = decodeBlock(value);
  if (block.kind !== 'state') throw new Error('the last block is a commit');
  return block.header.floor;
}

/** Everything closes once and with the content of the log. */
async function expectRight(world: World): Promise<void> {
  await world.simulation.time.runFor(200_000);
  expect(world.closed()).toEqual(world.expected());
  expect(world.closed().length).toBeGreaterThan(20);
}

function expectStopped(process: Process, why: RegExp): void {
  const [status] = process.instance.status();
  expect(status?.state).toBe('stopped');
  expect(status?.detail).toMatch(why);
  expect(process.failures).toEqual([]);
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

describe('[F9] the store of another log', () => {
  /** A world whose process was stopped after this many seconds, and the store it left. */
  async function stopped(seed: number, seconds: number): Promise<World> {
    const world = new World({ seed, partitions: 1, timeoutMs: 120_000 });
    const process = world.launch('a');
    for (let second = 0; second < seconds; second += 1) {
      world.beat(`k${seed}-${second}`);
      await world.simulation.time.runFor(1_000);
    }
    await world.simulation.time.complete(process.instance.stop());
    process.host.kill();
    return world;
  }

  test('[R2][F9] that ends where this log goes on, or ends too, is dropped, and the state rebuilt exactly', async () => {
    for (const seconds of [5, 10]) {
      const [world, other] = [await stopped(31, 10), await stopped(32, seconds)];
      world.simulation.disk('a').restore(0, other.simulation.disk('a').copy(0));
      const process = await restart(world);
      expect(process.instance.status()[0]).toMatchObject({ state: 'running', storesDropped: 1, liveEntries: 10 });
      await world.simulation.time.runFor(200_000);
      expect(world.closed()).toEqual(world.expected());
    }
  });

  test('[R3][F9] newer than this log stops the partition: the log may have lost what the store has', async () => {
    const [world, other] = [await stopped(33, 5), await stopped(34, 60)];
    world.simulation.disk('a').restore(0, other.simulation.disk('a').copy(0));
    expectStopped(await restart(world), /the local store stands at|does not hold offset/);
    expect(world.closed()).toEqual([]);
  });
});

describe('[R3] a log that cannot be trusted stops the partition, and nothing is emitted or reset', () => {
  test('[R3][F11] a changelog that is empty although a local store exists, or a group offset', async () => {
    for (const keepStore of [true, false]) {
      const world = await afterKill(8);
      world.simulation.log.deleteTopic(CHANGELOG);
      world.simulation.log.createTopic(CHANGELOG, { partitions: 1 });
      if (!keepStore) world.simulation.disk('a').wipe();
      expectStopped(
        await restart(world),
        /changelog changelog\/0 cannot be trusted: it is empty although|changelog-0 does not hold offset/,
      );
      expect(world.closed()).toEqual([]);
    }
  });

  test('[R3][F11] a changelog that starts above the floor of its last commit', async () => {
    const world = new World({ seed: 9, partitions: 1, timeoutMs: 60_000 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    world.beat('old');
    await time.runFor(1_000);
    world.beat('new');
    await time.runFor(1_000);
    first.host.kill();
    world.simulation.disk('a').wipe();
    log.partition(CHANGELOG, 0).truncateBelow(log.committed(CHANGELOG, 0).at(-1)!.offset);
    expectStopped(await restart(world), /above the floor/);
  });

  test('[R3] a changelog with a commit missing from its chain', async () => {
    const world = await afterKill(10);
    world.simulation.disk('a').wipe();
    const { log } = world.simulation;
    const blocks = log.committed(CHANGELOG, 0);
    log.partition(CHANGELOG, 0).removeRecord(blocks[Math.floor(blocks.length / 2)]!.offset);
    expectStopped(await restart(world), /follows/);
  });

  test('[R3][F11] an input that was recreated and is shorter', async () => {
    const world = await afterKill(11);
    world.simulation.log.deleteTopic(INPUT);
    world.simulation.log.createTopic(INPUT, { partitions: 1, timestampType: 'LogAppendTime' });
    expectStopped(await restart(world), /input in\/0 is not the log that was read: .*it ends at 0/);
    expect(world.closed()).toEqual([]);
  });

  test('[R3][F11] an input that was recreated and is as long', async () => {
    const world = await afterKill(12);
    world.simulation.log.deleteTopic(INPUT);
    world.simulation.log.createTopic(INPUT, { partitions: 1, timestampType: 'LogAppendTime' });
    for (let i = 0; i < ROUNDS * 40; i += 1) world.beat(`z${i}`);
    expectStopped(await restart(world), /not the one recorded/);
    expect(world.closed()).toEqual([]);
  });

  test('[R3][F11] an input whose unread records were deleted', async () => {
    const world = await afterKill(13);
    for (let i = 0; i < 50; i += 1) world.beat(`late${i}`);
    await world.simulation.time.runFor(1_000);
    const { log } = world.simulation;
    log.partition(INPUT, 0).truncateBelow(log.committed(INPUT, 0).at(-1)!.offset);
    expectStopped(await restart(world), /records were deleted before they were read/);
  });
});

describe('[C6][R3] a batch stamped as no instant is', () => {
  const NANOSECONDS = 1_000_000;

  test.each([
    ['nanoseconds', (now: number) => now * NANOSECONDS],
    ['Long.MAX', () => 2 ** 63],
    ['Long.MIN', () => -(2 ** 63)],
  ])('[C6][R1][R3] %s: its records are dead letters, and the changelog can be read', async (_what, stampOf) => {
    const world = new World({ seed: 14, partitions: 1, timeoutMs: 20_000, timestampType: 'CreateTime' });
    const { time, log } = world.simulation;
    const produce = (key: string, timestamp: number): void => {
      log.produce(INPUT, 0, { key, value: '', timestamp });
    };
    const first = world.launch('a');
    await time.runFor(5_000);
    for (let i = 0; i < 50; i += 1) produce(`k${i}`, world.simulation.trueMs());
    produce('wild', stampOf(world.simulation.trueMs()));
    await time.runFor(2_000);
    first.host.kill();
    world.simulation.disk('a').wipe();
    const second = await restart(world);
    await time.runFor(40_000);
    expect(second.instance.status()).toMatchObject([{ state: 'running', detail: undefined }]);
    expect(world.closed()).toHaveLength(50);
    expect(log.committed(DEAD_LETTERS, 0)).toHaveLength(1);
  });
});

describe('[R3] what another owner did meanwhile is not held against the log', () => {
  test('[R3][F3] a process stopped while it restored a new application does not take the first commits of its successor for lost ones', async () => {
    const world = new World({ seed: 1565, partitions: 1 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    await time.runUntil(() => log.committed(CHANGELOG, 0).length > 0, LATER);
    first.host.pause();
    world.launch('b');
    for (let i = 0; i < 30; i += 1) {
      world.beat('k');
      await time.runFor(1_000);
    }
    first.host.resume();
    await time.runFor(LATER);
    expect(first.lines.filter((line) => line.includes('cannot be trusted'))).toEqual([]);
  });

  test("[X4][F3] a process stopped while its claim had no answer does not claim again what is another owner's", async () => {
    const world = new World({ seed: 83, partitions: 1 });
    const { time, faults, log } = world.simulation;
    faults.inject({ at: 'EndTxn', fault: 'answerDropped' });
    const first = world.launch('a');
    await time.runUntil(() => faults.pending().length === 0, LATER);
    first.host.pause();
    const second = world.launch('b');
    await time.runUntil(() => second.instance.isReady, LATER);
    const { length } = log.endedTransactions;
    first.host.resume();
    for (let i = 0; i < 20; i += 1) {
      world.beat('k');
      await time.runFor(1_000);
    }
    expect(log.endedTransactions.length).toBeGreaterThan(length + 10);
    expect(second.lines.filter((line) => line.includes('outcome is looked up'))).toEqual([]);
    expect(second.instance.status()).toMatchObject([{ state: 'running' }]);
  });

  test('[R3][K3][K4] a commit after a start from a store without entries states no floor below the start of the log', async () => {
    const world = new World({ seed: 1386, partitions: 1, truncateLagMs: 1_000, timeoutMs: 1_000 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    for (let second = 0; second < 40; second += 1) {
      if (second < 35) world.beat('k');
      await time.runFor(1_000);
    }
    await time.complete(first.instance.stop());
    first.host.kill();
    expect(log.partition(CHANGELOG, 0).ends().logStartOffset).toBeGreaterThan(0);
    const second = await restart(world);
    world.beat('k');
    await time.runFor(300);
    second.host.kill();
    const third = await restart(world);
    expect(third.instance.status()[0]?.state).toBe('running');
    expect(world.closed()).toEqual(world.expected());
  });

  test('[K5][R3][F24] a restoration whose log is truncated meanwhile begins again at the new start, and does not stop', async () => {
    let truncated = 0;
    for (const pauseAfterMs of [0.5, 1, 2, 3, 4]) {
      const world = new World({ seed: 20, partitions: 2, timeoutMs: 60_000 });
      const { time } = world.simulation;
      world.launch('a');
      for (let round = 0; round < 20; round += 1) {
        for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
        await time.runFor(500);
      }
      const second = world.launch('b');
      await time.runUntil(() => second.lines.some((line) => line.includes('partitions assigned')), LATER);
      await time.runFor(pauseAfterMs);
      second.host.pause();
      for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
      await time.runFor(2_000);
      for (const partition of [0, 1]) world.truncateChangelog(partition);
      second.host.resume();
      await time.runFor(5_000);
      if (second.lines.some((line) => line.includes('what was read stands at'))) truncated += 1;
      expect(second.instance.status()).toMatchObject([{ state: 'running', liveEntries: 10 }]);
      await time.runFor(200_000);
      expect(world.closed()).toEqual(world.expected());
    }
    expect(truncated).toBeGreaterThan(0);
  });

  test('[K4][R3] an owner stopped for long that is given its partition again finds the log truncated: it restores, and does not stop', async () => {
    const world = new World({ seed: 19, partitions: 1, timeoutMs: 60_000 });
    const { time } = world.simulation;
    const first = world.launch('a');
    for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
    await time.runFor(3_000);
    world.beat('k1');
    first.host.pause();
    const second = world.launch('b');
    await time.runFor(15_000);
    for (let round = 0; round < 5; round += 1) {
      for (let i = 0; i < 20; i += 1) {
        if (round === 2) world.end(`k${i}`);
        world.beat(`k${i}`);
      }
      await time.runFor(1_000);
    }
    world.truncateChangelog(0);
    second.host.kill();
    await time.runFor(15_000);
    first.host.resume();
    await time.runFor(LATER);
    expect(first.lines).toContainEqual(expect.stringContaining('truncated the log since'));
    expect(first.instance.status()).toMatchObject([{ state: 'running', liveEntries: 20 }]);
    await time.runFor(200_000);
    expect(world.closed()).toEqual(world.expected());
  });
});

describe('[R3] another number of partitions of the input', () => {
  test('[R3][F11] ends the process, whether a partition has state or, being new, has none yet', async () => {
    const world = new World({ seed: 18, partitions: 2, timeoutMs: 60_000 });
    world.inputPartitions = 3;
    const first = world.launch('a');
    for (let i = 0; i < 20; i += 2) world.simulation.log.produce(INPUT, 0, { key: `k${i}`, value: '' });
    await world.simulation.time.runFor(3_000);
    first.host.kill();
    world.inputPartitions = 2;
    const second = await restart(world);
    expect(second.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/input in has 2 partitions, .* begun with 3: keys have moved/),
      expect.stringMatching(/input in has 2 partitions, .* begun with 3: keys have moved/),
    ]);
    expect(world.closed()).toEqual([]);
  });
});

describe('time', () => {
  test('[C6] the partition waits at a stamp from the future, visibly, and goes on when broker time has come near', async () => {
    const world = new World({ seed: 14, partitions: 1 });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    world.beat('k');
    await time.runFor(1_000);
    log.partition(INPUT, 0).setSkew(3_700_000);
    world.beat('future');
    log.partition(INPUT, 0).setSkew(0);
    await time.runFor(2_000);
    expect(process.instance.status()[0]?.detail).toMatch(/broker time: offset \d+ is stamped/);
    expect(world.closed()).toEqual([]);
    await time.runFor(120_000);
    expect(process.instance.status()[0]?.detail).toBeUndefined();
    expect(process.instance.status()[0]?.clock).toBeGreaterThan(3_700_000);
  });

  test('[C4][F16] a step of the local wall clock by an hour in either direction ends no session', async () => {
    const world = new World({ seed: 15, partitions: 1, timeoutMs: 5_000 });
    const { time } = world.simulation;
    const process = world.launch('a');
    for (let second = 0; second < 30; second += 1) {
      world.beat('steady');
      if (second === 10) process.host.machine.step(3_600_000);
      if (second === 20) process.host.machine.step(-7_200_000);
      await time.runFor(1_000);
    }
    expect(world.closed()).toEqual([]);
    await time.runFor(10_000);
    expect(world.closed()).toHaveLength(1);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[C4][F3] a process stopped for twice the timeout closes no session that went on beating', async () => {
    const world = new World({ seed: 16, partitions: 1, timeoutMs: 5_000 });
    const { time } = world.simulation;
    const process = world.launch('a');
    for (let second = 0; second < 30; second += 1) {
      world.beat('steady');
      if (second === 5) process.host.pause();
      if (second === 15) process.host.resume();
      await time.runFor(1_000);
    }
    expect(world.closed()).toEqual([]);
    await time.runFor(20_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[C2][F10][X5] an upstream transaction left open stalls the clock, ends no session, and is logged', async () => {
    const world = new World({ seed: 17, partitions: 1, timeoutMs: 3_000 });
    const { time, log } = world.simulation;
    const { instance, lines } = world.launch('a');
    world.beat('k');
    await time.runFor(500);
    const alarms = (): string[] => lines.filter((line) => line.includes('holds the input back'));
    for (const upstream of ['one', 'another']) {
      const open = log.foreignTransaction(upstream, 600_000);
      open.produce(INPUT, 0, { key: 'k', value: '' });
      const closed = world.closed();
      await time.runFor(OPEN_TRANSACTION_ALARM_MS / 2);
      expect(instance.status()[0]?.detail).toBeUndefined();
      await time.runFor(2.5 * OPEN_TRANSACTION_ALARM_MS);
      expect(instance.status()[0]?.detail).toMatch(/^the end of a producer's transaction, open since offset \d+$/);
      expect(world.closed()).toEqual(closed);
      open.commit();
      await time.runFor(1_000);
      expect(instance.status()[0]?.detail).toBeUndefined();
    }
    expect(alarms().length).toBe(2);
    await time.runFor(10_000);
    expect(world.closed()).toEqual(world.expected());
  });
});
