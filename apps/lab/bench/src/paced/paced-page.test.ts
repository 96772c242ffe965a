import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { pacedPage, pacedRows, type PacedTurn } from './paced-page.ts';

const turn = (contender: string, sessions: number, cpuMs: number, more: Partial<PacedTurn> = {}): PacedTurn => ({
  contender,
  sessions,
  cpuMs,
  events: 1_000_000,
  elapsedMs: 10_000,
  brokerCpuMs: 500,
  brokerCompilingMs: 125,
  rssBytes: 2e9,
  behind: 20_000,
  ...more,
});
const PAGE = pacedPage({ warmUpMs: 7_000, measuredMs: 45_000 });
const TURNS = [
  turn('flatline', 1e6, 2_000),
  turn('flatline', 1e6, 1_000),
  turn('flatline', 1e6, 9_000),
  turn('ks', 1e6, 5_000, { brokerCpuMs: undefined, brokerCompilingMs: undefined, behind: 900_000 }),
  turn('flatline', 1e7, 4_000),
  turn('ks', 1e7, 6_000),
];

describe('the page of a steady rate', () => {
  const rows = pacedRows(TURNS, 100_000);
  const text = pageText(PAGE, rows);

  test('gives CPU time per event as a median, and compares those that hold as many sessions', () => {
    expect(rows.map(({ cpuUsPerEvent, timesFirst }) => [cpuUsPerEvent.median, timesFirst])).toEqual([
      [2, 1],
      [5, 2.5],
      [4, 1],
      [6, 1.5],
    ]);
    expect(text).toMatch(/^1\.00 M +flatline +100 k +2\.00 \(1\.00 – 9\.00\) +1\.00 +0\.500 +0\.125 +2000 MB$/m);
  });

  test('says for how long it was measured', () => {
    expect(text).toContain('over 45 s, after 7 s of the same to warm up');
  });

  test('names those that fell behind, which is not the same rate, and where the broker was not seen', () => {
    expect(text).toMatch(/^1\.00 M +ks +100 k +5\.00 +– +n\/a +– +2000 MB +9 s behind$/m);
  });

  test('draws each population by itself, without those that fell behind', () => {
    expect(PAGE.charts!(rows).map(({ name, bars }) => [name, bars.length])).toEqual([
      ['1000000', 1],
      ['10000000', 2],
    ]);
  });
});
