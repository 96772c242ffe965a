import { describe, expect, test } from '@jest/globals';
import { latencyCharts, latencyText } from './latency-report.ts';
import type { LatencyFigures } from './latency-scenario.ts';

function figures(contender: string, load: LatencyFigures['load'], p99Ms: number, missing = 0): LatencyFigures {
  const times = { p50Ms: 10, p99Ms, maxMs: p99Ms };
  const closes = Number.isNaN(p99Ms) ? 0 : 100;
  return { contender, load, eventsPerSecond: 1_000, closes, missing, ...times, loopDelay: undefined };
}

const MEASURED = [
  figures('flatline', 'idle', 100),
  figures('flatline', 'busy', 201),
  figures('ks-fast', 'idle', 399),
  figures('ks-fast', 'busy', 50, 900),
  figures('ks-slow', 'idle', 1_000),
  figures('ks-slow', 'busy', 1_000),
  figures('ks-never', 'busy', NaN, 100),
];

describe('the report of lateness', () => {
  test('compares with the best peer that closed most of what ended, and with the commits', () => {
    const text = latencyText(MEASURED);
    expect(text).toContain("flatline, idle: p99 0.25 of ks-fast's (at most 0.25: MISSED)");
    expect(text).toContain("flatline, busy: p99 0.20 of ks-slow's (at most 0.25: met), at most 200 ms: MISSED");
    expect(text).toMatch(/^ks-never +busy +1000 +0 +100 +– +– +– +–$/m);
    expect(latencyText(MEASURED.slice(0, 1))).toContain('without a peer to compare with');
  });

  test('draws those that closed something', () => {
    const [idle, busy] = latencyCharts(MEASURED);
    expect([idle!.bars.length, busy!.bars.length]).toEqual([3, 3]);
    expect(idle!.bars.map(({ ours }) => ours)).toEqual([true, false, false]);
  });
});
