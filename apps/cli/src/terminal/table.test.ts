import { describe, expect, test } from '@jest/globals';
import { tableOf, type TableColumn } from './table.ts';

type Row = readonly [key: string, token: string, seen: string, value: string];

const columns: readonly TableColumn<Row>[] = [
  { name: 'key', width: 10, least: 4, text: ([key]) => key },
  { name: 'token', width: 6, text: ([, token]) => token },
  { name: 'seen', width: 8, spare: 1, text: ([, , seen]) => seen },
  { name: 'value', width: 20, least: 5, text: ([, , , value]) => value },
];
const row: Row = ['a-long-key-of-16', '123456', '12:00:00', 'a value of some 31 characters…'];

describe('a table', () => {
  test.each([
    [60, '10', ['key         token   seen      value', 'a-long-ke…  123456  12:00:00  a value of some 31 …']],
    [40, '10', ['key         token   seen      value', 'a-long-ke…  123456  12:00:00  a value o…']],
    [30, 'less', ['key    token   seen      value', 'a-lo…  123456  12:00:00  a va…']],
    [22, 'one column less', ['key      token   value', 'a-long…  123456  a va…']],
  ])('fits a terminal of %d columns: %s', (width, _, [heading, line]) => {
    const table = tableOf(columns, width);
    expect([table.heading, table.line(row)]).toEqual([heading, line]);
    expect(table.line(row).length).toBeLessThanOrEqual(width);
  });

  test('cuts nothing in a pipe', () => {
    expect(tableOf(columns, Infinity).line(row)).toBe(row.join('  '));
  });

  test('a row ends with its last cell that says something, colored or not', () => {
    const painted = columns.map((column) => ({ ...column, paint: (cell: string) => `<${cell}>` }));
    expect(tableOf(painted, 80).line(['a', '1', '', ''])).toBe('<a         >  <1     >');
  });
});
