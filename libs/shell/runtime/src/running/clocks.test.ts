// Clocks, the log's and the machine's, may do anything: no session that beats ends by it.
import { describe, expect, test } from '@jest/globals';
import { OPEN_TRANSACTION_ALARM_MS } from '../limits.ts';
import { INPUT, World } from '../world.fixture.ts';

describe('time', () => {
  test('[C6] the partition waits at a stamp from the future, visibly, and goes on when broker time has come near', async () => {
    const world = new World({ seed: 14, partitions: 1 });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    world.beat('k');
    await time.runFor(1_000);
    log.partition(INPUT, 0).setSkew(3_700_000);
    world.beat('future');
    log.partition(INPUT, 0).setSkew(0);
    await time.runFor(2_000);
    expect(process.instance.status()[0]?.detail).toMatch(/broker time: offset \d+ is stamped/);
    expect(world.closed()).toEqual([]);
    await time.runFor(120_000);
    expect(process.instance.status()[0]?.detail).toBeUndefined();
    expect(process.instance.status()[0]?.clock).toBeGreaterThan(3_700_000);
  });

  test('[C4][F16] a step of the local wall clock by an hour in either direction ends no session', async () => {
    const world = new World({ seed: 15, partitions: 1, timeoutMs: 5_000 });
    const { time } = world.simulation;
    const process = world.launch('a');
    for (let second = 0; second < 30; second += 1) {
      world.beat('steady');
      if (second === 10) process.host.machine.step(3_600_000);
      if (second === 20) process.host.machine.step(-7_200_000);
      await time.runFor(1_000);
    }
    expect(world.closed()).toEqual([]);
    await time.runFor(10_000);
    expect(world.closed()).toHaveLength(1);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[C4][F3] a process stopped for twice the timeout closes no session that went on beating', async () => {
    const world = new World({ seed: 16, partitions: 1, timeoutMs: 5_000 });
    const { time } = world.simulation;
    const process = world.launch('a');
    for (let second = 0; second < 30; second += 1) {
      world.beat('steady');
      if (second === 5) process.host.pause();
      if (second === 15) process.host.resume();
      await time.runFor(1_000);
    }
    expect(world.closed()).toEqual([]);
    await time.runFor(20_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[C2][F10][X5] an upstream transaction left open stalls the clock, ends no session, and is logged', async () => {
    const world = new World({ seed: 17, partitions: 1, timeoutMs: 3_000 });
    const { time, log } = world.simulation;
    const { instance, lines } = world.launch('a');
    world.beat('k');
    await time.runFor(500);
    const alarms = (): string[] => lines.filter((line) => line.includes('holds the input back'));
    for (const upstream of ['one', 'another']) {
      const open = log.foreignTransaction(upstream, 600_000);
      open.produce(INPUT, 0, { key: 'k', value: '' });
      const closed = world.closed();
      await time.runFor(OPEN_TRANSACTION_ALARM_MS / 2);
      expect(instance.status()[0]?.detail).toBeUndefined();
      await time.runFor(2.5 * OPEN_TRANSACTION_ALARM_MS);
      expect(instance.status()[0]?.detail).toMatch(
        /^the end of a producer's transaction on the input, open since offset (\d+) by producer \d+ \(epoch 0\): .*`kafka-transactions.sh --bootstrap-server <brokers> abort --topic in --partition 0 --start-offset \1` ends it$/,
      );
      expect(world.closed()).toEqual(closed);
      open.commit();
      await time.runFor(1_000);
      expect(instance.status()[0]?.detail).toBeUndefined();
    }
    expect(alarms().length).toBe(2);
    await time.runFor(10_000);
    expect(world.closed()).toEqual(world.expected());
  });
});
