// docs/CONFIGURATION.md has the settings of each kind as its form has them: `npm run configuration-page` writes them.
import { KIND_NAMES } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { settingRows } from './setting-rows.ts';

const page = readFileSync(new URL('../../../../docs/CONFIGURATION.md', import.meta.url), 'utf8');

function documented(kind: string): string[][] {
  const [, table] = page.split(`<!-- settings: ${kind} -->`);
  if (table === undefined) throw new Error(`docs/CONFIGURATION.md has no "<!-- settings: ${kind} -->"`);
  const rows = table.split('<!-- end -->')[0]!.matchAll(/^\| `pipelines\[\]\.(\w+)` +\|(.*?)\|(.*?)\|(.*)\|$/gm);
  return [...rows].map(([, ...cells]) => cells.map((cell) => cell.trim()));
}

test.each(KIND_NAMES)('the page has the settings of the kind %s, each with default, bounds and meaning', (kind) => {
  const rows = settingRows(kind).map((row) => [row.setting, row.default, row.allowed, row.meaning]);
  expect(documented(kind)).toEqual(rows);
});

test('a setting that two kinds have is told of once', () => {
  const settings = KIND_NAMES.flatMap((kind) => settingRows(kind).map(({ setting }) => setting));
  expect(settings).toEqual([...new Set(settings)]);
  expect(settings).toContain('timeoutMs');
});
