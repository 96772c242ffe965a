import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { PUSH_PAGE, pushRows } from './push-page.ts';

test('the page of push counts what more subscribers take, and judges it', () => {
  const memory = (anonymousBytes: number) => ({ memory: { rssBytes: 2e8, anonymousBytes, fileBytes: 0 } });
  const measured = { heard: 'all', subscribers: 10_001, half: memory(1e8), letInMs: 9_000, refused: 4_500 } as const;
  const rows = pushRows([{ ...measured, all: memory(1e8 + 5_000 * 16_384) }]);
  expect(rows).toMatchObject([{ bytesEach: 16_384, came: 5_000 }]);
  expect(pageText(PUSH_PAGE, rows)).toMatch(/16384 +met +200 MB +5000 +9\.0/);
  const more = pushRows([{ ...measured, all: memory(1e8 + 5_000 * 16_385) }]);
  expect(pageText(PUSH_PAGE, more)).toContain('MISSED');
});
