import { describe, expect, test } from '@jest/globals';
import type { GrowthRow } from './growth-benchmark.ts';
import { growthCharts, growthFigures, growthGoals } from './growth-report.ts';

function row(sessions: number, cpuNsPerBeat: number, peakRssBytes: number, firstCloseMs: number): GrowthRow {
  const memory = { rssBytes: peakRssBytes, anonymousBytes: 0, fileBytes: 0 };
  const filled = { liveSessions: sessions, closed: 0, memory, peakRssBytes, elapsedMs: 0, cpuMs: 0, restoreMs: 0 };
  const turn = { cpuNsPerBeat, restoreMs: 1, firstCloseMs, restoreAfterKillMs: 1, firstCloseAfterKillMs: 9_000 };
  return { sessions, filled, turns: [turn, turn] };
}

describe('the report of growth', () => {
  test('compares with the first population and says which goals are met', () => {
    const rows = [row(100_000, 300, 1e8, 900), row(10_000_000, 500, 2e9, 5_000), row(15_000_000, 700, 4.4e9, 20_001)];
    const figures = growthFigures(rows);
    expect(figures.map(({ timesFirst }) => Number(timesFirst.toFixed(2)))).toEqual([1, 1.67, 2.33]);
    expect(growthGoals(figures).map((goal) => goal.split(': ')[1])).toEqual(['met', 'MISSED', 'MISSED', 'met']);
    expect(growthCharts(figures).map(({ bars }) => bars.length)).toEqual([3, 3]);
  });

  test('has nothing to say of goals for populations that were not measured', () => {
    expect(growthGoals(growthFigures([row(100_000, 300, 1e8, 900)]))).toEqual([]);
  });
});
