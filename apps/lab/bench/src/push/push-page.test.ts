import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { pushPage, type PushResults, pushRows } from './push-page.ts';

const RETURNED = {
  subscribers: 10_000,
  letInMs: 19_000,
  refused: 9_000,
  lost: 0,
  doubled: 0,
  beatsBefore: 20_000,
  beatsMeanwhile: 19_800,
};
const turn = (p99Ms: number, takenShare = 1) => ({ p50Ms: 1, p99Ms, heard: 9, takenShare });
/** Nine pairs, in each of which others' delays are so many times as long beside a stopped reader. */
const readers = (times: readonly number[]) =>
  Array.from({ length: 9 }, (_, i) => ({
    without: turn(20 + i),
    beside: turn((20 + i) * times[i % times.length]!, 0.4),
  }));
const RESULTS: PushResults = { returned: RETURNED, readers: readers([1.1]) };
const PUSH_PAGE = pushPage(RESULTS);

test('the page of push counts what more subscribers take, and judges it', () => {
  const memory = (anonymousBytes: number) => ({ memory: { rssBytes: 2e8, anonymousBytes, fileBytes: 0 } });
  const measured = { heard: 'all', subscribers: 10_001, half: memory(1e8), letInMs: 9_000, refused: 4_500 } as const;
  const rows = pushRows([{ ...measured, all: memory(1e8 + 5_000 * 16_384) }]);
  expect(rows).toMatchObject([{ bytesEach: 16_384, came: 5_000 }]);
  expect(pageText(PUSH_PAGE, rows)).toMatch(/16384 +met +200 MB +5000 +9\.0/);
  const more = pushRows([{ ...measured, all: memory(1e8 + 5_000 * 16_385) }]);
  expect(pageText(PUSH_PAGE, more)).toContain('MISSED');
});

test('what comes back is judged by what it missed, and by the heartbeats beside; a stopped reader by the delays of others', () => {
  const rows = pushRows([]);
  expect(pageText(PUSH_PAGE, rows)).toMatch(
    /0 lost, 0 heard twice \(none: met\)\n.*0\.990 of those before \(at least 0\.97: met\)/,
  );
  expect(pageText(PUSH_PAGE, rows)).toMatch(
    /40 % of the bytes.*p99 26\.4 \(22\.0 – 30\.8\) ms beside 24\.0 .*1\.10 × \(1\.10 – 1\.10 with 95 %\)\nat most 1\.25 ×: met/s,
  );
  const bad = {
    returned: { ...RETURNED, lost: 1, beatsMeanwhile: 19_000 },
    readers: readers([1.5]),
  };
  expect(pageText(pushPage(bad), rows).match(/MISSED/g)).toHaveLength(3);
});

test('a stopped reader is judged only where the pairs of turns agree', () => {
  const judged = (times: readonly number[]): string => pageText(pushPage({ ...RESULTS, readers: readers(times) }), []);
  // One outlier on either side says nothing.
  expect(judged([1, 1, 1, 1, 9, 1, 1, 1, 0.1])).toContain('at most 1.25 ×: met');
  expect(judged([2, 2, 2, 2, 9, 2, 2, 2, 0.1])).toContain('at most 1.25 ×: MISSED');
  expect(judged([1, 2, 1, 2, 1, 2, 1, 2, 1])).toContain('at most 1.25 ×: undecided');
  expect(pageText(pushPage({ ...RESULTS, readers: readers([1]).slice(4) }), [])).toContain('at most 1.25 ×: undecided');
});
