import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { RESTORE_PAGE, restoreGoals, restoreRows } from './restore-page.ts';

const cost = (entries: number, restoreMs: number) => ({
  entries,
  restoreMs,
  untilRunningMs: 5_000,
  loadingMs: 800,
  cpuMs: 1_400,
  workCpuMs: 1_000,
  brokerCpuMs: 300,
  brokerCompilingMs: 100,
});
const rows = restoreRows([
  {
    contender: 'flatline',
    after: 'loss of its disk',
    turns: [cost(1_000, 500), cost(1_000, 250), cost(1_000, 2_000)],
  },
  {
    contender: 'ks-rocksdb',
    after: 'clean stop',
    turns: [{ ...cost(0, 0), brokerCpuMs: undefined, brokerCompilingMs: undefined }],
  },
]);

describe('the page of restoring', () => {
  test('gives rates as medians, after loading, and none where nothing was read', () => {
    expect(rows[0]).toMatchObject({
      entriesPerSecond: { median: 2_000, min: 500, max: 4_000 },
      entriesPerCpuSecond: { median: 1_000 },
    });
    expect(rows[1]!.entriesPerSecond).toBeUndefined();
    expect(pageText(RESTORE_PAGE, rows)).toMatch(/^ks-rocksdb +clean stop +0\.00 +– +– +5\.0 +0\.8 +1\.4 +n\/a +–/m);
    expect(pageText(RESTORE_PAGE, rows)).toMatch(/^flatline .* 5\.0 +0\.8 +1\.4 +0\.3 +0\.1 /m);
  });

  test('says which goals are met', () => {
    expect(restoreGoals(rows)).toEqual([]);
    const row = (
      contender: string,
      after: 'clean stop' | 'loss of its disk',
      entries: number,
      untilRunningMs: number,
    ) => ({
      contender,
      after,
      turns: [{ ...cost(entries, 1_000), untilRunningMs, workCpuMs: 500 }],
    });
    const own = [row('flatline', 'clean stop', 500_000, 4_000), row('flatline', 'loss of its disk', 400_000, 4_000)];
    const peers = [row('ks-rocksdb', 'clean stop', 0, 39_000), row('ks-rocksdb', 'loss of its disk', 100_000, 45_000)];
    expect(
      restoreGoals(restoreRows([...own, ...peers])).map((goal) => goal.replace(/.*: (.*) \(.*: (\w+)\)/, '$1 $2')),
    ).toEqual(['1.00 M met', '4.00 met', '4.00 MISSED', '9.75 MISSED']);
  });

  test('names the contender that runs again first after each end', () => {
    const row = (contender: string, untilRunningMs: number) => ({
      contender,
      after: 'kill −9' as const,
      turns: [{ ...cost(1_000, 500), untilRunningMs }],
    });
    const killed = restoreRows([row('flatline', 10_400), row('ks-rocksdb static', 2_000)]);
    expect(pageText(RESTORE_PAGE, killed)).toContain('after kill −9: ks-rocksdb static first, 2.0 s; flatline 10.4 s');
  });

  test('draws what was measured', () => {
    const [rate, running] = RESTORE_PAGE.charts!(rows);
    expect([rate!.bars.length, running!.bars.length]).toEqual([1, 2]);
  });
});
