import { describe, expect, test } from '@jest/globals';
import { StopRetry } from './stop-retry.ts';

describe('the wait of a stopped partition', () => {
  test('doubles while it stops again, up to sixteen times the first', () => {
    const retry = new StopRetry(1_000);
    let now = 0;
    const waits = Array.from({ length: 7 }, () => {
      const wait = retry.delayAt(now);
      now += wait + 1;
      return wait;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000]);
  });

  test('is the first one again after it ran for longer than it had waited', () => {
    const retry = new StopRetry(1_000);
    expect([retry.delayAt(0), retry.delayAt(1_500)]).toEqual([1_000, 2_000]);
    expect(retry.delayAt(3_500 + 2_001)).toBe(1_000);
  });
});
