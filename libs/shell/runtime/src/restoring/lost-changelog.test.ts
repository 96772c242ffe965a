// The changelog loses what it had acknowledged (an unclean election): nothing is written twice, no task goes on from less.
import { describe, expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { TASK_BOUNDS } from '../limits.ts';
import { CHANGELOG, type Process, World } from '../world.fixture.ts';

/** Longer than a dead member stays in the group, and than a claim is waited for. */
const LATER = 25_000;

interface Block {
  readonly offset: number;
  /** undefined for a claim. */
  readonly sequence: number | undefined;
}

function blocksOf(world: World): Block[] {
  return world.simulation.log.committed(CHANGELOG, 0).map(({ offset, value }) => {
    const block = decodeBlock(value!);
    return { offset, sequence: block.kind === 'state' ? block.header.sequence : undefined };
  });
}

/** Offset of the first block of the newest commit. */
function newestCommit(world: World): number {
  const blocks = blocksOf(world);
  const { sequence } = blocks.findLast((block) => block.sequence !== undefined)!;
  return blocks.find((block) => block.sequence === sequence)!.offset;
}

function loseFrom(world: World, losesFrom: number): void {
  world.simulation.log.partition(CHANGELOG, 0).changeLeader({ losesFrom });
}

/** One process whose first sessions have closed, and whose last ones live. */
async function running(seed: number, blockBytesMax = TASK_BOUNDS.blockBytesMax) {
  const world = new World({ seed, partitions: 1, timeoutMs: 5_000, bounds: { ...TASK_BOUNDS, blockBytesMax } });
  const process = world.launch('a');
  await world.simulation.time.runFor(1_000);
  for (let second = 0; second < 10; second += 1) {
    for (let i = 0; i < 5; i += 1) world.beat(`k${second}-${i}`);
    await world.simulation.time.runFor(1_000);
  }
  expect(world.closed().length).toBeGreaterThan(10);
  return { world, process };
}

/** Whatever came out came out once, and is right; the partition has stopped, says why, and its successor does as well. */
async function expectStopped(world: World, process: Process, why: RegExp): Promise<void> {
  expect(process.instance.status()).toMatchObject([{ state: 'stopped', detail: expect.stringMatching(why) }]);
  process.host.kill();
  const successor = world.launch('successor');
  world.beat('late');
  await world.simulation.time.runFor(200_000);
  expect(successor.instance.status()).toMatchObject([{ state: 'stopped' }]);
  expect(successor.instance.status()[0]!.detail).toMatch(/cannot be trusted/);
  expect([...process.failures, ...successor.failures]).toEqual([]);
  const closed = world.closed();
  expect(new Set(closed).size).toBe(closed.length);
  expect(world.expected()).toEqual(expect.arrayContaining(closed));
}

async function expectRight(world: World, ...processes: readonly Process[]): Promise<void> {
  await world.simulation.time.runFor(200_000);
  expect(world.closed()).toEqual(world.expected());
  for (const { failures } of processes) expect(failures).toEqual([]);
}

describe('[F26] the changelog loses its acknowledged tail', () => {
  test.each([
    ['with its local store', false],
    ['without it', true],
  ])(
    '[R3][S4][F26] while it has no owner: a start %s stops, since the group knows of a commit that is gone',
    async (_how, wipes) => {
      const { world, process } = await running(61);
      process.host.kill();
      if (wipes) world.simulation.disk('a').wipe();
      loseFrom(world, newestCommit(world));
      const again = world.launch('a');
      await world.simulation.time.runFor(LATER);
      await expectStopped(
        world,
        again,
        /cannot be trusted: its last commit is number \d+, group app\.visits knows of \d+/,
      );
    },
  );

  test('[R3][F26] while its owner is idle: the next commit says so', async () => {
    const { world, process } = await running(62);
    await world.simulation.time.runFor(30_000);
    loseFrom(world, newestCommit(world));
    world.beat('again');
    await world.simulation.time.runFor(2_000);
    await expectStopped(world, process, /cannot be trusted: .*acknowledged/);
  });

  test('[R3][F26] and nothing of its writer is left there: a commit that is written too low says so', async () => {
    const { world, process } = await running(68);
    const { time, log } = world.simulation;
    await time.runFor(30_000);
    // As far as the floor of that commit allows at most, with no session alive.
    const newest = newestCommit(world);
    log.partition(CHANGELOG, 0).truncateBelow(newest);
    loseFrom(world, newest);
    expect(log.batches(CHANGELOG, 0)).toEqual([]);
    world.beat('again');
    await time.runFor(2_000);
    expect(process.lines.filter((line) => line.includes('commit failed'))).toEqual([]);
    const detail = expect.stringMatching(/cannot be trusted: .*a commit was written at offset \d+: acknowledged/);
    expect(process.instance.status()).toMatchObject([{ state: 'stopped', detail }]);
    process.host.kill();
    // All that lives is in that commit: a successor misses nothing.
    await expectRight(world, process, world.launch('successor'));
  });

  test.each(['Produce', 'TxnOffsetCommit', 'EndTxn'] as const)(
    '[R3][S4][F26] and the outcome of a commit is unknown for a lost answer to %s: its look-up finds out',
    async (at) => {
      for (const depth of [0, 1, 2]) {
        const { world, process } = await running(63 + depth);
        const { time, faults } = world.simulation;
        await time.runFor(1_000);
        faults.inject({ at, fault: at === 'EndTxn' ? 'answerDropped' : 'dropped' });
        const commits = blocksOf(world).filter(({ sequence }) => sequence !== undefined);
        const losesFrom = commits.at(-1 - depth)!.offset;
        world.beat('again');
        await time.runUntil(() => faults.pending().length === 0, LATER);
        loseFrom(world, losesFrom);
        await time.runFor(LATER);
        await expectStopped(world, process, /cannot be trusted: /);
      }
    },
  );

  test.each([
    ['all of it', 0],
    ['its last part', -1],
  ])('[O1][S4][F26] with %s of a commit that took place: it is not written again', async (_what, part) => {
    const { world, process } = await running(66, 100);
    const { time, faults } = world.simulation;
    const last = newestCommit(world);
    faults.inject({ at: 'EndTxn', fault: 'answerDropped' });
    for (let i = 0; i < 20; i += 1) world.beat(`more${i}`);
    await time.runUntil(() => faults.pending().length === 0 && newestCommit(world) > last, LATER);
    const { sequence } = blocksOf(world).at(-1)!;
    const parts = blocksOf(world).filter((block) => block.sequence === sequence);
    expect(parts.length).toBeGreaterThan(1);
    loseFrom(world, parts.at(part)!.offset);
    await time.runFor(LATER);
    await expectStopped(world, process, /cannot be trusted: /);
  });

  test('[R3][S4][F26] all of it, of an owner that came and left while a claim had no answer: that claim, tried again, is no beginning', async () => {
    const world = new World({ seed: 83, partitions: 1, timeoutMs: 5_000 });
    const { time, log, faults } = world.simulation;
    faults.inject({ at: 'EndTxn', fault: 'answerDropped' });
    const first = world.launch('a');
    await time.runUntil(() => faults.pending().length === 0, LATER);
    first.host.pause();
    const claimed = log.partition(CHANGELOG, 0).logEnd;
    const second = world.launch('b');
    await time.runUntil(() => second.instance.isReady, LATER);
    world.beat('k');
    await time.runFor(10_000);
    expect(world.closed()).toHaveLength(1);
    await time.complete(second.instance.stop());
    second.host.kill();
    loseFrom(world, claimed);
    first.host.resume();
    await time.runFor(LATER);
    await expectStopped(world, first, /cannot be trusted: it is empty although group app\.visits has committed offset/);
  });

  test('[R3][O1][F26] the commits of an owner that came and left while a commit had no answer: that commit is not written on top', async () => {
    const { world, process } = await running(84);
    const { time, log, faults } = world.simulation;
    faults.inject({ at: 'Produce', fault: 'dropped' });
    world.beat('again');
    await time.runUntil(() => faults.pending().length === 0, LATER);
    process.host.pause();
    const written = log.partition(CHANGELOG, 0).logEnd;
    const second = world.launch('b');
    await time.runUntil(() => second.instance.isReady, 60_000);
    world.beat('k');
    await time.runFor(10_000);
    await time.complete(second.instance.stop());
    second.host.kill();
    loseFrom(world, written);
    process.host.resume();
    await time.runFor(LATER);
    await expectStopped(world, process, /cannot be trusted: .*group app\.visits knows of/);
  });

  test('[X5][F26] with a claim that was acknowledged, before or after it was read back: it claims again, and goes on', async () => {
    let unread = 0;
    for (const afterMs of [0, 0.5, 1, 1.5, 2, 2.5, 3, 5, 20, 100]) {
      const { world, process } = await running(67);
      const { time, log } = world.simulation;
      const changelog = log.partition(CHANGELOG, 0);
      await time.runFor(30_000);
      process.host.kill();
      const end = changelog.logEnd;
      const ended = log.endedTransactions.length;
      const successor = world.launch('b');
      await time.runUntil(() => log.endedTransactions.length > ended && changelog.logEnd > end, LATER);
      await time.runFor(afterMs);
      // Answers on their way to it do not arrive: the time decides if it has read the claim by now.
      successor.host.cutOff('fromBroker');
      await time.runFor(50);
      loseFrom(world, end);
      successor.host.cutOff('none');
      world.beat('again');
      await time.runFor(LATER);
      expect(successor.instance.status()).toMatchObject([{ state: 'running' }]);
      if (successor.lines.some((line) => line.includes('the claim that was acknowledged'))) unread += 1;
      await expectRight(world, process, successor);
    }
    expect(unread).toBeGreaterThan(0);
  });
});
