import { describe, expect, test } from '@jest/globals';
import { EXPIRE_SLICE_MAX } from '../limits.ts';
import { INPUT, type Process, World } from '../world.fixture.ts';

const DYING = 20_000;
const STEADY = Array.from({ length: 10 }, (_, i) => `steady${i}`);

describe('[F18] many sessions that die at once', () => {
  test('[F18] a turn closes a bounded number, heartbeats are read in between, and no session that beats is closed', async () => {
    const processes: Process[] = [];
    let closedBefore = 0;
    const turns = { closing: 0, mostClosed: 0, mostLag: 0 };
    const onTurn = (): void => {
      const [status] = processes[0]?.instance.status() ?? [];
      const closed = status?.counters?.['closedByTimeout'] ?? 0;
      turns.mostClosed = Math.max(turns.mostClosed, closed - closedBefore);
      if (closed > closedBefore) {
        turns.closing += 1;
        turns.mostLag = Math.max(turns.mostLag, status?.lag ?? 0);
      }
      closedBefore = closed;
    };
    const world = new World({ seed: 51, partitions: 1, timeoutMs: 5_000, onTurn });
    const { time, log } = world.simulation;
    const process = world.launch('a');
    processes.push(process);
    await time.runFor(3_000);
    const dying = Array.from({ length: DYING }, (_, i) => ({ key: `d${i}`, value: '' }));
    log.produce(INPUT, 0, ...dying);
    for (let tenths = 0; tenths < 120; tenths += 1) {
      for (const key of STEADY) world.beat(key);
      await time.runFor(100);
    }
    expect(turns.mostClosed).toBeLessThanOrEqual(EXPIRE_SLICE_MAX);
    expect(turns.closing).toBeGreaterThanOrEqual(DYING / EXPIRE_SLICE_MAX);
    // While they were closed the heartbeats of a few tenths of a second were waiting, at most.
    expect(turns.mostLag).toBeLessThanOrEqual(5 * STEADY.length);
    expect(world.closed()).toHaveLength(DYING);
    expect(world.closed().filter((line) => line.startsWith('steady'))).toEqual([]);
    expect(process.failures).toEqual([]);
    await time.runFor(20_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test.each([
    ['each turn takes its time', { turnMs: 20 }, {}],
    ['maxDuePerSecond spreads them', { turnMs: 0 }, { maxDuePerSecond: 2_000 }],
  ])('[C2][X6] on a silent input what comes due behind them does not wait for all: %s', async (_, turns, settings) => {
    const world = new World({ seed: 52, partitions: 1, timeoutMs: 5_000, ...settings });
    const { time, log } = world.simulation;
    world.turnMs = turns.turnMs;
    const process = world.launch('a');
    await time.runFor(3_000);
    log.produce(INPUT, 0, ...Array.from({ length: DYING }, (_each, i) => ({ key: `d${i}`, value: '' })));
    await time.runFor(100);
    world.beat('behind');
    const isClosed = (): boolean => world.closed().some((line) => line.startsWith('behind'));
    await time.runFor(5_000);
    while (!isClosed()) await time.runFor(20);
    expect(world.closed().length).toBeLessThan(DYING / 2);
    await time.runFor(30_000);
    expect(world.closed()).toEqual(world.expected());
    expect(process.failures).toEqual([]);
  });
});
