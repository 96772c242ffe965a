import { describe, expect, test } from '@jest/globals';
import { type Measured, reportPages } from './report-pages.ts';

const yardstick = { computeMs: 900, sortMs: 800, accessMs: 1_400, elapsedMs: 3_200 };
const measured: Measured = {
  benchmark: 'wheel',
  description: 'the wheel',
  command: 'flatline bench storm',
  day: '2026-01-31',
  machine: { processor: 'none', processors: 2, system: 'linux', node: 'v24', commit: 'a1b2c3d', isDirty: false },
  before: { load: { loadAverage: 0.1, busyShare: 0.034 }, yardstick },
  after: { load: { loadAverage: 3, busyShare: 0.5 }, yardstick: { ...yardstick, computeMs: 1_900 } },
  report: { figures: { rows: [1] }, text: 'a  b' },
};
const pageOf = (changed: Partial<Measured>): string => reportPages({ ...measured, ...changed })[0]!.content;

describe('a report', () => {
  test('is a page with its charts, text, command and machine, and every figure beside it', () => {
    const bars = [{ label: 'flatline', median: 2, min: 1, max: 3 }];
    const charts = [{ name: 'rearm', title: 're-arm, ns', bars }];
    const pages = reportPages({ ...measured, report: { ...measured.report, charts } });
    expect(pages.map(({ file }) => file)).toEqual(['wheel.md', 'wheel.json', 'wheel-rearm.svg']);
    const [page, figures] = pages;
    for (const part of [
      'The wheel.',
      '`flatline bench storm`',
      '2 × none, linux, Node v24, Flatline a1b2c3d.',
      '2026-01-31',
      'Other things kept 3 % of its processors busy before the run, 50 % after it (load averages 0.1, 3.0).',
      '3.10 s of CPU (compute 0.90, sort 0.80, access 1.40), 3.20 s by the wall clock before the run, 4.10 s of CPU',
      '![re-arm, ns](wheel-rearm.svg)',
    ])
      expect(page!.content).toContain(part);
    expect(page!.content).toContain('```text\na  b\n```');
    expect(JSON.parse(figures!.content)).toMatchObject({ benchmark: 'wheel', day: '2026-01-31', rows: [1] });
  });

  test('says why it is not to be quoted', () => {
    const after = { ...measured.after, load: measured.before.load };
    const of = (repeats: number): string => pageOf({ after, report: { ...measured.report, repeats } });
    expect(of(3)).toContain('Medians of 3 turns.');
    expect(of(3)).not.toContain('Not to be quoted');
    expect(of(1)).toContain('**Not to be quoted: one turn, where a median of at least 3 is asked.**');
    expect(pageOf({})).toContain('**Not to be quoted: the machine was busy with other things.**');
    const dirty = pageOf({ after, machine: { ...measured.machine, isDirty: true } });
    expect(dirty).toContain('Flatline a1b2c3d (dirty).');
    expect(dirty).toContain('**Not to be quoted: files had been changed since the commit.**');
  });
});
