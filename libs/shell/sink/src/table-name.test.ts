import { expect, test } from '@jest/globals';
import { Misconfigured } from '@flatline/base';
import { tableNameIn, written } from './table-name.ts';

test('a table is written with its schema, quoted, so that reserved words are names', () => {
  expect(written(tableNameIn('user', '--table'))).toBe('"public"."user"');
  expect(written(tableNameIn('reports.visits', '--table'), '_positions')).toBe('"reports"."visits_positions"');
});

test.each([
  '',
  'Visits',
  '1visits',
  'a.b.c',
  'visits"; DROP TABLE visits; --',
  `a${'b'.repeat(45)}`,
  'vi sits',
  '.visits',
])('what is no plain name is refused, with where it was given, what it is and what to give: %j', (name) => {
  expect(() => tableNameIn(name, '--table')).toThrow(Misconfigured);
  expect(() => tableNameIn(name, '--table')).toThrow(
    `--table ${JSON.stringify(name)} is no name of a table: give up to`,
  );
});
