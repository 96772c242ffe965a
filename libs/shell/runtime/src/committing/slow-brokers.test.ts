import { describe, expect, test } from '@jest/globals';
import { CHANGELOG, INPUT, type Process, World } from '../world.fixture.ts';

const KB = 1024;

const events = (count: number, from = 0): { key: string; value: string }[] =>
  Array.from({ length: count }, (_, i) => ({ key: `k${from + i}`, value: '{}' }));

/** Bytes of the changelog's data batches, and of those that were aborted. */
function changelogBytes(world: World): { readonly all: number; readonly aborted: number } {
  const log = world.simulation.log.partition(CHANGELOG, 0);
  const batches = log.batches.filter(({ records }) => records.length > 0);
  const sum = (some: typeof batches): number => some.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  return { all: sum(batches), aborted: sum(batches.filter((batch) => log.isAborted(batch))) };
}

/** How many tries of commits ran out of time, and with what each next one was given. */
function ranOut({ lines }: Process): number[] {
  return lines.flatMap((line) => {
    const given = /ran out of time.*"nextTimeoutMs":(\d+)/.exec(line);
    return given === null ? [] : [Number(given[1])];
  });
}

/** Sessions of 8 kB, and all of them closed some time after. */
async function closedOnce(world: World, process: Process, sessions: number): Promise<void> {
  const { time, log, faults } = world.simulation;
  await time.runFor(3_000);
  faults.slowProduces([4_000, 4_000]);
  for (let from = 0; from < sessions; from += 100) log.produce(INPUT, 0, ...events(100, from));
  await time.runUntil(() => (process.instance.status()[0]?.committedPosition ?? 0) >= sessions, 900_000);
  faults.slowProduces(undefined);
  await time.runFor(60_000);
  expect(world.closed()).toHaveLength(sessions);
  expect(world.closed()).toEqual(world.expected());
  expect(process.failures).toEqual([]);
}

describe('brokers that take long', () => {
  test('[O6] a backlog of 6 000 sessions of 8 kB at 400 ms a produce is taken in pieces that fit their transactions', async () => {
    const world = new World({ seed: 61, partitions: 1, timeoutMs: 600_000, stateBytes: 8 * KB });
    const { time, log, faults } = world.simulation;
    for (let from = 0; from < 6_000; from += 100) log.produce(INPUT, 0, ...events(100, from));
    faults.slowProduces([400, 400]);
    const process = world.launch('a');
    await time.runUntil(() => (process.instance.status()[0]?.committedPosition ?? 0) >= 6_000, 120_000);
    expect(process.instance.status()[0]?.committedPosition).toBeGreaterThanOrEqual(6_000);
    expect(changelogBytes(world).aborted).toBe(0);
    expect(ranOut(process)).toEqual([]);
    expect(process.failures).toEqual([]);
  });

  test('[O6][S4] a commit that was cut too large is given twice the time each time, and is in the log once', async () => {
    const world = new World({ seed: 62, partitions: 1, timeoutMs: 30_000, stateBytes: 8 * KB });
    const process = world.launch('a');
    await closedOnce(world, process, 600);
    expect(ranOut(process)[0]).toBe(20_000);
    for (const [i, nextMs] of ranOut(process).entries())
      expect(nextMs === 20_000 || nextMs === 2 * ranOut(process)[i - 1]!).toBe(true);
    // Each time one copy that was given up.
    expect(world.simulation.faults.fired().get('transactionTimeout')).toBe(ranOut(process).length);
  });

  test('[O6][S4] where the brokers grant no more time the task is restored, and commits less at a time', async () => {
    const world = new World({ seed: 63, partitions: 1, timeoutMs: 30_000, stateBytes: 8 * KB });
    world.simulation.log.transactions.timeoutMaxMs = 10_000;
    const process = world.launch('a');
    await closedOnce(world, process, 600);
    expect(process.lines.filter((line) => line.includes('commits less at a time')).length).toBeGreaterThan(0);
    expect(ranOut(process).every((nextMs) => nextMs === 20_000)).toBe(true);
  });

  test('[O6][X5] a task that is full while a commit takes long says that it waits for it', async () => {
    const world = new World({ seed: 64, partitions: 1, timeoutMs: 600_000, stateBytes: 8 * KB });
    const { time, log, faults } = world.simulation;
    for (let from = 0; from < 2_000; from += 100) log.produce(INPUT, 0, ...events(100, from));
    faults.slowProduces([400, 400]);
    const process = world.launch('a');
    const detail = (): string | undefined => process.instance.status()[0]?.detail;
    await time.runUntil(() => detail()?.startsWith('a commit, under way for') === true, 30_000);
    expect(detail()).toMatch(/^a commit, under way for \d+ ms$/);
  });
});
