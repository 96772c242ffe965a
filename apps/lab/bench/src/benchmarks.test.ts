import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { BENCHMARKS } from './benchmarks.ts';

const DOCS = new URL('../../../../docs/', import.meta.url);
const published = readdirSync(new URL('benchmarks/', DOCS));
const names = BENCHMARKS.map(({ name }) => name);

describe('a benchmark is published, or not kept', () => {
  test.each(names)('%s has a page with its command and a chart, its figures, and a line in the index', (name) => {
    const page = readFileSync(new URL(`benchmarks/${name}.md`, DOCS), 'utf8');
    const [, chart] = /!\[[^\]]+\]\(([\w-]+\.svg)\)/.exec(page)!;
    expect(published).toContain(chart);
    const report = JSON.parse(readFileSync(new URL(`benchmarks/${name}.json`, DOCS), 'utf8')) as { command: string };
    expect(report.command).toMatch(new RegExp(`^flatline bench ${name}\\b`));
    expect(page).toContain(report.command);
    expect(readFileSync(new URL('PERFORMANCE.md', DOCS), 'utf8')).toContain(`[${name}](benchmarks/${name}.md)`);
  });

  test('and nothing is published of those that are gone', () => {
    const own = (file: string): boolean =>
      file === 'flame.svg' || names.some((name) => new RegExp(`^${name}[.-]`).test(file));
    expect(published.filter((file) => !own(file))).toEqual([]);
  });
});
