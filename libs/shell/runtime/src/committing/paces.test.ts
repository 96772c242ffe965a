// How soon a close is in the log, and how many transactions that takes.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { CHANGELOG, INPUT, OUTPUT, type Process, World } from '../world.fixture.ts';

const TIMEOUT_MS = 5_000;

/** Append time less deadline, of every close so far, in order of size. */
function lateness(world: World): number[] {
  const closes = world.simulation.log.committed(OUTPUT, 0).filter(({ value }) => value !== null);
  return closes
    .map(({ value, timestamp }) => timestamp - Number(Buffer.from(value!).toString().split(' ').at(-1)))
    .sort((a, b) => a - b);
}

function commits(world: World): number {
  return world.simulation.log.endedTransactions.filter(
    ({ marker, writes }) => marker === 'commit' && writes.some(({ topic }) => topic === CHANGELOG),
  ).length;
}

const clockRecords = (world: World): number =>
  world.simulation.log.committed(INPUT, 0).filter(({ key }) => key === null).length;

async function running(world: World): Promise<Process> {
  const process = world.launch('a');
  await world.simulation.time.runFor(3_000);
  return process;
}

describe('two paces', () => {
  test('[C2] on a quiet partition closes are in the log soon after their deadlines, however close together these are', async () => {
    const world = new World({ seed: 71, partitions: 1, timeoutMs: TIMEOUT_MS, commitIntervalMs: 500 });
    const random = seededRandom(71);
    await running(world);
    const sessions = 400;
    for (let i = 0; i < sessions; i += 1) {
      world.beat(`k${i}`);
      await world.simulation.time.runFor(20 + random.below(80));
    }
    // The heartbeats themselves move the clock up to now; what counts is the silence after them.
    const beating = lateness(world).length;
    await world.simulation.time.runFor(2 * TIMEOUT_MS);
    const late = lateness(world);
    expect(late).toHaveLength(sessions);
    expect(late.length - beating).toBeGreaterThan(50);
    expect(late[Math.floor(late.length * 0.99)]).toBeLessThanOrEqual(60);
  });

  test('[C2] clock records come at most four times as often as proofIntervalMs says, and only where they close something', async () => {
    const world = new World({ seed: 72, partitions: 1, timeoutMs: TIMEOUT_MS, commitIntervalMs: 500 });
    const { time } = world.simulation;
    await running(world);
    const random = seededRandom(72);
    for (let i = 0; i < 300; i += 1) {
      world.beat(`k${i}`);
      await time.runFor(random.below(20));
    }
    const before = clockRecords(world);
    await time.runFor(2 * TIMEOUT_MS);
    const asked = clockRecords(world) - before;
    const spread = 300 * 10;
    expect(asked).toBeGreaterThan(spread / 100);
    expect(asked).toBeLessThanOrEqual(spread / 25 + 10);
  });

  test.each([0, 40])(
    '[C2] where heartbeats come all the time none are needed, though sessions end all the time (produces take %i ms)',
    async (produceMs) => {
      const world = new World({ seed: 74, partitions: 1, timeoutMs: TIMEOUT_MS, commitIntervalMs: 500 });
      const { time, faults } = world.simulation;
      await running(world);
      if (produceMs > 0) faults.slowProduces([produceMs, produceMs]);
      for (let i = 0; i < 1_000; i += 1) {
        world.beat(`k${i}`);
        await time.runFor(15 + (i % 10));
      }
      const before = clockRecords(world);
      for (let i = 1_000; i < 1_500; i += 1) {
        world.beat(`k${i}`);
        await time.runFor(15 + (i % 10));
      }
      // Ten seconds, in which one of the sessions from before ends every twenty milliseconds.
      expect(lateness(world).length).toBeGreaterThan(1_000);
      expect(clockRecords(world) - before).toBeLessThanOrEqual(20);
    },
  );

  test('changes wait for commitIntervalMs, closes only for their own pace', async () => {
    const world = new World({ seed: 73, partitions: 1, timeoutMs: TIMEOUT_MS, commitIntervalMs: 2_000 });
    const { time } = world.simulation;
    await running(world);
    const before = commits(world);
    for (let i = 0; i < 200; i += 1) {
      world.beat('hot');
      if (i % 20 === 0) world.beat(`once${i}`);
      await time.runFor(100);
    }
    // Twenty seconds: ten intervals, and some of the ten closes, each of which begins the next interval.
    expect(commits(world) - before).toBeGreaterThanOrEqual(10);
    expect(commits(world) - before).toBeLessThanOrEqual(25);
    expect(lateness(world).length).toBeGreaterThan(5);
    expect(Math.max(...lateness(world))).toBeLessThanOrEqual(150);
  });
});
