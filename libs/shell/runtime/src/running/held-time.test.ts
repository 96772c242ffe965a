// Unheard time on a simulated cluster: an outage ends no session, and silence is still found out (C8).
import { describe, expect, test } from '@jest/globals';
import { CHANGELOG, INPUT, type Process, World } from '../world.fixture.ts';

const TIMEOUT_MS = 10_000;
const OUTAGE_MS = 60_000;
const HELD = { unheardMs: 3_000, maxHoldMs: 3_600_000 };
const STEADY = Array.from({ length: 20 }, (_, i) => `k${i}`);

interface Story {
  readonly world: World;
  readonly process: Process;
}

/** Everybody beats each second, but for an outage of six timeouts; one has gone two seconds before it. */
async function outage(seed: number, on: boolean, restart = false): Promise<Story> {
  const world = new World({ seed, partitions: 1, timeoutMs: TIMEOUT_MS, ...(on && { heldTime: HELD }) });
  const { time, network } = world.simulation;
  let process = world.launch('a');
  const beat = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (const key of STEADY) world.beat(key);
      await time.runFor(1_000);
    }
  };
  world.beat('gone');
  await beat(30 - TIMEOUT_MS / 1_000);
  world.beat('gone');
  await beat(2);
  network.setOutage(true);
  await time.runFor(OUTAGE_MS / 2);
  if (restart) {
    process.host.kill();
    process = world.launch('a');
  }
  await time.runFor(OUTAGE_MS / 2);
  network.setOutage(false);
  await time.runFor(2_000);
  await beat(40);
  return { world, process };
}

const keysOf = (closed: readonly string[]): string[] => closed.map((line) => line.split(' ')[0]!);

describe('[C8][F5] an outage of the brokers longer than the timeout', () => {
  test.each([
    [41, false],
    [42, false],
    [43, true],
    [44, true],
  ])(
    '[C8][F5] ends no session that beats before and after it (seed %i, restarted meanwhile: %s)',
    async (seed, restart) => {
      const { world, process } = await outage(seed, true, restart);
      const closed = world.closed().filter((line) => !line.startsWith('gone 0-0 '));
      expect(keysOf(closed)).toEqual(['gone']);
      const [status] = process.instance.status();
      expect(status).toMatchObject({ state: 'running', liveEntries: STEADY.length });
      expect(status?.heldMs).toBeGreaterThan(OUTAGE_MS - HELD.unheardMs - 2_000);
      // The outage is not counted, everything else is.
      const seen = world.simulation.log.committed(INPUT, 0).filter(({ key }) => key !== null && key.length === 4);
      const closedAt = Number(closed[0]!.split(' ').at(-1));
      expect(closedAt).toBe(seen.at(-1)!.timestamp + TIMEOUT_MS + status!.heldMs);
      expect(process.failures).toEqual([]);
    },
  );

  test('[C8] with it switched off, the same outage ends them all', async () => {
    const { world } = await outage(41, false);
    expect(new Set(keysOf(world.closed()))).toEqual(new Set(['gone', ...STEADY]));
  });
});

describe('[C8] a partition that is merely quiet', () => {
  test('[C8][C2] has a record at least every third of unheardMs, holds nothing, and closes on time', async () => {
    const world = new World({ seed: 45, partitions: 1, timeoutMs: 60_000, heldTime: { ...HELD, unheardMs: 6_000 } });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    await time.runFor(5_000);
    for (const key of STEADY) world.beat(key);
    await time.runFor(55_000);
    const stamps = log.committed(INPUT, 0).map(({ timestamp }) => timestamp);
    const gaps = stamps.slice(1).map((stamp, i) => stamp - stamps[i]!);
    expect(gaps.length).toBeGreaterThan(20);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2_000);
    expect(process.instance.status()[0]?.heldMs).toBe(0);
    await time.runFor(10_000);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(STEADY.length);
  });

  test('[C8] commits a tenth of its clock records, and at once what a beat has changed; who is killed loses nothing', async () => {
    const world = new World({ seed: 47, partitions: 1, timeoutMs: 60_000, heldTime: { ...HELD, unheardMs: 3_000 } });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    await time.runFor(5_000);
    for (const key of STEADY) world.beat(key);
    await time.runFor(2_000);
    const count = (topic: string): number => log.committed(topic, 0).length;
    const before = [count(INPUT), count(CHANGELOG)];
    await time.runFor(30_000);
    const [clocks, commits] = [count(INPUT) - before[0]!, count(CHANGELOG) - before[1]!];
    expect(clocks).toBeGreaterThan(30);
    expect(commits).toBeLessThanOrEqual(4);
    expect(commits).toBeGreaterThanOrEqual(2);
    world.beat('late');
    await time.runFor(1_000);
    expect(count(CHANGELOG) - before[1]! - commits).toBeGreaterThanOrEqual(1);
    await time.runFor(5_000);
    process.host.kill();
    world.launch('a');
    await time.runFor(80_000);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(STEADY.length + 1);
  });

  test('[C8] without live sessions no clock record is written', async () => {
    const world = new World({ seed: 46, partitions: 1, timeoutMs: 20_000, heldTime: HELD });
    const { time, log } = world.simulation;
    world.launch('a');
    world.beat('k');
    world.end('k');
    await time.runFor(120_000);
    expect(log.committed(INPUT, 0).length).toBeLessThanOrEqual(3);
  });
});
