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
const reader = (isOneStopped: boolean, p99Ms: number) => ({
  isOneStopped,
  p50Ms: 1,
  p99Ms,
  heard: 9,
  takenShare: isOneStopped ? 0.4 : 1,
});
const RESULTS: PushResults = { returned: RETURNED, readers: [reader(false, 20), reader(true, 22)] };
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
    /40 % of the bytes.*p99 22\.0 ms beside 20\.0 .*1\.10 × \(at most 1\.25: met\)/s,
  );
  const bad = {
    returned: { ...RETURNED, lost: 1, beatsMeanwhile: 19_000 },
    readers: [reader(false, 20), reader(true, 30)],
  };
  expect(pageText(pushPage(bad), rows).match(/MISSED/g)).toHaveLength(3);
});
