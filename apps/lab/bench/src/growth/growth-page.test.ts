import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { growthGoals, growthPage, growthRows, type GrowthTurns } from './growth-page.ts';

interface Measured {
  readonly sessions: number;
  readonly cpuNsPerBeat: number;
  readonly cpuMsPerSecond: number;
  readonly peakRssBytes: number;
  readonly firstCloseMs: number;
}

function row({ sessions, cpuNsPerBeat, cpuMsPerSecond, peakRssBytes, firstCloseMs }: Measured): GrowthTurns {
  const memory = { rssBytes: peakRssBytes, anonymousBytes: 0, fileBytes: 0 };
  const filled = {
    liveSessions: sessions,
    closed: 0,
    memory,
    peakRssBytes,
    elapsedMs: 0,
    cpuMs: 0,
    heartbeats: 0,
    restoreMs: 0,
  };
  const loopDelay = { p99Ms: 12, maxMs: 31, turnCpuMs: 20 };
  const pacedDelay = { p99Ms: 4, maxMs: 260, turnCpuMs: 9 };
  const paced = { heartbeatsPerSecond: 100_000, cpuMsPerSecond, idleCpuMsPerSecond: 10, loopDelay: pacedDelay };
  const restarts = { restoreMs: 1, firstCloseMs, restoreAfterKillMs: 1, firstCloseAfterKillMs: 9_000 };
  const turn = { cpuNsPerBeat, loopDelay, paced, ...restarts };
  return { sessions, filled, turns: [turn, turn] };
}

const FEW = row({ sessions: 100_000, cpuNsPerBeat: 300, cpuMsPerSecond: 60, peakRssBytes: 1e8, firstCloseMs: 900 });
const MANY = row({ sessions: 1e7, cpuNsPerBeat: 500, cpuMsPerSecond: 130, peakRssBytes: 2e9, firstCloseMs: 5_000 });
const MOST = row({ sessions: 15e6, cpuNsPerBeat: 700, cpuMsPerSecond: 140, peakRssBytes: 4.4e9, firstCloseMs: 20_001 });
const PAGE = growthPage({ beats: 6_000_000, warmUpBeats: 1_500_000, beatsPerSecond: 100_000, measuredMs: 45_000 });

describe('the page of growth', () => {
  test('compares with the first population and says which goals are met', () => {
    const rows = growthRows([FEW, MANY, MOST]);
    expect(rows.map(({ cpuNsPerBeat }) => Number(cpuNsPerBeat.timesFirst.toFixed(2)))).toEqual([1, 1.67, 2.33]);
    expect(growthGoals(rows).map((goal) => goal.split(': ')[1])).toEqual(['met', 'MISSED', 'MISSED', 'MISSED', 'met']);
    expect(PAGE.charts!(rows).map(({ bars }) => bars.length)).toEqual([3, 3, 3]);
  });

  test('gives the cost at the same rate with and without what the process takes while nothing comes', () => {
    const rows = growthRows([FEW, MANY]);
    expect(rows.map(({ pacedCpuNsPerBeat: { median, timesFirst } }) => [median, timesFirst])).toEqual([
      [600, 1],
      [1_300, expect.closeTo(2.17, 2)],
    ]);
    expect(rows.map(({ netCpuNsPerBeat: { median, timesFirst } }) => [median, timesFirst])).toEqual([
      [500, 1],
      [1_200, 2.4],
    ]);
    const text = pageText(PAGE, rows);
    expect(text).toContain('so many come each second, for 45 s, to');
    expect(text).toMatch(/^10\.0 M +500 +1\.67 +1300 +2\.17 +1200 +2\.40 +100 k +10\.0$/m);
  });

  test('gives the delay of the event loop, and judges the worst of it', () => {
    const text = pageText(PAGE, growthRows([FEW]));
    expect(text).toMatch(/^100 k +12 \/ 31 \/ 20 +4 \/ 260 \/ 9$/m);
    expect(text).toContain('event loop delayed at most 50 ms (p99), 250 ms ever: MISSED');
  });

  test('has nothing to say of goals for populations that were not measured', () => {
    expect(growthGoals(growthRows([FEW]))).toEqual([]);
  });
});
