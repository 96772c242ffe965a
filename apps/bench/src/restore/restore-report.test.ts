import { describe, expect, test } from '@jest/globals';
import { restoreCharts, restoreFigures, restoreText } from './restore-report.ts';

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

  test('draws what was measured', () => {
    const [rate, running] = restoreCharts(figures);
    expect([rate!.bars.length, running!.bars.length]).toEqual([1, 2]);
  });
});
