import { describe, expect, test } from '@jest/globals';
import { quotedFigures } from './quoted-figures.ts';
import { workspaceWith } from './workspace.fixture.ts';

const REPORT = {
  figures: [
    { contender: 'flatline', load: 'idle', p50Ms: { median: 20.4, min: 19, max: 22 }, cpuNsPerBeat: 465.2 },
    { contender: 'flatline', load: 'a clean stop', perSecond: { median: 3_989_139 }, rssBytes: 2_358_435_840 },
  ],
  times: 19.547,
};
const found = (text: string, page = 'docs/LEASES.md'): string[] =>
  quotedFigures(workspaceWith({ 'docs/benchmarks/x.json': JSON.stringify(REPORT), [page]: text })).map(
    ({ at, message }) => `${at} ${message}`,
  );
const quoted = (figure: string, place: string): string => `It takes [${figure}](benchmarks/x.json#${place}).`;
const IDLE = '/figures/contender=flatline,load=idle';
const STOP = '/figures/load=a%20clean%20stop';

describe('a figure in prose', () => {
  test.each([
    ['20 ms', `${IDLE}/p50Ms`],
    ['20.4', `${IDLE}/p50Ms`],
    ['0.02 s', `${IDLE}/p50Ms`],
    ['19 ms', `${IDLE}/p50Ms/min`],
    ['0.47 µs', `${IDLE}/cpuNsPerBeat`],
    ['465 ns', `${IDLE}/cpuNsPerBeat`],
    ['3.99 M', `${STOP}/perSecond`],
    ['2.36 GB', `${STOP}/rssBytes`],
    ['19.5 ×', '/times'],
  ])('may be %s of %s', (figure, place) => {
    expect(found(quoted(figure, place))).toEqual([]);
  });

  test.each([
    ['21 ms', `${IDLE}/p50Ms`, 'says 21 ms, and docs/benchmarks/x.json 20.4'],
    ['20 s', `${IDLE}/p50Ms`, 'says 20 s'],
    ['20.0 ms', `${IDLE}/p50Ms`, 'says 20.0 ms'],
    ['3.98 M', `${STOP}/perSecond`, 'says 3.98 M'],
    ['20 ms', '/figures/load=busy/p50Ms', 'where there is no figure'],
    ['20 ms', IDLE, 'where there is no figure'],
    ['fast', '/times', 'as fast: write a number'],
  ])('may not be %s of %s', (figure, place, message) => {
    expect(found(quoted(figure, place))).toEqual([expect.stringContaining(`docs/LEASES.md:1`)]);
    expect(found(quoted(figure, place))[0]).toContain(message);
  });

  test('is nowhere about right, but in the model of capacity and in decisions', () => {
    const text = 'It takes some 20 ms, as `x 4 ms`, at most 5 s; about 3 partitions.';
    expect(found(text)).toEqual([expect.stringMatching(/^docs\/LEASES\.md:1 says some 20 ms, which no test compares/)]);
    expect(found(text, 'docs/CAPACITY.md')).toEqual([]);
    expect(found(text, 'docs/adr/0001-a.md')).toEqual([]);
  });

  test('stands where costs are told only as a link', () => {
    const text =
      '# Leases\n\nThey last 20 s.\n\n## What it costs\n\nIt takes 3 µs, `x 4 ms`.\n\n## Limits\n\nUp to 5 MB.';
    expect(found(text)).toEqual([expect.stringMatching(/^docs\/LEASES\.md:7 says 3 µs, which no test compares/)]);
    expect(found('It takes 7 × as many, of 2 partitions.', 'docs/PERFORMANCE.md')).toHaveLength(1);
    expect(found('It takes half of the CPU (target, missed: a third).', 'docs/PERFORMANCE.md')).toHaveLength(1);
    expect(found('```text\n3 ms\n```', 'docs/PERFORMANCE.md')).toEqual([]);
  });
});
