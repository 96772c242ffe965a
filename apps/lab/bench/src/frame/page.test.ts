import { describe, expect, test } from '@jest/globals';
import { chart, combine, type Page, pageText, type Row, rowsOf } from './page.ts';

interface Turn {
  readonly contender: string;
  readonly ms: number;
  readonly brokerMs: number | undefined;
}

const { spreads, knowns, sums } = combine<Turn>();
const SPREADS = { ...spreads('ms'), ...knowns('brokerMs') };
const turn = (contender: string, ms: number, brokerMs?: number): Turn => ({ contender, ms, brokerMs });
const TURNS = [turn('a', 3, 1), turn('b', 9), turn('a', 1, 1), turn('a', 2, 1), turn('b', 7, 5)];

describe('rows', () => {
  test('are one for all turns that are alike, in the order in which they came', () => {
    const rows = rowsOf(TURNS, ['contender'], SPREADS);
    expect(rows.map(({ contender, ms }) => [contender, ms])).toEqual([
      ['a', { median: 2, min: 1, max: 3 }],
      ['b', { median: 8, min: 7, max: 9 }],
    ]);
    expect(rowsOf(TURNS, ['contender'], sums('ms')).map(({ ms }) => ms)).toEqual([6, 16]);
  });

  test('know what all of their turns know', () => {
    expect(rowsOf(TURNS, ['contender'], SPREADS).map(({ brokerMs }) => brokerMs?.median)).toEqual([1, undefined]);
  });
});

describe('a page', () => {
  const rows = rowsOf(TURNS, ['contender'], SPREADS);
  const page: Page<Row<Turn, 'contender', typeof SPREADS>> = {
    columns: [
      ['contender', ({ contender }) => contender],
      ['ms', ({ ms }) => String(ms.median)],
    ],
    note: 'ms: medians',
  };

  test('is its tables, each with its title and note, and its verdicts', () => {
    expect(pageText(page, rows)).toBe('contender  ms\na           2\nb           8\n\nms: medians');
    const more = [{ title: 'again', columns: page.columns }];
    expect(pageText({ ...page, more, verdicts: () => ['met'] }, rows)).toMatch(
      /medians\n\nagain\ncontender[^]*8\nmet$/,
    );
  });

  test('draws no bar of what is not known', () => {
    const drawn = {
      name: 'broker',
      title: 'broker ms',
      label: () => 'x',
      bar: (row: (typeof rows)[number]) => row.brokerMs,
    };
    expect(chart(rows, drawn).bars).toEqual([{ label: 'x', median: 1, min: 1, max: 1 }]);
    expect(chart(rows, { ...drawn, isOurs: () => true }).bars[0]).toMatchObject({ ours: true });
  });
});
