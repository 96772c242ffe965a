// The group's offset where not each commit carries it: what it is worth, and that it is made up for (R3, ADR 64).
import { describe, expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { CHANGELOG, GROUP, INPUT, type Process, World } from '../world.fixture.ts';
import { committedIn } from '../offset-note.ts';

const INTERVAL_MS = 500;
/** By then an offset is seen that was committed. */
const MARKED_MS = 100;

interface Commit {
  readonly sequence: number;
  readonly position: number;
  readonly offset: number;
  readonly carries: boolean;
  readonly owner: string;
}

/** Commits of a partition in the log, in its order. */
function commitsOf(world: World, partition = 0): Commit[] {
  return world.simulation.log.endedTransactions.flatMap(({ marker, writes, offsets }) => {
    const write = writes.find((each) => each.topic === CHANGELOG && each.partition === partition);
    const record = write?.written[0]?.records[0];
    if (marker !== 'commit' || record === undefined) return [];
    const block = decodeBlock(record.value!);
    if (block.kind === 'claim') return [];
    const { sequence, inputs, owner } = block.header;
    const { position } = inputs[0]!;
    return [{ sequence, position, offset: record.offset, carries: offsets.length > 0, owner }];
  });
}

function groupSequence(world: World): number | undefined {
  const committed = world.simulation.log.offsets.committed(GROUP, { topic: INPUT, partition: 0 });
  return committedIn(committed?.metadata ?? '')?.sequence;
}

/** A session ends every 20 ms or so from five seconds on: each hastens a commit. */
async function busy(world: World, forMs: number): Promise<void> {
  for (let ms = 0; ms < forMs; ms += 20) {
    world.beat(`k${world.simulation.time.nowMs}`);
    await world.simulation.time.runFor(20);
  }
}

async function running(seed: number, electsCleanly: boolean): Promise<{ world: World; process: Process }> {
  const world = new World({ seed, partitions: 1, timeoutMs: 5_000, commitIntervalMs: INTERVAL_MS, electsCleanly });
  const process = world.launch('a');
  await world.simulation.time.runFor(3_000);
  await busy(world, 10_000);
  return { world, process };
}

function ofTwoPartitions(seed: number): World {
  return new World({ seed, partitions: 2, timeoutMs: 5_000, commitIntervalMs: INTERVAL_MS, electsCleanly: true });
}

/** The last owner of a task commits on while `next`, which is to take it over, stands still for a second. */
async function carriesUntilTakenOver(world: World, partition: number, next: Process): Promise<void> {
  const before = commitsOf(world, partition);
  expect(before.filter(({ carries }) => !carries).length).toBeGreaterThan(20);
  await busy(world, 1_000);
  next.host.resume();
  await busy(world, 3_000);
  const { owner } = before.at(-1)!;
  const since = commitsOf(world, partition)
    .slice(before.length)
    .filter((commit) => commit.owner === owner);
  expect(since.length).toBeGreaterThan(5);
  // The first was under way.
  expect(since.slice(1).every(({ carries }) => carries)).toBe(true);
}

/** Runs on until the last commit went without an offset. */
async function leavingOut(world: World): Promise<void> {
  for (let tries = 0; commitsOf(world).at(-1)!.carries && tries < 100; tries += 1) await busy(world, 20);
  expect(commitsOf(world).at(-1)!.carries).toBe(false);
  expect(groupSequence(world)).toBeLessThan(commitsOf(world).at(-1)!.sequence);
}

describe('the group offset', () => {
  test('[R3] is in one of many commits that closes have hastened, and in the last one once all is quiet', async () => {
    const { world } = await running(641, true);
    const before = commitsOf(world).length;
    await busy(world, 5_000);
    const fast = commitsOf(world).slice(before);
    expect(fast.length).toBeGreaterThan(60);
    expect(fast.filter(({ carries }) => carries).length).toBeGreaterThanOrEqual(8);
    expect(fast.filter(({ carries }) => carries).length).toBeLessThanOrEqual(12);
    await leavingOut(world);
    await world.simulation.time.runFor(20_000);
    const last = commitsOf(world).at(-1)!;
    expect(last.carries).toBe(true);
    expect(groupSequence(world)).toBe(last.sequence);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R3] follows within an interval of a commit that went without it, though nothing comes', async () => {
    const world = new World({ seed: 642, partitions: 1, commitIntervalMs: INTERVAL_MS, electsCleanly: true });
    const { time } = world.simulation;
    world.launch('a');
    await time.runFor(3_000);
    for (let i = 0; i < 12; i += 1) world.beat(`k${i}`);
    await time.runFor(2_000);
    for (let i = 0; i < 12; i += 1) {
      world.end(`k${i}`);
      await time.runFor(25);
    }
    const left = commitsOf(world).at(-1)!;
    expect(left.carries).toBe(false);
    await time.runFor(INTERVAL_MS + 50);
    const last = commitsOf(world).at(-1)!;
    expect(last).toMatchObject({ sequence: left.sequence + 1, position: left.position, carries: true });
    await time.runFor(5_000);
    expect(commitsOf(world).at(-1)).toEqual(last);
  });

  test('[R3] is in each commit where the changelog may elect unclean leaders', async () => {
    const { world } = await running(643, false);
    expect(commitsOf(world).length).toBeGreaterThan(60);
    expect(commitsOf(world).every(({ carries }) => carries)).toBe(true);
  });

  test('[R3] is the position once a process has stopped, at whatever moment', async () => {
    for (const seed of [644, 645, 646]) {
      const { world, process } = await running(seed, true);
      await leavingOut(world);
      await world.simulation.time.complete(process.instance.stop());
      await world.simulation.time.runFor(MARKED_MS);
      const last = commitsOf(world).at(-1)!;
      expect([last.carries, groupSequence(world)]).toEqual([true, last.sequence]);
    }
  });

  test('[R3] a kill leaves it behind the changelog: the successor takes that for what it is, and makes up for it', async () => {
    const { world, process } = await running(647, true);
    await leavingOut(world);
    process.host.kill();
    const last = commitsOf(world).at(-1)!.sequence;
    const successor = world.launch('b');
    const { time } = world.simulation;
    await time.runUntil(() => successor.instance.isReady, 60_000);
    await time.runUntil(() => (groupSequence(world) ?? 0) >= last, INTERVAL_MS);
    expect(groupSequence(world)).toBeGreaterThanOrEqual(last);
    await time.runFor(30_000);
    expect(world.closed()).toEqual(world.expected());
    expect(successor.failures).toEqual([]);
  });

  test('[R3][F26] the commit that it names is still missed where the changelog has lost it', async () => {
    const { world, process } = await running(648, true);
    await leavingOut(world);
    process.host.kill();
    const named = commitsOf(world).find(({ sequence }) => sequence === groupSequence(world))!;
    world.simulation.disk('a').wipe();
    world.simulation.log.partition(CHANGELOG, 0).changeLeader({ losesFrom: named.offset });
    const successor = world.launch('b');
    await world.simulation.time.runFor(25_000);
    const detail = expect.stringMatching(/its last commit is number \d+, group app\.visits knows of \d+/);
    expect(successor.instance.status()).toMatchObject([{ state: 'stopped', detail }]);
  });

  test('[R3] is in each commit of a task whose process leaves, until another takes it over', async () => {
    const world = ofTwoPartitions(651);
    const { time } = world.simulation;
    const [leaving, staying] = [world.launch('a'), world.launch('b')];
    await time.runFor(3_000);
    await busy(world, 10_000);
    const { partition } = leaving.instance.status()[0]!;
    staying.host.pause();
    const stopping = leaving.instance.stop();
    await carriesUntilTakenOver(world, partition, staying);
    await time.complete(stopping);
    expect([...leaving.failures, ...staying.failures]).toEqual([]);
  });

  test('[R3] is in each commit of a task that moves to another process, until that has it', async () => {
    const world = ofTwoPartitions(652);
    const { time } = world.simulation;
    const loaded = world.launch('a');
    await time.runFor(3_000);
    await busy(world, 10_000);
    const joining = world.launch('b');
    const moving = (): { readonly partition: number } | undefined =>
      loaded.instance.status().find(({ state }) => state === 'draining');
    await time.runUntil(() => moving() !== undefined, 60_000);
    joining.host.pause();
    await carriesUntilTakenOver(world, moving()!.partition, joining);
    expect([...loaded.failures, ...joining.failures]).toEqual([]);
  });

  test('[R3][F3] a task that is handed over leaves none out, and its zombie is fenced as ever', async () => {
    const { world, process } = await running(649, true);
    const { time } = world.simulation;
    await leavingOut(world);
    process.host.pause();
    const successor = world.launch('b');
    await time.runUntil(() => successor.instance.isReady, 60_000);
    await busy(world, 3_000);
    process.host.resume();
    await busy(world, 3_000);
    await time.runFor(30_000);
    expect(world.closed()).toEqual(world.expected());
    expect([...process.failures, ...successor.failures]).toEqual([]);
    expect(groupSequence(world)).toBe(commitsOf(world).at(-1)!.sequence);
  });

  test.each(['Produce', 'EndTxn'] as const)(
    '[R3][F2b] a commit without it whose answer to %s is lost is found, or sent again with it',
    async (at) => {
      const { world, process } = await running(650, true);
      const { time, faults } = world.simulation;
      await leavingOut(world);
      faults.inject({ at, fault: at === 'EndTxn' ? 'answerDropped' : 'dropped' });
      await busy(world, 2_000);
      expect(faults.pending()).toEqual([]);
      await time.runFor(60_000);
      expect(world.closed()).toEqual(world.expected());
      expect(groupSequence(world)).toBe(commitsOf(world).at(-1)!.sequence);
      expect(process.failures).toEqual([]);
    },
  );
});
