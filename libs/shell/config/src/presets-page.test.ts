// docs/PRESETS.md says what each preset comes to, and so does the page of each.
import { millisecondsIn } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { minimal, problems, resolve, untimed } from './resolving.fixture.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const page = readFileSync(new URL('PRESETS.md', docs), 'utf8');
const rows = [...page.matchAll(/^\| \[`(\w+)`\]\(presets\/\1\.md\) +\|(.*?)\|/gm)].map(
  ([, preset = '', cell = '']) => ({
    preset,
    settings: Object.fromEntries(
      [...cell.matchAll(/`(\w+)` (\w+)/g)].map(([, setting = '', value = '']) => [setting, millisecondsIn(value)]),
    ),
  }),
);

test('the page has every preset, and no other', () => {
  const names = rows.map(({ preset }) => `"${preset}"`).join('|');
  expect(problems({ ...minimal, pipelines: [{ ...untimed, preset: '' }] })).toEqual([
    `pipelines[0].preset [""] expected one of ${names}`,
  ]);
});

test.each(rows)('$preset is what both pages say', ({ preset, settings }) => {
  const [, own = ''] = /```json\n([^]*?)```/.exec(readFileSync(new URL(`presets/${preset}.md`, docs), 'utf8'))!;
  const rulesOf = (section: object): unknown =>
    resolve({ ...minimal, pipelines: [{ ...untimed, ...section }] }).pipelines[0]!.rules;
  expect(rulesOf({ preset })).toEqual(rulesOf(settings));
  expect(rulesOf({ preset })).toEqual(rulesOf(JSON.parse(own) as object));
});

test('its first configuration is one', () => {
  const [, text = ''] = /```json\n([^]*?)```/.exec(page)!;
  expect(resolve(JSON.parse(text)).pipelines[0]!.rules).toMatchObject({
    timeoutMs: 1_800_000,
    maxDurationMs: 86_400_000,
  });
});
