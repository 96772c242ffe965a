// Processes over one state directory, as `run --workers` starts them, and instances that come back under their id.
import { describe, expect, test } from '@jest/globals';
import { pause } from '@flatline/system';
import type { PipelinePorts } from '../settings.ts';
import { type Process, World } from '../world.fixture.ts';

const SESSION_TIMEOUT_MS = 10_000;
const linesOf = ({ lines }: Process, said: string): string[] => lines.filter((line) => line.includes(said));
const runsIn = (process: Process): string[] => linesOf(process, 'task runs');
const partitionsOf = ({ instance }: Process): number[] =>
  instance
    .status()
    .filter(({ state }) => state === 'running')
    .map(({ partition }) => partition);

function beat(world: World, sessions: number): void {
  for (let i = 0; i < sessions; i += 1) world.beat(`k${i}`);
}

describe('an instance that is killed and started again under its id', () => {
  test('[F1][R1][S4] runs what it had long before the group would give its former self up, and moves nothing else', async () => {
    const world = new World({ seed: 71, partitions: 4, timeoutMs: 5_000, staticMembers: true });
    const { time } = world.simulation;
    const [a, b] = [world.launch('a'), world.launch('b')];
    await time.runFor(4_000);
    beat(world, 40);
    await time.runFor(1_000);
    const had = partitionsOf(b);
    expect(had).toHaveLength(2);
    const assignments = linesOf(a, 'partitions assigned');
    b.host.kill();
    const diedAt = time.nowMs;
    const again = world.launch('b');
    expect(await time.runUntil(() => again.instance.isReady, 60_000)).toBe(true);
    expect(time.nowMs - diedAt).toBeLessThan(SESSION_TIMEOUT_MS / 5);
    expect(partitionsOf(again)).toEqual(had);
    beat(world, 40);
    await time.runFor(2 * SESSION_TIMEOUT_MS);
    expect(linesOf(a, 'partitions assigned')).toEqual(assignments);
    expect(world.closed()).toEqual(world.expected());
    expect([...a.failures, ...again.failures]).toEqual([]);
  });
});

describe('processes over one state directory', () => {
  const shared = (seed: number): World => new World({ seed, partitions: 2, timeoutMs: 60_000, oneDisk: true });

  test('[R1][R2] a partition that moves between them takes its store along', async () => {
    const world = shared(72);
    const { time } = world.simulation;
    const a = world.launch('a');
    await time.runFor(3_000);
    beat(world, 40);
    // A flush comes with a commit.
    await time.runFor(16_000);
    beat(world, 40);
    await time.runFor(1_000);
    const b = world.launch('b');
    await time.runFor(3_000);
    expect([partitionsOf(a), partitionsOf(b)].flat().sort()).toEqual([0, 1]);
    expect(runsIn(b)).toEqual([expect.stringContaining('"restoredFrom":"localStore"')]);
    for (const partition of [0, 1]) expect(world.simulation.disk('machine').lockedBy(partition)).toBeDefined();
    await time.complete(b.instance.stop());
    b.host.kill();
    await time.runFor(3_000);
    expect(partitionsOf(a)).toEqual([0, 1]);
    expect(runsIn(a).at(-1)).toContain('"restoredFrom":"localStore"');
    for (const partition of [0, 1]) expect(world.simulation.disk('machine').lockedBy(partition)).toBe('a');
    await time.runFor(70_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R1] one that is started again loads only what it had open last', async () => {
    const world = shared(73);
    const { time } = world.simulation;
    const [a, b] = [world.launch('a'), world.launch('b')];
    await time.runFor(4_000);
    beat(world, 40);
    await time.runFor(16_000);
    beat(world, 40);
    await time.runFor(1_000);
    const had = partitionsOf(b);
    expect(had).toHaveLength(1);
    b.host.kill();
    const again = world.launch('b');
    await time.runFor(2_000);
    expect(again.instance.standbys().map(({ partition }) => partition)).toEqual(had);
    await time.runFor(2 * SESSION_TIMEOUT_MS);
    expect([partitionsOf(a).length, partitionsOf(again)]).toEqual([1, had]);
  });

  /** For each partition, true if its store is open where it runs. */
  const ownersHaveStores = ({ simulation }: World, ...processes: Process[]): boolean[] =>
    processes.flatMap((each) =>
      partitionsOf(each).map((partition) => simulation.disk('machine').lockedBy(partition) === each.name),
    );

  test('[R2][K6] a standby takes no store before an owner that is slow to open it', async () => {
    const adapt = ({ stores, ...ports }: PipelinePorts): PipelinePorts => {
      const open: typeof stores.open = async (partition, how) => {
        if (how?.waits !== false) await pause(ports.clock, 2_000);
        return stores.open(partition, how);
      };
      const opening = {
        isShared: stores.isShared,
        open,
        localCheckpoints: () => stores.localCheckpoints(),
        noteDrop: stores.noteDrop.bind(stores),
        drops: () => stores.drops(),
      };
      return { ...ports, stores: opening };
    };
    const world = new World({ seed: 76, partitions: 2, timeoutMs: 60_000, oneDisk: true, standbys: 1, adapt });
    const { time } = world.simulation;
    const [a, b] = [world.launch('a'), world.launch('b')];
    await time.runFor(15_000);
    expect(ownersHaveStores(world, a, b)).toEqual([true, true]);
    expect([a, b].flatMap(({ instance }) => instance.standbys()).map(({ state }) => state)).toEqual([
      'following',
      'following',
    ]);
  });

  test('[R2][K6] a store that was loaded before the group had met goes to the owner', async () => {
    const world = new World({ seed: 77, partitions: 2, timeoutMs: 60_000, oneDisk: true, standbys: 1 });
    const { time } = world.simulation;
    const alone = world.launch('a');
    await time.runFor(3_000);
    beat(world, 40);
    await time.runFor(16_000);
    beat(world, 40);
    await time.runFor(1_000);
    alone.host.kill();
    const [a, b] = [world.launch('a'), world.launch('b')];
    await time.runFor(2 * SESSION_TIMEOUT_MS);
    expect(ownersHaveStores(world, a, b)).toEqual([true, true]);
    expect(runsIn(b)).toEqual([expect.stringContaining('"restoredFrom":"localStore"')]);
  });

  test('[K6] a standby leaves the store to the owner, and goes on without when it takes over', async () => {
    const world = new World({ seed: 74, partitions: 2, timeoutMs: 60_000, oneDisk: true, standbys: 1 });
    const { time } = world.simulation;
    const [a, b] = [world.launch('a'), world.launch('b')];
    await time.runFor(4_000);
    beat(world, 40);
    await time.runFor(2_000);
    expect(linesOf(a, 'standby without a local store')).toEqual([
      expect.stringContaining('b has the local store open'),
    ]);
    b.host.kill();
    await time.runFor(2 * SESSION_TIMEOUT_MS);
    expect(partitionsOf(a)).toEqual([0, 1]);
    expect(runsIn(a).at(-1)).toContain('"restoredFrom":"standby"');
    expect(a.failures).toEqual([]);
    await time.runFor(70_000);
    expect(world.closed()).toEqual(world.expected());
  });
});
