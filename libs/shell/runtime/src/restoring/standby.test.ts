// Standbys: warm copies that follow the changelog, and what becomes of them when the owner goes.
import { describe, expect, test } from '@jest/globals';
import { calm, rough } from '@flatline/cluster';
import type { TaskBounds } from '../limits.ts';
import { type Process, World, FLUSH_INTERVAL_MS, FREQUENT_FLUSHES } from '../world.fixture.ts';

const SESSION_TIMEOUT_MS = 10_000;

/** Two processes, a partition each, each the other's standby. */
async function pair(seed: number): Promise<{ world: World; owner: Process; heir: Process }> {
  const world = new World({ seed, partitions: 2, timeoutMs: 60_000, standbys: 1 });
  const [owner, heir] = [world.launch('a'), world.launch('b')];
  await world.simulation.time.runFor(3_000);
  for (let i = 0; i < 100; i += 1) world.beat(`k${i}`);
  await world.simulation.time.runFor(3_000);
  return { world, owner, heir };
}

function takeovers(lines: readonly string[]): string[] {
  return lines.filter((line) => line.includes('task runs') && line.includes('"restoredFrom":"standby"'));
}

describe('a standby', () => {
  test('[K6][X5] follows the owner, says how far it is behind, and holds what the owner has committed', async () => {
    const { owner, heir } = await pair(21);
    const [task] = owner.instance.status();
    const [standby] = heir.instance.standbys();
    expect(standby).toMatchObject({ partition: task!.partition, state: 'following', lag: 0, detail: undefined });
    expect(standby).toMatchObject({ liveEntries: task!.liveEntries, clock: task!.clock, storesDropped: 0 });
    expect(standby!.liveEntries).toBeGreaterThan(0);
    expect(heir.instance.positions()).toEqual([{ partition: task!.partition, changelogPosition: standby!.position }]);
  });

  test('[R1][K6] takes over after kill −9: closes come within session timeout + 2 s, nothing is loaded again', async () => {
    const { world, owner, heir } = await pair(22);
    const [standby] = heir.instance.standbys();
    owner.host.kill();
    await world.simulation.time.runFor(SESSION_TIMEOUT_MS + 2_000);
    expect(heir.instance.status().map(({ state }) => state)).toEqual(['running', 'running']);
    const taken = heir.instance.status().find(({ partition }) => partition === standby!.partition);
    expect(taken).toMatchObject({ liveEntries: standby!.liveEntries, storesDropped: 0 });
    expect(takeovers(heir.lines)).toHaveLength(1);
    expect(heir.instance.standbys()).toEqual([]);
    await world.simulation.time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R1] takes over from a leaving owner before it has gone', async () => {
    const { world, owner, heir } = await pair(23);
    await world.simulation.time.complete(owner.instance.stop());
    expect(heir.instance.status().map(({ state }) => state)).toEqual(['running', 'running']);
    expect(takeovers(heir.lines)).toHaveLength(1);
    await world.simulation.time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R1] an instance that gave a partition away is its standby, from the store it has', async () => {
    const { world, owner, heir } = await pair(24);
    owner.host.kill();
    await world.simulation.time.runFor(15_000);
    const again = world.launch('a');
    await world.simulation.time.runFor(20_000);
    expect(again.instance.status()).toHaveLength(1);
    expect(heir.instance.standbys()).toMatchObject([{ state: 'following', lag: 0, storesDropped: 0 }]);
    await world.simulation.time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test.each(['some alive', 'none alive'])(
    "[K5][F24] stopped across two truncations, %s, drops all its state and begins at the log's start empty",
    async (alive) => {
      const { world, owner, heir } = await pair(25);
      const { time } = world.simulation;
      const { partition } = owner.instance.status()[0]!;
      heir.host.pause();
      for (let round = 0; round < 2; round += 1) {
        for (let i = 0; i < 100; i += 1) {
          world.end(`k${i}`);
          world.beat(`k${i}`);
        }
        await time.runFor(2_000);
        world.truncateChangelog(partition);
      }
      for (let i = 0; i < (alive === 'none alive' ? 100 : 50); i += 1) world.end(`k${i}`);
      await time.runFor(1_000);
      world.truncateChangelog(partition);
      heir.host.resume();
      await time.runFor(5_000);
      const [task] = owner.instance.status();
      expect(heir.instance.standbys()).toMatchObject([
        { partition, state: 'following', storesDropped: 1, liveEntries: task!.liveEntries },
      ]);
      owner.host.kill();
      await time.runFor(120_000);
      expect(world.closed()).toEqual(world.expected());
      expect(takeovers(heir.lines)).toHaveLength(1);
    },
  );

  test('[R2] whose state does not agree with the last commit is dropped by the take-over, which reads the log again', async () => {
    const { world, owner, heir } = await pair(26);
    const { partition } = owner.instance.status()[0]!;
    await world.simulation.time.complete(heir.instance.stop());
    heir.host.kill();
    world.simulation.disk('b').rotSilently(partition, 'imageChanged');
    const again = world.launch('b');
    await world.simulation.time.runFor(3_000);
    owner.host.kill();
    await world.simulation.time.runFor(15_000);
    expect(again.instance.status().find((each) => each.partition === partition)).toMatchObject({
      state: 'running',
      storesDropped: 1,
    });
    await world.simulation.time.runFor(90_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R2] whose first block after a long silence is a part of a commit goes on writing its store', async () => {
    const bounds: TaskBounds = { ...FREQUENT_FLUSHES, blockBytesMax: 200 };
    const world = new World({ seed: 28, partitions: 1, timeoutMs: 600_000, standbys: 1, bounds });
    const { time } = world.simulation;
    world.launch('a');
    await time.runFor(3_000);
    world.launch('b');
    await time.runFor(5_000);
    // One commit of one part is flushed at once, and leaves nothing waiting.
    await time.runFor(FLUSH_INTERVAL_MS);
    world.beat('k');
    const stoodAt = (): number => world.simulation.disk('b').file(0)?.checkpoint?.changelogPosition ?? 0;
    for (let round = 0; round < 3; round += 1) {
      await time.runFor(FLUSH_INTERVAL_MS + 1_000);
      for (let i = 0; i < 40; i += 1) world.beat(`k${i}`);
    }
    const before = stoodAt();
    expect(before).toBeGreaterThan(0);
    await time.runFor(FLUSH_INTERVAL_MS + 1_000);
    world.beat('k');
    await time.runFor(1_000);
    expect(stoodAt()).toBeGreaterThan(before);
  });

  test('[X5] stopping ends even while no broker answers', async () => {
    const { world, heir } = await pair(27);
    world.simulation.network.setOutage(true);
    await world.simulation.time.runFor(5_000);
    await world.simulation.time.complete(heir.instance.stop(), 120_000);
    expect(heir.instance.standbys()).toEqual([]);
  });
});

