import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { lookUpPage, lookUpRows, type LookUpTurn } from './look-ups-page.ts';

const turn = (way: string, cpuMs: number, keys = 1_000): LookUpTurn => ({
  way,
  keys,
  elapsedMs: 500,
  cpuMs,
  p50Ms: 1,
  p99Ms: 2,
  maxMs: 3,
});

const rows = lookUpRows([1, 2, 9].flatMap((cpuMs) => [turn('bare GET', cpuMs), turn('local', 1.5 * cpuMs)]));
const loadedOf = (lookUpsPerSecond: number, heartbeatsPerSecond: number, p99Ms: number) => ({
  lookUpsPerSecond,
  asked: lookUpsPerSecond,
  unsaid: 0,
  heartbeatsPerSecond,
  p50Ms: 1,
  p99Ms,
  maxMs: p99Ms,
});
const results = {
  embeddedPerSecond: 600_000,
  loaded: [loadedOf(0, 1_000, NaN), loadedOf(5_000, 960, 29)],
  lost: [
    { standbys: 0, firstMs: 3, liveMs: undefined, by: '', slowestMs: 60 },
    { standbys: 1, firstMs: 3, liveMs: 1_001, by: 'standby', slowestMs: 5 },
  ],
};

test('a way to ask is compared with the bare GET by medians', () => {
  expect(rows.map(({ way, timesBare, cpuUsPerKey }) => [way, timesBare, cpuUsPerKey.median])).toEqual([
    ['bare GET', 1, 2],
    ['local', 1.5, 3],
  ]);
});

test('the delays of what is proved stand beside those of plain answers', () => {
  const proved = { ...turn('local, proof=now', 4), p50Ms: 2.5, p99Ms: 40 };
  const text = pageText(lookUpPage(results), lookUpRows([turn('bare GET', 1), turn('local', 1.2), proved]));
  expect(text).toContain('local, proof=now: p50 2.50 ms beside 1.00, p99 40.0 ms beside 2.00 of plain answers');
});

test('each goal is judged, those that are missed as such', () => {
  const text = pageText(lookUpPage(results), rows);
  for (const said of [
    'local: 1.50 × a bare GET (at most 1.3: MISSED)',
    '600 k keys/s (at least 500 k: met)',
    'p99 29.0 ms (at most 30: met)',
    '0.960 of those without (at least 0.97: MISSED)',
    'first answer after 3.00 ms, slowest 60.0 (at most 50: met)',
    'after 1001 ms (at most 1000: MISSED)',
  ])
    expect(text).toContain(said);
});
