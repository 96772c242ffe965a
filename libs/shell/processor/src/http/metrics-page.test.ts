import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { metricRows, metricTable } from './metric-rows.ts';

const page = readFileSync(new URL('../../../../../docs/METRICS.md', import.meta.url), 'utf8');
const cellsOf = (table: string): string[][] =>
  [...table.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));

test('docs/METRICS.md has the metrics there are: npm run metrics-page', () => {
  const [, table = ''] = /<!-- metrics -->([^]*)<!-- end -->/.exec(page) ?? [];
  expect(cellsOf(table).slice(2)).toEqual(cellsOf(metricTable()).slice(2));
});

test('[X5][I3] every metric says what it is, and its labels are of these, whose values are of bounded number', () => {
  const labels = new Set(
    metricRows()
      .filter(({ name }) => name.startsWith('flatline_'))
      .flatMap((row) => row.labels),
  );
  const ofPlace = ['pipeline', 'partition', 'topic', 'endpoint', 'worker'];
  const ofChoice = ['application', 'leg', 'node', 'reason', 'state', 'version', 'window'];
  expect([...labels].toSorted()).toEqual([...ofPlace, ...ofChoice].toSorted());
  expect(metricRows().filter(({ help }) => help.length < 10)).toEqual([]);
});
