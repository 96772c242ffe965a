import { describe, expect, test } from '@jest/globals';
import { OffsetPace } from './offset-pace.ts';

const rules = { commitIntervalMs: 1_000, electsCleanly: true };

/** One that has committed at each of these times, and which of its commits carried the offset. */
function after(times: readonly number[], pace = new OffsetPace(rules, false)): { pace: OffsetPace; carried: number[] } {
  const carried = times.filter((at) => {
    const carries = pace.carries(at);
    pace.settled(at, carries);
    return carries;
  });
  return { pace, carried };
}

describe('[R3] the group offset', () => {
  test('GO3: the first commit carries it', () => {
    expect(new OffsetPace(rules, false).carries(5)).toBe(true);
    expect(new OffsetPace(rules, false).isOwed).toBe(false);
  });

  test('GO1: of commits that come fast one an interval carries it', () => {
    const times = Array.from({ length: 101 }, (_, i) => i * 40);
    expect(after(times).carried).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });

  test('GO1: commits that come seldom carry it, each of them', () => {
    expect(after([0, 250, 500, 750]).carried).toEqual([0, 250, 500, 750]);
    expect(after([0, 249, 498, 747]).carried).toEqual([0]);
  });

  test('GO2: what was left out is made up for an interval later', () => {
    const { pace } = after([0, 40, 80]);
    expect(pace.isOwed).toBe(true);
    expect(pace.delayMs(100)).toBe(980);
    expect(pace.delayMs(1_080)).toBe(0);
    expect(pace.carries(1_080)).toBe(true);
    pace.settled(1_080, true);
    expect([pace.isOwed, pace.delayMs(1_080)]).toEqual([false, Infinity]);
  });

  test('GO2: and nothing is owed where each carried', () => {
    expect(after([0, 400]).pace.delayMs(9_000)).toBe(Infinity);
  });

  test('GO3: a task that is handed over makes up for it at once, and leaves out no more', () => {
    const { pace } = after([0, 40]);
    pace.handOver(true);
    expect(pace.delayMs(50)).toBe(0);
    expect(after([60, 80, 100], pace).carried).toEqual([60, 80, 100]);
    pace.handOver(false);
    expect(after([120, 140], pace).carried).toEqual([]);
  });

  test('GO3: the first commit behind another claim carries it', () => {
    const { pace } = after([0, 40]);
    pace.claimed();
    expect(pace.carries(60)).toBe(true);
    expect(pace.delayMs(60)).toBe(0);
  });

  test('GO3: what a former owner left out is made up for at once', () => {
    const pace = new OffsetPace(rules, true);
    expect([pace.isOwed, pace.delayMs(7), pace.carries(7)]).toEqual([true, 0, true]);
  });

  test('each commit carries it where the changelog may elect unclean leaders, or does not say', () => {
    for (const electsCleanly of [false, undefined]) {
      const pace = new OffsetPace({ commitIntervalMs: 1_000, electsCleanly }, false);
      expect(after([0, 40, 80], pace).carried).toEqual([0, 40, 80]);
    }
  });
});
