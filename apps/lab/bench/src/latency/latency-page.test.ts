import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { LATENCY_PAGE, latencyRows, type LatencyTurn } from './latency-page.ts';

function turn(contender: string, load: LatencyTurn['load'], p99Ms: number, missing = 0): LatencyTurn {
  const times = { p50Ms: Number.isNaN(p99Ms) ? NaN : 10, p99Ms, maxMs: p99Ms };
  const closes = Number.isNaN(p99Ms) ? 0 : 100;
  const brokerMsPerSecond = contender === 'flatline' ? 20 : undefined;
  return {
    contender,
    load,
    eventsPerSecond: 1_000,
    closes,
    missing,
    ...times,
    loopDelay: undefined,
    brokerMsPerSecond,
  };
}

const MEASURED = latencyRows([
  turn('flatline', 'idle', 100),
  turn('flatline', 'busy', 201),
  turn('ks-fast', 'idle', 399),
  turn('ks-fast', 'busy', 50, 900),
  turn('ks-slow', 'idle', 1_000),
  turn('ks-slow', 'busy', 1_000),
  turn('ks-never', 'busy', NaN, 100),
]);

describe('the page of lateness', () => {
  test('compares with the best peer that closed most of what ended, and with the commits', () => {
    const text = pageText(LATENCY_PAGE, MEASURED);
    expect(text).toContain("flatline, idle: p99 0.25 of ks-fast's (at most 0.25: MISSED)");
    expect(text).toContain("flatline, busy: p99 0.20 of ks-slow's (at most 0.25: met), at most 200 ms: MISSED");
    expect(text).toMatch(/^ks-never +busy +1000 +0 +100 +– +– +– +n\/a +–$/m);
    expect(pageText(LATENCY_PAGE, MEASURED.slice(0, 1))).toContain('without a peer to compare with');
  });

  test('shows what comes of sessions that end all the time on a machine without rest, and promises nothing of it', () => {
    const figures = latencyRows([turn('flatline', 'ending', 300), turn('ks-fast', 'ending', 600)]);
    const text = pageText(LATENCY_PAGE, figures);
    expect(text).toMatch(/^flatline +ending +1000 +100 +0 +10\.0 +300 +300/m);
    expect(text).not.toContain('at most');
    expect(LATENCY_PAGE.charts!(figures)[2]).toMatchObject({ name: 'ending', bars: [{ ours: true }, { ours: false }] });
  });

  test('gives medians of turns, and the worst of what has no median', () => {
    const [busy] = latencyRows([turn('a', 'busy', 100), turn('a', 'busy', 900, 5), turn('a', 'busy', 120)]);
    expect(busy).toMatchObject({ closes: 300, missing: 5, maxMs: 900, p99Ms: { median: 120, min: 100, max: 900 } });
  });

  test('a turn in which nothing was closed is the latest of all, not none', () => {
    const [busy] = latencyRows([turn('a', 'busy', 100), turn('a', 'busy', NaN), turn('a', 'busy', NaN)]);
    expect(busy).toMatchObject({ p50Ms: { median: Infinity }, p99Ms: { median: Infinity, min: 100 } });
    expect(LATENCY_PAGE.charts!([busy!])[1]!.bars).toEqual([]);
    const [once] = latencyRows([turn('a', 'busy', 100), turn('a', 'busy', 200), turn('a', 'busy', NaN)]);
    expect(pageText(LATENCY_PAGE, [once!])).toContain('200 (100 – never)');
  });

  test('draws those that closed something', () => {
    const [idle, busy] = LATENCY_PAGE.charts!(MEASURED);
    expect([idle!.bars.length, busy!.bars.length]).toEqual([3, 3]);
    expect(idle!.bars.map(({ ours }) => ours)).toEqual([true, false, false]);
  });
});
