import { describe, expect, test } from '@jest/globals';
import { calm, rough } from '@flatline/cluster';
import { type Process, World } from './world.fixture.ts';

describe('a pipeline on a calm cluster', () => {
  test('[C2][C4] a quiet partition closes its sessions on time, by a clock record of its own', async () => {
    const world = new World({ seed: 1 });
    const { time } = world.simulation;
    const process = world.launch('a');
    for (let i = 0; i < 100; i += 1) world.beat(`k${i}`);
    await time.runFor(4_900);
    expect(world.closed()).toEqual([]);
    await time.runFor(1_100);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(100);
    expect(world.tombstones()).toBe(100);
    expect(process.failures).toEqual([]);
  });
});

/** How many seeds a run tries; `SEEDS=5000 SEED=1 npm test -- runtime` for more, `SEED=n SEEDS=1` to rerun one. */
const SEEDS = Number(process.env['SEEDS'] ?? 15);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

describe('two instances under faults', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[F21][S4][O1][C5][R1] seed %i: every session closes exactly once, with the content of the log',
    async (seed) => {
      const story = await storm(seed);
      const context = `rerun: SEED=${seed} SEEDS=1 npm test -- runtime\n${story.lines.slice(-60).join('\n')}`;
      try {
        expect(story.closed).toEqual(story.expected);
        expect(story.failures).toEqual([]);
        expect(story.expected.length).toBeGreaterThan(20);
      } catch (error) {
        (error as Error).message += `\n${context}`;
        throw error;
      }
    },
  );
});

/** Beats, kills, pauses and lost messages for a while; then calm, until everyone has been silent long enough. */
async function storm(
  seed: number,
): Promise<{ closed: string[]; expected: string[]; failures: Error[]; lines: string[] }> {
  const world = new World({ seed, rates: { ...rough, requestCrash: 0.001, writeCrash: 0.002 } });
  const { time, faults } = world.simulation;
  const random = world.simulation.random('storm');
  const processes = new Map<string, Process>();
  const lines: string[] = [];
  const failures: Error[] = [];
  for (const name of ['a', 'b']) processes.set(name, world.launch(name, lines, failures));
  for (let round = 0; round < 60; round += 1) {
    for (let i = random.below(8); i > 0; i -= 1) world.beat(`k${random.below(30)}`);
    if (random.chance(0.1)) world.end(`k${random.below(30)}`);
    const [, process] = [...processes][random.below(2)]!;
    if (random.chance(0.06)) process.host.kill();
    if (random.chance(0.06)) process.host.pause();
    if (random.chance(0.3)) process.host.resume();
    for (const other of processes.values())
      if (!other.host.alive) processes.set(other.name, world.launch(other.name, lines, failures));
    await time.runFor(random.below(1_500));
  }
  faults.setRates(calm);
  for (const process of processes.values()) process.host.resume();
  for (const process of processes.values())
    if (!process.host.alive) processes.set(process.name, world.launch(process.name, lines, failures));
  await time.runFor(120_000);
  return { closed: world.closed(), expected: world.expected(), failures, lines };
}

describe('leaving', () => {
  test('[R1] an instance that leaves commits, flushes and is done; its successor restores from the local store', async () => {
    const world = new World({ seed: 3 });
    const { time } = world.simulation;
    const first = world.launch('a');
    for (let i = 0; i < 50; i += 1) world.beat(`k${i}`);
    await time.runFor(2_000);
    await time.complete(first.instance.stop());
    first.host.kill();
    const second = world.launch('a');
    await time.runFor(1_000);
    expect(second.instance.status().map(({ liveEntries }) => liveEntries)).toEqual([25, 25]);
    expect(second.lines.filter((line) => line.includes('dropped'))).toEqual([]);
    await time.runFor(10_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[X5] what is still restoring ends at once, and is no interruption', async () => {
    const world = new World({ seed: 27, partitions: 1 });
    const { time } = world.simulation;
    const process = world.launch('a');
    while (process.instance.status()[0]?.state !== 'restoring') await time.runFor(1);
    await time.complete(process.instance.stop());
    expect(process.lines.filter((line) => line.includes('restor'))).toEqual([
      expect.stringContaining('restoring is given up {"pipeline":"visits","partition":0,"why":'),
    ]);
    expect(process.instance.status()).toEqual([]);
  });

  test('[X5] stopping ends even while no broker answers, restoring or running', async () => {
    for (const runsBefore of [0, 3_000]) {
      const world = new World({ seed: 4 });
      const { time, network } = world.simulation;
      const process = world.launch('a');
      await time.runFor(runsBefore === 0 ? 20 : runsBefore);
      world.beat('k');
      network.setOutage(true);
      await time.runFor(5_000);
      await time.complete(process.instance.stop(), 120_000);
      expect(process.instance.status()).toEqual([]);
    }
  });
});
