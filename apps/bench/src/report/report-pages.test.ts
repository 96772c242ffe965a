import { expect, test } from '@jest/globals';
import { reportPages } from './report-pages.ts';

test('a report is a page with its charts, text, command and machine, and every figure beside it', () => {
  const bars = [{ label: 'flatline', median: 2, min: 1, max: 3 }];
  const pages = reportPages({
    ...{ benchmark: 'wheel', description: 'the wheel', command: 'flatline bench wheel' },
    ...{ surroundings: '2 × none', day: '2026-01-31' },
    before: { loadAverage: 0.1, busyShare: 0.034 },
    after: { loadAverage: 3, busyShare: 0.5 },
    report: { figures: { rows: [1] }, text: 'a  b', charts: [{ name: 'rearm', title: 're-arm, ns', bars }] },
  });
  expect(pages.map(({ file }) => file)).toEqual(['wheel.md', 'wheel.json', 'wheel-rearm.svg']);
  const [page, figures] = pages;
  for (const part of [
    'The wheel.',
    '`flatline bench wheel`',
    '2 × none',
    '2026-01-31',
    'Other things kept 3 % of its processors busy before the run, 50 % after it.',
    '![re-arm, ns](wheel-rearm.svg)',
  ])
    expect(page!.content).toContain(part);
  expect(page!.content).toContain('```text\na  b\n```');
  expect(JSON.parse(figures!.content)).toMatchObject({ benchmark: 'wheel', day: '2026-01-31', rows: [1] });
});
