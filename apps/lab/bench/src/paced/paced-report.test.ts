import { describe, expect, test } from '@jest/globals';
import type { PacedTurn } from './paced-benchmark.ts';
import { pacedCharts, pacedFigures, pacedText } from './paced-report.ts';

const turn = (contender: string, sessions: number, cpuMs: number, more: Partial<PacedTurn> = {}): PacedTurn => ({
  contender,
  sessions,
  cpuMs,
  events: 1_000_000,
  elapsedMs: 10_000,
  brokerCpuMs: 500,
  rssBytes: 2e9,
  behind: 20_000,
  ...more,
});
const TURNS = [
  turn('flatline', 1e6, 2_000),
  turn('flatline', 1e6, 1_000),
  turn('flatline', 1e6, 9_000),
  turn('ks', 1e6, 5_000, { brokerCpuMs: undefined, behind: 900_000 }),
  turn('flatline', 1e7, 4_000),
  turn('ks', 1e7, 6_000),
];

describe('the report of a steady rate', () => {
  const figures = pacedFigures(TURNS, 100_000);

  test('gives CPU time per event as a median, and compares those that hold as many sessions', () => {
    expect(figures.map(({ cpuUsPerEvent, timesFirst }) => [cpuUsPerEvent.median, timesFirst])).toEqual([
      [2, 1],
      [5, 2.5],
      [4, 1],
      [6, 1.5],
    ]);
    expect(pacedText(figures)).toMatch(/^1\.00 M +flatline +100 k +2\.00 \(1\.00 – 9\.00\) +1\.00 +0\.500 +2000 MB$/m);
  });

  test('names those that fell behind, which is not the same rate, and where the broker was not seen', () => {
    expect(pacedText(figures)).toMatch(/^1\.00 M +ks +100 k +5\.00 +– +n\/a +2000 MB +9 s behind$/m);
  });

  test('draws each population by itself, without those that fell behind', () => {
    expect(pacedCharts(figures).map(({ name, bars }) => [name, bars.length])).toEqual([
      ['1000000', 1],
      ['10000000', 2],
    ]);
  });
});
