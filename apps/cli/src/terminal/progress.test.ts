import { describe, expect, test } from '@jest/globals';
import { duration, progressText } from './progress.ts';

const half = { doing: 'importing', unit: 'record', done: 4500, total: 10_000, elapsedMs: 1000 };

describe('progress', () => {
  test('says count, share, rate and time left', () => {
    expect(progressText(half)).toBe('importing: 4,500 of 10,000 records, 45 %, 4,500/s, 1 s left');
  });

  test('without a total says count and rate only', () => {
    expect(progressText({ ...half, total: undefined })).toBe('importing: 4,500 records, 4,500/s');
  });

  test('says no rate before one can be told, and no time left when done or stuck', () => {
    expect(progressText({ ...half, elapsedMs: 50 })).toBe('importing: 4,500 of 10,000 records, 45 %');
    expect(progressText({ ...half, done: 10_000 })).not.toContain('left');
    expect(progressText({ ...half, done: 0 })).toBe('importing: 0 of 10,000 records, 0 %, 0/s');
  });

  test('one of anything is said in the singular', () => {
    expect(progressText({ ...half, done: 1, total: 1, elapsedMs: 50 })).toBe('importing: 1 of 1 record, 100 %');
  });

  test('an empty total divides nothing by zero', () => {
    expect(progressText({ ...half, done: 0, total: 0 })).toBe('importing: 0 of 0 records, 0/s');
  });

  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
