import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { DISPATCHER_PAGE, dispatcherRows, figuresOf, longestPause } from './dispatcher-page.ts';

const exchange = (partition: number, sentAtMs: number, answeredAtMs: number, isMarked = false) => ({
  partition,
  sentAtMs,
  answeredAtMs,
  isMarked,
});
const served = {
  answers: [],
  acknowledged: [],
  again: 2,
  resets: 0,
  fenced: 3,
  unsent: 0,
  exchanges: [
    exchange(0, 100, 200),
    exchange(1, 900, 950),
    // From here on partition 0 has a standby's word, and later its owner's.
    exchange(0, 1_100, 3_000, true),
    exchange(0, 3_100, 9_000),
    exchange(1, 5_000, 5_050),
  ],
};
const beside = {
  users: 1_000_000,
  memoryBytes: 400e6,
  changelogBytes: 100e6,
  restoreMs: 500,
  emptyRestoreMs: 100,
  endedMs: undefined,
  fromMs: 1_000,
};
const judgement = { wrong: [], wrongCount: 0, lost: 0, evicted: 0 };

test('a pause is the longest of a partition behind the fault, whatever came before', () => {
  expect(longestPause(served.exchanges, 1_000)).toBe(6_000);
  expect(longestPause(served.exchanges.slice(0, 2), 1_000)).toBe(0);
  const withoutOwner = served.exchanges.filter(({ partition, isMarked }) => partition === 0 && isMarked);
  expect(longestPause(withoutOwner, 1_000, { isProven: true })).toBe(2_000);
});

test('the figures of a fault: answers of a standby, delays, and the verdict about the wrong ones', () => {
  const figures = figuresOf(served, judgement, beside);
  expect(figures).toMatchObject({ answeredMs: 6_000, provenMs: 8_000, marked: 1, delayed: 2, slowestMs: 5_900 });
  const turn = { fault: 'killed', standbys: 1, ...figures };
  expect(pageText(DISPATCHER_PAGE, dispatcherRows([turn]))).toMatch(
    /killed +1 +6\.0 +8\.0[^]*wrong answers: 0 \(none: met\)/,
  );
  const bad = pageText(DISPATCHER_PAGE, dispatcherRows([turn, { ...turn, wrong: 1, lost: 2 }]));
  expect(bad).toMatch(/wrong answers: 1 \(none: MISSED\)\nlost messages: 2 \(none: MISSED\)/);
});

test('fifteen million: bytes in proportion, and of the seconds what restoring takes beyond that of nothing', () => {
  const figures = figuresOf(served, judgement, { ...beside, endedMs: 200 });
  expect(figures).toMatchObject({
    reckonedMemoryBytes: 6e9,
    reckonedChangelogBytes: 1.5e9,
    reckonedProvenMs: 8_000 + 14 * 400,
    reckonedEndedMs: 3_000,
  });
  const text = pageText(DISPATCHER_PAGE, dispatcherRows([{ fault: 'killed', standbys: 0, ...figures }]));
  expect(text).toMatch(/killed +0 +400 +100 +0\.5 +6\.0 +1\.5 +13\.6 +3\.0/);
  const few = figuresOf(served, judgement, { ...beside, users: 100_000, endedMs: 200 });
  expect(few).toMatchObject({ reckonedMemoryBytes: undefined, reckonedProvenMs: undefined, endedMs: 200 });
  const fewText = pageText(DISPATCHER_PAGE, dispatcherRows([{ fault: 'killed', standbys: 0, ...few }]));
  expect(fewText).toMatch(/killed +0 +4000 +1000 +0\.5 +– +– +– +–/);
  expect(text).toContain('answered again after 6.0 s at most (sooner than 45.0 s, reported of such a system: met)');
});
