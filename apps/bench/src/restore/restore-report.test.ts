import { describe, expect, test } from '@jest/globals';
import { restoreCharts, restoreFigures, restoreGoals, restoreText } from './restore-report.ts';

const cost = (entries: number, restoreMs: number) => ({ entries, restoreMs, untilRunningMs: 5_000, cpuMs: 1_000 });
const figures = [
  restoreFigures({
    contender: 'flatline',
    from: 'changelog',
    costs: [cost(1_000, 500), cost(1_000, 250), cost(1_000, 2_000)],
  }),
  restoreFigures({ contender: 'ks-rocksdb', from: 'local store', costs: [cost(0, 0)] }),
];

describe('the report of restoring', () => {
  test('gives rates as medians, and none where nothing was read', () => {
    expect(figures[0]).toMatchObject({
      entriesPerSecond: { median: 2_000, min: 500, max: 4_000 },
      entriesPerCpuSecond: { median: 1_000 },
    });
    expect(figures[1]!.entriesPerSecond).toBeUndefined();
    expect(restoreText(figures)).toMatch(/^ks-rocksdb +local store +0\.00 +– +– +5000/m);
  });

  test('says which goals are met', () => {
    expect(restoreGoals(figures)).toEqual([]);
    const row = (contender: string, from: 'local store' | 'changelog', entries: number, untilRunningMs: number) =>
      restoreFigures({ contender, from, costs: [{ entries, restoreMs: 1_000, untilRunningMs, cpuMs: 500 }] });
    const own = [row('flatline', 'local store', 500_000, 4_000), row('flatline', 'changelog', 400_000, 4_000)];
    const peers = [row('ks-rocksdb', 'local store', 0, 39_000), row('ks-rocksdb', 'changelog', 100_000, 45_000)];
    expect(restoreGoals([...own, ...peers]).map((goal) => goal.replace(/.*: (.*) \(.*: (\w+)\)/, '$1 $2'))).toEqual([
      ...['1.00 M met', '4.00 met', '4.00 MISSED', '9.75 MISSED'],
    ]);
  });

  test('draws what was measured', () => {
    const [rate, running] = restoreCharts(figures);
    expect([rate!.bars.length, running!.bars.length]).toEqual([1, 2]);
  });
});
