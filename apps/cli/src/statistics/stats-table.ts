// A window of statistics as a line: for a person, or as JSON. Pure.
import { count } from '@flatline/base';
import { duration } from '../terminal/progress.ts';
import { type Table, tableOf } from '../terminal/table.ts';
import type { WindowSum } from './window-sums.ts';

const TIME = 'YYYY-MM-DD hh:mm:ss'.length;

export function statsTable(width: number): Table<WindowSum> {
  const number = (name: string, of: (window: WindowSum) => number) => ({
    name: (own: number) => name.padStart(own),
    width: 9,
    text: (window: WindowSum, own: number) => count(of(window)).padStart(own),
  });
  const quantile = (name: string, q: number, spare: number) => ({
    name: (own: number) => name.padStart(own),
    width: 12,
    spare,
    text: ({ sketch }: WindowSum, own: number) => {
      const ms = sketch.quantile(q);
      return (ms === undefined ? '' : duration(ms)).padStart(own);
    },
  });
  return tableOf<WindowSum>(
    [
      { name: 'from (UTC)', width: TIME, text: ({ windowStart }) => timeOf(windowStart) },
      number('opened', ({ opened }) => opened),
      number('closed', ({ closed }) => closed),
      number('active', ({ active }) => active),
      quantile('p50', 0.5, 3),
      quantile('p90', 0.9, 1),
      quantile('p99', 0.99, 2),
    ],
    width,
  );
}

export function statsValue(window: WindowSum): object {
  const { windowStart, windowEnd, opened, closed, active, byReason, durationSum, sketch } = window;
  const quantileOf = (q: number): number | null => sketch.quantile(q) ?? null;
  return {
    kind: 'window',
    windowStart,
    windowEnd,
    opened,
    closed,
    byReason: Object.fromEntries(byReason),
    active,
    duration: {
      count: sketch.count,
      sum: durationSum,
      p50: quantileOf(0.5),
      p90: quantileOf(0.9),
      p99: quantileOf(0.99),
      sketch: Buffer.from(sketch.encode()).toString('base64'),
    },
  };
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, TIME).replace('T', ' ');
}
