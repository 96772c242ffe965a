import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { WATCHED_PAGE, type WatchedTurn, watchedRows } from './watched-page.ts';

const turn = (how: WatchedTurn['how'], cpuMs: number): WatchedTurn => ({
  how,
  events: 1_000_000,
  elapsedMs: 2_000,
  cpuMs,
  looks: { scrapes: 2, asked: 4, lines: 5 },
});

test('[H7] what looking at a processor takes is the median of the pairs of turns, so that one disturbed turn says nothing', () => {
  const judged = (watched: readonly number[]): string => {
    const turns = watched.flatMap((cpuMs) => [turn('alone', 1_000), turn('watched', cpuMs)]);
    return pageText(WATCHED_PAGE, watchedRows(turns));
  };
  expect(judged([1_020, 1_030, 1_010, 9_000, 1_020, 1_010, 1_020, 1_020, 1_025])).toMatch(/^watched: 0\.980 \(.*met$/m);
  expect(judged([1_050, 1_040, 1_060, 1_050, 1_040, 1_060])).toMatch(/ 6 pairs of turns; at least 0\.97: MISSED$/m);
  expect(judged([1_050, 1_010, 1_060, 1_050, 1_020, 1_010])).toMatch(/: undecided$/m);
  // Few pairs do not tell within what bounds the median lies.
  expect(judged([700, 800, 900])).toMatch(/^watched: 1\.250 of .*3 pairs of turns; at least 0\.97: undecided$/m);
  expect(judged([1_000])).toMatch(/^watched +1\.00 M +500 k +2\.0 +2 +4 +5$/m);
});
