// Probes of a simulated cluster: that they go all the way, that nothing else changes for them, and what is said where they do not.
import { describe, expect, test } from '@jest/globals';
import { rough } from '@flatline/cluster';
import { CHANGELOG, INPUT, type Process, World, type WorldSettings } from '../world.fixture.ts';
import type { ProbeStatus } from './task-probe.ts';

const INTERVAL_MS = 1_000;
const LOOK_MS = 10_000;
const LOOKS_MAX = 60;
const SEEDS = Number(process.env['SEEDS'] ?? 6);
const SEED = Number(process.env['SEED'] ?? 1);

interface Begun {
  readonly world: World;
  readonly processes: readonly Process[];
}

async function begun(settings: Partial<WorldSettings> = {}, names: readonly string[] = ['a']): Promise<Begun> {
  const world = new World({ seed: 1, partitions: 2, probeIntervalMs: INTERVAL_MS, ...settings });
  const processes = names.map((name) => world.launch(name));
  await world.simulation.time.runFor(8_000);
  return { world, processes };
}

function probeOf({ instance }: Process, partition: number): ProbeStatus | undefined {
  return instance.status().find((each) => each.partition === partition)?.probe;
}

const headersIn = (world: World, topic: string): string[] =>
  world.simulation.log.committed(topic, 0).map(({ headers }) => headers.map(({ name }) => name).join());

describe('probes', () => {
  test('[Q5] go all the way on a partition that sleeps, once in their interval, and nothing comes of them', async () => {
    const { world, processes } = await begun();
    const before = probeOf(processes[0]!, 0)!;
    const commitsBefore = world.simulation.log.committed(CHANGELOG, 0).length;
    await world.simulation.time.runFor(10 * INTERVAL_MS);
    const after = probeOf(processes[0]!, 0)!;
    expect(after.stuck).toBeUndefined();
    expect(after.lastMs).toBeGreaterThan(0);
    expect(after.durations.count - before.durations.count).toBe(10);
    expect(world.simulation.log.committed(CHANGELOG, 0).length - commitsBefore).toBe(10);
    expect([...new Set(headersIn(world, INPUT))]).toEqual(['flatline-clock,flatline-probe']);
    expect(world.closed()).toEqual([]);
    expect(processes[0]!.instance.status().map(({ liveEntries }) => liveEntries)).toEqual([0, 0]);
  });

  test('[Q5] none is sent, and none is shown, where no interval is set', async () => {
    const world = new World({ seed: 1 });
    const process = world.launch('a');
    await world.simulation.time.runFor(10_000);
    expect(probeOf(process, 0)).toBeUndefined();
    expect(headersIn(world, INPUT)).toEqual([]);
  });

  test.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
    '[Q5][C5] seed %i: outputs are what the input says, through kills and rough brokers (rerun: SEED)',
    async (seed) => {
      const { world, processes } = await begun({ seed, rates: rough, probeIntervalMs: 300 }, ['a', 'b']);
      const { time } = world.simulation;
      for (let beat = 0; beat < 60; beat += 1) {
        world.beat(`k${beat % 7}`);
        await time.runFor(250);
        if (beat === 30) processes[0]!.host.kill();
      }
      // A commit of doubled patience may take minutes under faults.
      const isBehind = (): boolean => world.closed().length < world.expected().length;
      await time.runFor(60_000);
      for (let looks = 0; looks < LOOKS_MAX && isBehind(); looks += 1) await time.runFor(LOOK_MS);
      expect(processes[1]!.failures).toEqual([]);
      expect(world.closed()).toEqual(world.expected());
      expect(world.closed()).not.toEqual([]);
    },
  );

  test('[Q5][F10] what lies behind an open transaction is stuck at fetch, with the transaction; the other partition is sound', async () => {
    const { world, processes } = await begun();
    const transaction = world.simulation.log.foreignTransaction('upstream');
    transaction.produce(INPUT, 1, { key: 'k', value: '' });
    await world.simulation.time.runFor(INTERVAL_MS + 2_600);
    const { stuck } = probeOf(processes[0]!, 1)!;
    expect(stuck).toMatchObject({
      leg: 'fetch',
      waitsFor: expect.stringMatching(/transaction .* open on in\/1 since/),
    });
    expect(stuck!.forMs).toBeGreaterThanOrEqual(2_500);
    expect(probeOf(processes[0]!, 0)!.stuck).toBeUndefined();
    transaction.commit();
    await world.simulation.time.runFor(INTERVAL_MS);
    expect(probeOf(processes[0]!, 1)!.stuck).toBeUndefined();
  });

  test('[Q5][F5] brokers that do not answer are where it is stuck, and an outage over it goes on', async () => {
    const { world, processes } = await begun();
    world.simulation.network.setOutage(true);
    await world.simulation.time.runFor(INTERVAL_MS + 2_600);
    expect(probeOf(processes[0]!, 0)!.stuck).toMatchObject({
      leg: expect.stringMatching(/^(produce|append|visible)$/),
    });
    world.simulation.network.setOutage(false);
    await world.simulation.time.runFor(10_000);
    expect(probeOf(processes[0]!, 0)!.stuck).toBeUndefined();
  });

  test('[Q5][F3] an instance that stands still is named by the other, and accuses no other when it wakes', async () => {
    const { world, processes } = await begun({}, ['a', 'b']);
    const [a, b] = processes as [Process, Process];
    const theirs = b.instance.status().map(({ partition }) => partition);
    expect([theirs.length, a.instance.silentOwners()]).toEqual([1, []]);
    b.host.pause();
    await world.simulation.time.runFor(INTERVAL_MS + 2 * 2_000);
    expect(a.instance.silentOwners()).toMatchObject([
      { partition: theirs[0], owner: 'b', detail: expect.stringContaining('frozen') },
    ]);
    b.host.resume();
    expect([b.instance.silentOwners(), probeOf(b, theirs[0]!)?.stuck]).toEqual([[], undefined]);
    await world.simulation.time.runFor(2 * INTERVAL_MS);
    expect(a.instance.silentOwners()).toEqual([]);
  });
});
