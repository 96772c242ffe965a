// Inputs that may not be written, on a simulated cluster: silence is found out without a record (C3).
import { describe, expect, test } from '@jest/globals';
import { calm, rough } from '@flatline/cluster';
import { INPUT, type Process, World } from '../world.fixture.ts';

const CLOCK_SKEW_MS = 500;
const TIMEOUT_MS = 5_000;
const proofByFetch = { clockSkewMs: CLOCK_SKEW_MS };
const SEEDS = Number(process.env['SEEDS'] ?? 40);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

const quiet = (seed: number, partitions = 1): World =>
  new World({ seed, partitions, timeoutMs: TIMEOUT_MS, proofByFetch });
const recordsOn = (world: World): number => world.simulation.log.committed(INPUT, 0).length;
const clockRecordsOn = (world: World): number =>
  [0, 1].flatMap((partition) => world.simulation.log.committed(INPUT, partition)).filter(({ key }) => key === null)
    .length;
const overtakenBy = (process: Process): number | undefined => process.instance.status()[0]?.counters?.clockOvertaken;

describe('[C3] a quiet partition of an input that is not written to', () => {
  test('[C3][C4] closes its sessions on time, each when it is due, and gets no record', async () => {
    const world = quiet(71);
    const { time } = world.simulation;
    const process = world.launch('a');
    await time.runFor(2_000);
    for (let i = 0; i < 50; i += 1) world.beat(`early${i}`);
    await time.runFor(2_000);
    for (let i = 0; i < 50; i += 1) world.beat(`late${i}`);
    await time.runFor(TIMEOUT_MS - 2_000 + CLOCK_SKEW_MS - 50);
    expect(world.closed()).toEqual([]);
    await time.runFor(1_000);
    expect(world.closed()).toHaveLength(50);
    await time.runFor(2_000);
    expect(world.closed()).toEqual(world.expected());
    expect(world.tombstones()).toBe(100);
    expect(recordsOn(world)).toBe(100);
    expect(overtakenBy(process)).toBe(0);
    expect(process.failures).toEqual([]);
  });

  test('[C3][C4] where no process runs when it is due, closes soon after one does, by the stamp of the claim', async () => {
    const timeoutMs = 60_000;
    const world = new World({ seed: 72, partitions: 1, timeoutMs, proofByFetch });
    const { time } = world.simulation;
    const first = world.launch('a');
    await time.runFor(2_000);
    world.beat('k');
    await time.runFor(1_000);
    first.host.kill();
    await time.runFor(timeoutMs + 10_000);
    const second = world.launch('a');
    await time.runFor(15_000);
    expect(world.closed()).toEqual(world.expected());
    expect(world.closed()).toHaveLength(1);
    expect(recordsOn(world)).toBe(1);
    expect(overtakenBy(second)).toBe(0);
  });

  test('[C3] asks for nothing while no session lives', async () => {
    const world = quiet(73);
    const { time, faults } = world.simulation;
    world.launch('a');
    world.beat('k');
    world.end('k');
    await time.runFor(60_000);
    faults.inject({ at: 'ListOffsets', fault: 'dropped' });
    await time.runFor(60_000);
    expect(faults.pending()).toHaveLength(1);
    expect(recordsOn(world)).toBe(2);
  });
});

describe('[C3][C4] no session that beats is ended', () => {
  const KEYS = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const beating = async (world: World, seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (const key of KEYS) world.beat(key);
      await world.simulation.time.runFor(1_000);
    }
  };

  test('[C3][C4] by a process that was stopped for several timeouts', async () => {
    const world = quiet(74);
    const process = world.launch('a');
    await beating(world, 5);
    process.host.pause();
    await beating(world, 30);
    process.host.resume();
    await beating(world, 5);
    expect(world.closed()).toEqual([]);
    expect(overtakenBy(process)).toBe(0);
    expect(process.instance.status()[0]?.liveEntries).toBe(KEYS.length);
  });

  test('[C3][C4] by a restore, and the backlog read after it', async () => {
    const world = quiet(75);
    const first = world.launch('a');
    await beating(world, 5);
    first.host.kill();
    await beating(world, 30);
    const second = world.launch('a');
    await beating(world, 20);
    expect(world.closed()).toEqual([]);
    expect(overtakenBy(second)).toBe(0);
    expect(second.instance.status()[0]?.liveEntries).toBe(KEYS.length);
  });

  test.each([81, 82, 83, 84, 85, 86])(
    '[C3][C4][F23] by a new leader that does not know yet how far its predecessor was replicated (seed %i)',
    async (seed) => {
      const world = quiet(seed);
      const { time, log } = world.simulation;
      const process = world.launch('a');
      await time.runFor(2_000);
      world.beat('k');
      await time.runFor(TIMEOUT_MS - 1_000);
      process.host.cutOff('both');
      world.beat('k');
      await time.runFor(100);
      log.partition(INPUT, 0).changeLeader();
      log.partition(INPUT, 0).stallReplication(2 * TIMEOUT_MS);
      process.host.cutOff('none');
      await time.runFor(4 * TIMEOUT_MS);
      expect(world.closed()).toEqual(world.expected());
      expect(world.closed()).toHaveLength(1);
      expect(overtakenBy(process)).toBe(0);
    },
  );
});

