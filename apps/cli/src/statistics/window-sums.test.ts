import { describe, expect, test } from '@jest/globals';
import { DurationSketch } from '@flatline/kinds/session';
import type { SessionStats } from '@flatline/ports/formats';
import { sparkline, WindowSums } from './window-sums.ts';

function said(
  partition: number,
  windowStart: number,
  over: Partial<SessionStats> = {},
  durations = [1_000],
): SessionStats {
  const sketch = new DurationSketch();
  for (const ms of durations) sketch.add(ms);
  const sum = durations.reduce((total, ms) => total + ms, 0);
  return {
    windowStart,
    windowEnd: windowStart + 60,
    countedFrom: windowStart,
    dimensions: new Map(),
    opened: 1,
    closed: durations.length,
    byReason: new Map([['TIMEOUT', durations.length]]),
    active: 1,
    duration: { count: durations.length, sum, min: undefined, max: undefined, sketch: sketch.encode() },
    partition,
    ...over,
  };
}

const asked = { windowMs: 60, longestMs: 600, dimensions: [], where: new Map<string, string>() };
const ofPlans = { ...asked, dimensions: ['plan'] };

describe('[S12] windows of several partitions', () => {
  test('add up, in any order, and what is active stands until it is said again', () => {
    const sums = new WindowSums(asked);
    sums.add(said(1, 240, { active: 5 }));
    sums.add(said(0, 60, { active: 2 }, [10, 30]));
    sums.add(said(1, 60, { active: 3 }, [20]));
    const shown = sums.last(10);
    expect(shown.map(({ windowStart, opened, closed, active }) => [windowStart, opened, closed, active])).toEqual([
      [60, 2, 3, 5],
      [120, 0, 0, 5],
      [180, 0, 0, 5],
      [240, 1, 1, 7],
    ]);
    expect(shown[0]!.sketch.quantile(0.5)).toBe(20);
    expect(sums.last(2).map(({ windowStart }) => windowStart)).toEqual([240]);
  });

  test('[F14] [K9] what a former version said is added up, and a sketch that is none is left out', () => {
    const sums = new WindowSums(asked);
    const { duration } = said(0, 60, {}, [10, 30]);
    const saying = (sketch: Uint8Array): boolean => sums.add(said(0, 60, { duration: { ...duration, sketch } }));
    const former = new DurationSketch();
    for (const ms of [20, 40]) former.add(ms);
    expect(saying(former.encode('whole'))).toBe(true);
    expect(saying(duration.sketch)).toBe(true);
    const full = Uint8Array.of(5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f);
    for (const none of [new Uint8Array(0), duration.sketch.subarray(0, 3), Uint8Array.of(...duration.sketch, 0), full])
      expect(saying(none)).toBe(false);
    expect(sums.last(1)).toMatchObject([{ opened: 2, closed: 2, durationSum: 80 }]);
    expect(sums.last(1)[0]!.sketch.quantile(1)).toBe(40);
    expect(sums.last(1)[0]!.sketch.count).toBe(4);
  });

  test('other lengths, and other values of a dimension, do not count', () => {
    const sums = new WindowSums({ ...ofPlans, where: new Map([['plan', 'pro']]) });
    sums.add(said(0, 60, { dimensions: new Map([['plan', 'pro']]) }));
    sums.add(said(0, 60, { dimensions: new Map([['plan', 'free']]) }));
    sums.add(said(0, 0, { windowEnd: 3_600, dimensions: new Map([['plan', 'pro']]) }));
    expect(sums.last(5)).toMatchObject([{ opened: 1 }]);
  });

  test('what is active stands, however long ago it was said: by a longer window, or by one before those that are shown', () => {
    const sums = new WindowSums(asked);
    sums.addBefore(said(0, 0, { windowEnd: 600, active: 3 }));
    sums.addBefore(said(0, 600, { windowEnd: 1_200, active: 4 }));
    sums.addBefore(said(1, 5_400, { active: 5 }));
    sums.add(said(2, 6_000, { active: 6 }));
    // Said of more than what is shown.
    sums.add(said(0, 6_000, { windowEnd: 6_600, active: 100 }));
    expect(sums.last(5)).toMatchObject([{ windowStart: 6_000, opened: 1, active: 15 }]);
  });

  test('what was said before a count began stands no more', () => {
    const sums = new WindowSums(ofPlans);
    for (const partition of [0, 1])
      sums.addBefore(said(partition, 60, { dimensions: new Map([['plan', 'pro']]), active: 7 }));
    sums.add(said(0, 6_000, { dimensions: new Map([['plan', 'free']]), countedFrom: 6_010 }));
    expect(sums.last(5)).toMatchObject([{ active: 8 }]);
  });

  test('what was said by other dimensions stands no more', () => {
    const sums = new WindowSums(ofPlans);
    sums.addBefore(said(0, 0, { windowEnd: 600, active: 3 }));
    sums.add(said(0, 6_000, { dimensions: new Map([['plan', 'pro']]) }));
    expect(sums.last(5)).toMatchObject([{ active: 1 }]);
  });

  test('a line of bars', () => {
    expect(sparkline([0, 1, 4, 8])).toBe('▁▂▅█');
    expect(sparkline([0, 0])).toBe('▁▁');
  });
});
