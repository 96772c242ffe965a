import { expect, test } from '@jest/globals';
import { pauseOf } from './failover.ts';

const close = (seenAt: number, deadlineAt: number): Parameters<typeof pauseOf>[0][number] => ({
  sessionId: String(seenAt),
  seenAt,
  deadlineAt,
});

test('the pause around a departure: the longest gap, when it ended, and the latest close; what was long before is left out', () => {
  const closes = [close(100, 0), close(5_000, 900), close(5_030, 5_010), close(9_030, 5_040), close(9_040, 9_000)];
  expect(pauseOf(closes, 5_500, 1_000)).toEqual({ longestGapMs: 4_000, gapEndsMs: 3_530, latestMs: 4_100 });
});

test('without closes there is no gap', () => {
  expect(pauseOf([], 5_500, 1_000)).toEqual({ longestGapMs: 0, gapEndsMs: 0, latestMs: 0 });
});