describe('[C3] where what it presumes does not hold, the counter says so', () => {
  test('[C3] a deposed leader answers, while another one takes heartbeats', async () => {
    const world = quiet(77);
    const { time, log } = world.simulation;
    const process = world.launch('a');
    await time.runFor(2_000);
    world.beat('k');
    await time.runFor(1_000);
    log.partition(INPUT, 0).changeLeader({ deposedForMs: 10_000 });
    world.beat('k');
    await time.runFor(9_000);
    expect(world.closed()).toHaveLength(1);
    expect(world.closed()).not.toEqual(world.expected());
    await time.runFor(5_000);
    expect(overtakenBy(process)).toBe(1);
    expect(process.lines.join('\n')).toContain('closed too early (C3)');
  });

  test('[C3] a new leader stamps behind the clock: what was heard of the old one is forgotten, and ends no session', async () => {
    const world = quiet(78);
    const { time, log } = world.simulation;
    const process = world.launch('a');
    await time.runFor(2_000);
    world.beat('k');
    await time.runFor(TIMEOUT_MS + 2_000);
    expect(world.closed()).toHaveLength(1);
    log.partition(INPUT, 0).changeLeader({ skewMs: -20_000 });
    for (let second = 1; second <= 15; second += 1) {
      world.beat('l');
      await time.runFor(1_000);
      expect(overtakenBy(process)).toBe(second);
    }
    expect(world.closed()).toHaveLength(1);
  });

  test('[C3] after a restart, too: the clock that was restored may be evidence', async () => {
    const world = quiet(79);
    const { time, log } = world.simulation;
    const first = world.launch('a');
    await time.runFor(2_000);
    world.beat('k');
    await time.runFor(TIMEOUT_MS + 2_000);
    expect(world.closed()).toHaveLength(1);
    first.host.kill();
    log.partition(INPUT, 0).changeLeader({ skewMs: -20_000 });
    const second = world.launch('a');
    await time.runFor(15_000);
    world.beat('l');
    await time.runFor(100);
    expect(overtakenBy(second)).toBe(1);
  });
});

describe('[C3] two instances under faults', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[C3][S4][C5][X1][X2] seed %i: every session closes exactly once, with the content of the log',
    async (seed) => {
      const { world, processes } = await storm(seed);
      const lines = processes.flatMap((process) => process.lines).slice(-40);
      const context = `rerun: SEED=${seed} SEEDS=1 npm test -- runtime\n${lines.join('\n')}`;
      const overtaken = processes
        .flatMap((process) => process.instance.status())
        .map((s) => s.counters?.clockOvertaken);
      try {
        expect(overtaken.filter((count) => count !== undefined && count > 0)).toEqual([]);
        expect(world.closed()).toEqual(world.expected());
        expect(world.expected().length).toBeGreaterThan(20);
        expect(processes.flatMap((process) => process.failures)).toEqual([]);
        expect(clockRecordsOn(world)).toBe(0);
      } catch (error) {
        (error as Error).message += `\n${context}`;
        throw error;
      }
    },
  );
});

/** Beats, kills, pauses, lost messages and moves of leaders, whose clocks differ by less than the skew; then calm. */
async function storm(seed: number): Promise<{ world: World; processes: Process[] }> {
  // Followers keep up: that is presumed.
  const rates = { ...rough, stalled: 0, requestCrash: 0.001, writeCrash: 0.002 };
  const world = new World({ seed, timeoutMs: TIMEOUT_MS, proofByFetch, rates });
  const { time, faults, log } = world.simulation;
  const random = world.simulation.random('storm');
  const processes = ['a', 'b'].map((name) => world.launch(name));
  for (let round = 0; round < 60; round += 1) {
    for (let i = random.below(8); i > 0; i -= 1) world.beat(`k${random.below(30)}`);
    const at = random.below(2);
    const process = processes[at]!;
    if (random.chance(0.06)) process.host.kill();
    if (random.chance(0.06)) process.host.pause();
    if (random.chance(0.3)) process.host.resume();
    if (random.chance(0.04)) log.partition(INPUT, random.below(2)).changeLeader({ skewMs: random.below(200) - 100 });
    await time.runFor(random.below(1_500));
    if (!process.host.alive) processes[at] = world.launch(process.name);
  }
  faults.setRates(calm);
  for (const [at, { host, name }] of processes.entries()) {
    host.resume();
    if (!host.alive) processes[at] = world.launch(name);
  }
  await time.runFor(90_000);
  return { world, processes };
}
