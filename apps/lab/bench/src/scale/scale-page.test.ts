import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { SCALE_PAGE, scaleRows } from './scale-page.ts';

const cost = (instances: number, cpuMs: number) => ({
  instances,
  events: 1_000_000,
  elapsedMs: 500,
  cpuMs,
  loopDelay: { p99Ms: 1, maxMs: 2, turnCpuMs: 1 },
});

test('the loss is of the median of what one instance gets done in a CPU second', () => {
  const rows = scaleRows([cost(1, 500), cost(2, 1_000), cost(1, 400), cost(2, 500), cost(1, 800), cost(2, 625)]);
  expect(rows.map(({ instances, loss }) => [instances, loss])).toEqual([
    [1, 0],
    [2, expect.closeTo(0.2)],
  ]);
  const text = pageText(SCALE_PAGE, rows);
  expect(text).toMatch(/^2 +2\.00 M +1\.60 M +\(1\.00 M – 2\.00 M\) +20 % +1 \/ 2 \/ 1$/m);
  expect(text).toContain('loss: at most 15 %: MISSED');
  expect(SCALE_PAGE.charts!(rows)[0]!.bars.map(({ label }) => label)).toEqual(['1 instance', '2 instances']);
});