/** How many seeds a run tries; `SEEDS=5000 SEED=1 npm test -- runtime` for more, `SEED=n SEEDS=1` to rerun one. */
const SEEDS = Number(process.env['SEEDS'] ?? 10);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

describe('three instances with a standby of each partition, under faults', () => {
  let taken = 0;
  let dropped = 0;

  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[F21][S4][O1][C5][R1][K5][K6] seed %i: kills, pauses and truncation; every session closes exactly once',
    async (seed) => {
      const { world, lines, failures } = await storm(seed);
      taken += takeovers(lines).length;
      dropped += lines.filter((line) => line.includes('standby drops its state')).length;
      try {
        expect(world.closed()).toEqual(world.expected());
        expect(failures).toEqual([]);
        expect(world.expected().length).toBeGreaterThan(20);
      } catch (error) {
        const context = `rerun: SEED=${seed} SEEDS=1 npm test -- runtime\n${lines.slice(-60).join('\n')}`;
        (error as Error).message += `\n${context}`;
        throw error;
      }
    },
  );

  test('the storms had standbys that took over, and some that found themselves below the start of the log', () => {
    if (SEEDS < 25) return;
    expect(taken).toBeGreaterThan(SEEDS);
    expect(dropped).toBeGreaterThan(SEEDS / 10);
  });
});

const SMALL_BOUNDS: TaskBounds = {
  blockBytesMax: 128,
  unsweptLogBytes: 1_024,
  pendingChangesMax: 20,
  outputBytesMax: 1_000,
  evictedPerSecond: 20,
  owedBytesMax: 1,
  commitBytesTotal: 10_000,
  commitBytesFirst: 500,
  commitBytesMin: 100,
  entriesMax: 1_000,
  keyBytesMax: 1e6,
  pageBytesMax: 1e9,
  deadLetterBytesMax: 2_000,
  cutSliceBytes: 100,
  flushBytesTotal: 4_096,
  flushBytesMin: 512,
  flushIntervalMs: 5_000,
  flushSlice: 3,
  loadSlice: 3,
  armSlice: 4,
};

async function storm(seed: number): Promise<{ world: World; lines: string[]; failures: Error[] }> {
  const rates = { ...rough, requestCrash: 0.001, writeCrash: 0.002 };
  // Every other seed: commits of several parts, flushes of several slices, logs that are swept.
  const bounds = seed % 2 === 0 ? { bounds: SMALL_BOUNDS } : {};
  const world = new World({ seed, partitions: 3, standbys: 1, rates, ...bounds });
  // Every third: turns that take so long that a load lasts longer than a join.
  world.turnMs = seed % 3 === 0 ? 2 : 0;
  const { time, faults } = world.simulation;
  const random = world.simulation.random('storm');
  const processes = new Map<string, Process>();
  const lines: string[] = [];
  const failures: Error[] = [];
  const launchDead = (): void => {
    for (const name of ['a', 'b', 'c'])
      if (processes.get(name)?.host.alive !== true) processes.set(name, world.launch(name, lines, failures));
  };
  launchDead();
  for (let round = 0; round < 60; round += 1) {
    for (let i = random.below(8); i > 0; i -= 1) world.beat(`k${random.below(30)}`);
    if (random.chance(0.1)) world.end(`k${random.below(30)}`);
    const [, process] = [...processes][random.below(3)]!;
    if (random.chance(0.06)) process.host.kill();
    if (random.chance(0.06)) process.host.pause();
    if (random.chance(0.3)) process.host.resume();
    if (random.chance(0.1)) world.truncateChangelog(random.below(3));
    // Dead for a while: what is started at once takes its own partition back.
    if (random.chance(0.1)) launchDead();
    await time.runFor(random.below(1_500));
  }
  faults.setRates(calm);
  for (const process of processes.values()) process.host.resume();
  launchDead();
  await time.runFor(120_000);
  return { world, lines, failures };
}
