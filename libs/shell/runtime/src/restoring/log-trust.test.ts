// A log that cannot be trusted stops its partition, and nothing is emitted or reset (R3).
import { Retriable } from '@flatline/base';
import type { LogAdmin } from '@flatline/ports';
import { describe, expect, test } from '@jest/globals';
import { CHANGELOG, DEAD_LETTERS, GROUP, INPUT, type Process, World } from '../world.fixture.ts';
import { afterKill, expectRight, restart, ROUNDS } from './afterwards.fixture.ts';

/** Methods of an object that stand in its class, so that one of them can be another. */
function methodsOf(admin: LogAdmin): LogAdmin {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(admin)) as (keyof LogAdmin)[];
  return Object.fromEntries(
    names.map((name) => [name, (admin[name] as (...args: unknown[]) => unknown).bind(admin)]),
  ) as never;
}

function expectStopped(process: Process, why: RegExp): void {
  const [status] = process.instance.status();
  expect(status?.state).toBe('stopped');
  expect(status?.detail).toMatch(why);
  expect(process.failures).toEqual([]);
}

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
      expect(world.simulation.disk('a').drops).toMatchObject([{ reason: 'given-up' }]);
      await world.simulation.time.runFor(200_000);
      expect(world.closed()).toEqual(world.expected());
    }
  });

  test('[R2][F9] that stands beyond the end of this one is dropped, since the log names itself in each commit', async () => {
    const [world, other] = [await stopped(33, 5), await stopped(34, 60)];
    world.simulation.disk('a').restore(0, other.simulation.disk('a').copy(0));
    const process = await restart(world);
    expect(process.instance.status()[0]).toMatchObject({ state: 'running', storesDropped: 1, liveEntries: 5 });
  });

  test('[R3][F9] but not one of this log: it may have lost what the store has, also where the group knows of nothing', async () => {
    const world = await stopped(35, 20);
    const { log } = world.simulation;
    log.offsets.forget(GROUP);
    const { offset } = log.committed(CHANGELOG, 0).at(-2)!;
    log.partition(CHANGELOG, 0).changeLeader({ losesFrom: offset });
    expectStopped(await restart(world), /cannot be trusted: the local store stands at \d+, the log ends at \d+/);
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
        /changelog changelog\/0 cannot be trusted: (it is empty although|the local store stands at).*Or give the state up: `flatline reset`/,
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

  test('[R2][R3] but one that is empty while the group knows of nothing was given up: the store of before is dropped', async () => {
    const world = await afterKill(12);
    const { log } = world.simulation;
    // As `reset --confirm` and `topics create` after the changelog was deleted.
    log.deleteTopic(CHANGELOG);
    log.createTopic(CHANGELOG, { partitions: 1 });
    log.offsets.forget(GROUP);
    const process = await restart(world);
    const [status] = process.instance.status();
    expect(status).toMatchObject({ state: 'running', storesDropped: 1, lag: 0 });
    expect(process.lines.filter((line) => line.includes('local store dropped'))).toEqual([
      expect.stringMatching(
        /local store dropped: it belonged to a changelog that was given up .*stands at \d+ of a changelog/,
      ),
    ]);
    expect(world.simulation.disk('a').drops).toMatchObject([{ reason: 'given-up' }]);
    await expectRight(world);
  });

  test('[R2][I4] a store of another kind was made of a changelog that was given up, too', async () => {
    const world = await afterKill(13);
    const { log } = world.simulation;
    log.deleteTopic(CHANGELOG);
    log.createTopic(CHANGELOG, { partitions: 1 });
    log.offsets.forget(GROUP);
    world.kind = 'lease';
    await restart(world);
    expect(world.simulation.disk('a').drops).toMatchObject([{ reason: 'given-up' }]);
  });

  /** The state is given up after a while, and its topic made again. */
  async function reset(world: World, partitions: number): Promise<void> {
    const { log, time } = world.simulation;
    const first = world.launch('a');
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let i = 0; i < 40; i += 1) world.beat(`k${i}`);
      await time.runFor(1_000);
    }
    await time.complete(first.instance.stop());
    first.host.kill();
    log.deleteTopic(CHANGELOG);
    log.createTopic(CHANGELOG, { partitions });
    log.offsets.forget(GROUP);
  }

  test('[R2] nor do the stores of a reset count as damaged where many partitions begin again at once', async () => {
    const world = new World({ seed: 21, partitions: 6, timeoutMs: 60_000 });
    await reset(world, 6);
    const second = await restart(world);
    expect(second.instance.status().map(({ state, detail }) => ({ state, detail }))).toEqual(
      Array.from({ length: 6 }, () => ({ state: 'running', detail: undefined })),
    );
    const { drops } = world.simulation.disk('a');
    expect(drops.map(({ reason }) => reason)).toEqual(Array.from({ length: 6 }, () => 'given-up'));
  });

  test('[R2] nor does one stop whose partition begins again after another has committed', async () => {
    let leaderlessUntilMs = 0;
    const endsOf =
      (admin: LogAdmin): LogAdmin['ends'] =>
      (place) =>
        place.topic === CHANGELOG && place.partition === 1 && world.simulation.time.nowMs < leaderlessUntilMs
          ? Promise.reject(new Retriable('changelog/1 has no leader yet'))
          : admin.ends(place);
    const world: World = new World({
      seed: 21,
      partitions: 2,
      timeoutMs: 60_000,
      adapt: (ports) => ({ ...ports, admin: { ...methodsOf(ports.admin), ends: endsOf(ports.admin) } }),
    });
    await reset(world, 2);
    leaderlessUntilMs = world.simulation.time.nowMs + 2_000;
    const second = await restart(world);
    expect(second.instance.status().map(({ state, detail }) => ({ state, detail }))).toEqual(
      Array.from({ length: 2 }, () => ({ state: 'running', detail: undefined })),
    );
  });

  test('[R3][K3] one that was emptied, by `reset`, is a beginning, and stays one after its first commit', async () => {
    const world = new World({ seed: 10, partitions: 1, timeoutMs: 60_000 });
    const { time, log } = world.simulation;
    log.produce(CHANGELOG, 0, { key: 'k', value: 'of before' });
    await time.runFor(1_000);
    log.partition(CHANGELOG, 0).truncateBelow(1);
    world.beat('anna');
    await time.runFor(1_000);
    const first = world.launch('a');
    // The claim, and the first commit.
    for (let at = 0; at < 10_000 && log.committed(CHANGELOG, 0).length < 2; at += 1) await time.runFor(1);
    expect(log.committed(CHANGELOG, 0)).toHaveLength(2);
    first.host.kill();
    expect((await restart(world)).instance.status()[0]).toMatchObject({ state: 'running', liveEntries: 1 });
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

describe('[R3] another number of partitions of the input', () => {
  test('[R3][F11] ends the process, whether a partition has state or, being new, has none yet', async () => {
    const world = new World({ seed: 18, partitions: 2, timeoutMs: 60_000 });
    const first = world.launch('a');
    for (let i = 0; i < 20; i += 2) world.simulation.log.produce(INPUT, 0, { key: `k${i}`, value: '' });
    await world.simulation.time.runFor(3_000);
    first.host.kill();
    // As if it had been given more.
    world.simulation.log.deleteTopic(INPUT);
    world.simulation.log.createTopic(INPUT, { partitions: 3 });
    world.inputPartitions = 3;
    const second = await restart(world);
    expect(second.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/input in has 3 partitions, .* begun with 2: keys have moved/),
      expect.stringMatching(/input in has 3 partitions, .* begun with 2: keys have moved/),
    ]);
    expect(world.closed()).toEqual([]);
  });
});
