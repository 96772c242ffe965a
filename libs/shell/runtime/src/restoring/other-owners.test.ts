// Commits of another owner in the meantime are not held against the log (R3), nor undone (X4).
import { describe, expect, test } from '@jest/globals';
import { CHANGELOG, World } from '../world.fixture.ts';
import { LATER, restart } from './afterwards.fixture.ts';

describe('[R3] what another owner did meanwhile is not held against the log', () => {
  test('[R3][F3] a process stopped while it restored a new application does not take the first commits of its successor for lost ones', async () => {
    const world = new World({ seed: 1565, partitions: 1 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    await time.runUntil(() => log.committed(CHANGELOG, 0).length > 0, LATER);
    first.host.pause();
    world.launch('b');
    for (let i = 0; i < 30; i += 1) {
      world.beat('k');
      await time.runFor(1_000);
    }
    first.host.resume();
    await time.runFor(LATER);
    expect(first.lines.filter((line) => line.includes('cannot be trusted'))).toEqual([]);
  });

  test("[X4][F3] a process stopped while its claim had no answer does not claim again what is another owner's", async () => {
    const world = new World({ seed: 83, partitions: 1 });
    const { time, faults, log } = world.simulation;
    faults.inject({ at: 'EndTxn', fault: 'answerDropped' });
    const first = world.launch('a');
    await time.runUntil(() => faults.pending().length === 0, LATER);
    first.host.pause();
    const second = world.launch('b');
    await time.runUntil(() => second.instance.isReady, LATER);
    const { length } = log.endedTransactions;
    first.host.resume();
    for (let i = 0; i < 20; i += 1) {
      world.beat('k');
      await time.runFor(1_000);
    }
    expect(log.endedTransactions.length).toBeGreaterThan(length + 10);
    expect(second.lines.filter((line) => line.includes('outcome is looked up'))).toEqual([]);
    expect(second.instance.status()).toMatchObject([{ state: 'running' }]);
  });

  test('a hand-over warns of nothing, though it fences the writer of a commit under way', async () => {
    const warned: string[] = [];
    const world = new World({
      seed: 84,
      partitions: 4,
      adapt: (ports) => ({
        ...ports,
        log: {
          ...ports.log,
          warn: (message, facts) => {
            warned.push(message);
            ports.log.warn(message, facts);
          },
        },
      }),
    });
    const { time } = world.simulation;
    const processes = [world.launch('a')];
    for (let at = 0; at < 400; at += 1) {
      if (at === 100) processes.push(world.launch('b'));
      if (at === 200) processes.push(world.launch('c'));
      for (let i = 0; i < 8; i += 1) world.beat(`k${i}`);
      await time.runFor(50);
    }
    expect(processes.some(({ lines }) => lines.some((line) => line.includes('outcome is looked up')))).toBe(true);
    expect(warned).toEqual([]);
  });

  test('[R3][K3][K4] a commit after a start from a store without entries states no floor below the start of the log', async () => {
    const world = new World({ seed: 1386, partitions: 1, truncateLagMs: 1_000, timeoutMs: 1_000 });
    const { time, log } = world.simulation;
    const first = world.launch('a');
    for (let second = 0; second < 40; second += 1) {
      if (second < 35) world.beat('k');
      await time.runFor(1_000);
    }
    await time.complete(first.instance.stop());
    first.host.kill();
    expect(log.partition(CHANGELOG, 0).ends().logStartOffset).toBeGreaterThan(0);
    const second = await restart(world);
    world.beat('k');
    await time.runFor(300);
    second.host.kill();
    const third = await restart(world);
    expect(third.instance.status()[0]?.state).toBe('running');
    expect(world.closed()).toEqual(world.expected());
  });

  test('[K5][R3][F24] a restoration whose log is truncated meanwhile begins again at the new start, and does not stop', async () => {
    let truncated = 0;
    for (const pauseAfterMs of [0.5, 1, 2, 3, 4]) {
      const world = new World({ seed: 20, partitions: 2, timeoutMs: 60_000 });
      const { time } = world.simulation;
      world.launch('a');
      for (let round = 0; round < 20; round += 1) {
        for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
        await time.runFor(500);
      }
      const second = world.launch('b');
      await time.runUntil(() => second.lines.some((line) => line.includes('partitions assigned')), LATER);
      await time.runFor(pauseAfterMs);
      second.host.pause();
      for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
      await time.runFor(2_000);
      for (const partition of [0, 1]) world.truncateChangelog(partition);
      second.host.resume();
      await time.runFor(5_000);
      if (second.lines.some((line) => line.includes('what was read stands at'))) truncated += 1;
      expect(second.instance.status()).toMatchObject([{ state: 'running', liveEntries: 10 }]);
      await time.runFor(200_000);
      expect(world.closed()).toEqual(world.expected());
    }
    expect(truncated).toBeGreaterThan(0);
  });

  test('[K4][R3] an owner stopped for long that is given its partition again finds the log truncated: it restores, and does not stop', async () => {
    const world = new World({ seed: 19, partitions: 1, timeoutMs: 60_000 });
    const { time } = world.simulation;
    const first = world.launch('a');
    for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
    await time.runFor(3_000);
    world.beat('k1');
    first.host.pause();
    const second = world.launch('b');
    await time.runFor(15_000);
    for (let round = 0; round < 5; round += 1) {
      for (let i = 0; i < 20; i += 1) {
        if (round === 2) world.end(`k${i}`);
        world.beat(`k${i}`);
      }
      await time.runFor(1_000);
    }
    world.truncateChangelog(0);
    second.host.kill();
    await time.runFor(15_000);
    first.host.resume();
    await time.runFor(LATER);
    expect(first.lines).toContainEqual(expect.stringContaining('truncated the log since'));
    expect(first.instance.status()).toMatchObject([{ state: 'running', liveEntries: 20 }]);
    await time.runFor(200_000);
    expect(world.closed()).toEqual(world.expected());
  });
});
