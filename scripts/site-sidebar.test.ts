// The side of the site against the pages that there are.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sidebar } from './site/sidebar.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const spec = readFileSync(new URL('../docs/SPEC.md', import.meta.url), 'utf8');

function placesIn(text: string): readonly string[] {
  return sidebar(text).flatMap(({ pages }) => pages.map(([, source]) => source));
}

test('each page of docs has one place there', () => {
  const places = placesIn(spec);
  const pages = globSync('docs/*.md', { cwd: root });
  expect(pages.filter((page) => !places.includes(page))).toEqual([]);
  expect(new Set(places).size).toBe(places.length);
});

test('the guide of a kind that no line names is among the kinds, under the heading of its rules', () => {
  const more = `${spec}\n## U — Quotas\n\nGuide: [QUOTAS](QUOTAS.md).\n\n- **U1** Once.\n`;
  const kinds = sidebar(more).find(({ title }) => title === 'Kinds');
  expect(kinds?.pages.at(-1)).toEqual(['Quotas', 'docs/QUOTAS.md']);
  expect(placesIn(more).filter((page) => page !== 'docs/QUOTAS.md')).toEqual(placesIn(spec));
});
