import { describe, expect, test } from '@jest/globals';
import { RETRY_AFTER_MAX_MS, waitAfter } from './ladder.ts';
import { ATTEMPTS_MAX } from './queue-world.fixture.ts';

const HOUR_MS = 3_600_000;

describe('waits between attempts', () => {
  test('[N2] ten attempts, at the waits of Standard Webhooks, each within a fifth of itself', () => {
    const waits = Array.from({ length: ATTEMPTS_MAX }, (_, i) =>
      [0, 0.5, 1 - 2 ** -32].map((draw) => waitAfter(i, draw)),
    );
    expect(waits).toEqual([
      [0, 0, 0],
      [4_000, 5_000, 6_000],
      [240_000, 300_000, 360_000],
      [1_440_000, 1_800_000, 2_160_000],
      [1.6, 2, 2.4].map((hours) => hours * HOUR_MS),
      [4, 5, 6].map((hours) => hours * HOUR_MS),
      [8, 10, 12].map((hours) => hours * HOUR_MS),
      [11.2, 14, 16.8].map((hours) => hours * HOUR_MS),
      [16, 20, 24].map((hours) => hours * HOUR_MS),
      [19.2, 24, 28.8].map((hours) => hours * HOUR_MS),
    ]);
    expect(waitAfter(ATTEMPTS_MAX, 0.5)).toBeUndefined();
  });

  test('[N2] Retry-After makes a wait longer, by two hours at most, and never shorter', () => {
    expect(waitAfter(1, 0.5, 60_000)).toBe(60_000);
    expect(waitAfter(1, 0.5, 1_000)).toBe(5_000);
    expect(waitAfter(1, 0.5, 10 * 86_400_000)).toBe(5_000 + RETRY_AFTER_MAX_MS);
    expect(waitAfter(4, 0.5, 3 * HOUR_MS)).toBe(3 * HOUR_MS);
    expect(waitAfter(ATTEMPTS_MAX, 0.5, 60_000)).toBeUndefined();
  });
});
