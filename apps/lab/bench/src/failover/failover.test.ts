import { expect, test } from '@jest/globals';
import { pauseOf, restartVerdict } from './failover.ts';

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

test('a kill is judged by what it costs beside a restart in good order', () => {
  const turn = (departure: 'kill, restart' | 'leave, restart' | 'leave', firstCloseMs: number | undefined) => ({
    departure,
    firstCloseMs,
  });
  const turns = [turn('kill, restart', 2_100), turn('leave, restart', 1_000), turn('leave, restart', 1_300)];
  expect(restartVerdict([...turns, turn('leave', undefined)])).toEqual([
    'first close after a kill and a restart: 950 ms later than after a stop and a restart, at most 1000 ms: met',
  ]);
  expect(restartVerdict([turn('kill, restart', 2_100), turn('leave, restart', 1_000)])[0]).toMatch(/MISSED$/);
  expect(restartVerdict([turn('kill, restart', 2_100)])).toEqual([]);
});
