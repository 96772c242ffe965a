import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { hotKeyPage, hotKeyRows, type HotKeyTurn, lateOf } from './hotkey-page.ts';

const turn = (load: string, p99Ms: number): HotKeyTurn => ({
  load,
  does: load,
  itemsPerSecond: load === 'alone' ? 0 : 10_000,
  batches: 3_000,
  missing: 0,
  p50Ms: 60,
  p99Ms,
  maxMs: p99Ms,
  loopDelay: undefined,
});
const THROUGHPUT = [
  { items: 1_000_000, elapsedMs: 4_000, cpuMs: 5_000, rawItems: 1_000_000, rawElapsedMs: 500, rawCpuMs: 400 },
];
const PENDING = {
  items: 5e6,
  windows: 1e5,
  halfItems: 2.5e6,
  half: { rssBytes: 4e8, anonymousBytes: 3e8, fileBytes: 1e8 },
  all: { rssBytes: 7e8, anonymousBytes: 5.5e8, fileBytes: 1.5e8 },
  valueBytes: 100,
};

describe('the page of a hot key', () => {
  test('says by how much neighbours come later than without it, what one key can take, and what waits', () => {
    const rows = hotKeyRows([turn('alone', 130), turn('hot key', 150), turn('hot key, 100 k a window', 400)]);
    const text = pageText(hotKeyPage(THROUGHPUT, PENDING), rows);
    expect(text).toContain('hot key: p99 of the others 20.0 ms later (at most 50: met)');
    expect(text).toContain('hot key, 100 k a window: p99 of the others 270 ms later (at most 50: MISSED)');
    expect(text).toContain('250 k items/s, 200 k per CPU second; reading them and nothing else: 2.50 M');
    expect(text).toContain(
      '5.00 M items of 100 bytes in 100 k windows wait in 700 MB resident; each more takes 120 bytes: ' +
        "100 of anonymous memory and 20.0 of the local store's pages, which the kernel may drop",
    );
  });

  test('counts what fired while it was measured', () => {
    const batches = [5, 10, 19, 20].map((firedAt) => ({ firedAt, lateMs: firedAt }));
    expect(lateOf(batches, 10, 20)).toEqual({ batches: 2, p50Ms: 10, p99Ms: 19, maxMs: 19 });
  });
});
