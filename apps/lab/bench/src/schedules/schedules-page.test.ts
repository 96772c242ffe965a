import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import { schedulesPage, schedulesRows } from './schedules-page.ts';

function answer(liveSessions: number, anonymousBytes: number): InstanceAnswer {
  const memory = { rssBytes: anonymousBytes, anonymousBytes, fileBytes: 0 };
  return { liveSessions, closed: 0, memory, peakRssBytes: 0, elapsedMs: 0, cpuMs: 0, heartbeats: 0, restoreMs: 0 };
}

test('the page of schedules counts what more of them take, and says what the log has of each', () => {
  const pending = { schedules: 1e6, valueBytes: 1_024, cpuMs: 5_000, changelogBytes: 1.2e9, liveBytes: 1.1e9 };
  const restarts = [
    { after: 'clean stop' as const, entries: 1e6, restoreMs: 2_000, untilRunningMs: 2_500, cpuMs: 1_900 },
  ];
  const page = schedulesPage({ ...pending, half: answer(500_000, 800e6), all: answer(1e6, 1_400e6) });
  const text = pageText(page, schedulesRows(restarts));
  expect(text).toMatch(/clean stop +1\.00 M +500 k +2\.5 +1\.9/);
  expect(text).toContain('memory per schedule: 1200 bytes, 176 beside its value (at most 400: met)');
  expect(text).toContain('log per schedule: 1200 bytes, 1200 MB in all, 1.09 times the live ones (at most 4: met)');
  expect(text).toContain('10.0 µs');
});
