import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import { memoryParts } from '../process-stat.ts';
import { churnFigures, memoryPage, memoryRows } from './memory-page.ts';

function answer(liveSessions: number, anonymousBytes: number, fileBytes: number): InstanceAnswer {
  const memory = { rssBytes: anonymousBytes + fileBytes, anonymousBytes, fileBytes };
  return { liveSessions, closed: 0, memory, peakRssBytes: 0, elapsedMs: 0, cpuMs: 0, heartbeats: 0, restoreMs: 0 };
}

describe('the page of memory', () => {
  test('counts what more sessions take, not what the process takes anyway, and pages of files apart', () => {
    const half = answer(500_000, 300e6, 50e6);
    const rows = memoryRows([{ sessions: 1e6, half, all: answer(1_000_000, 360e6, 100e6) }]);
    expect(rows[0]).toMatchObject({ anonymousBytesPerSession: 120, fileBytesPerSession: 100, rssBytes: 460e6 });
    expect(pageText(memoryPage(undefined), rows)).toMatch(/120\.0 +met +100\.0/);
    const more = memoryRows([{ sessions: 1e6, half, all: answer(1_000_000, 361e6, 100e6) }]);
    expect(pageText(memoryPage(undefined), more)).toContain('MISSED');
  });

  test('finds a leak in churn, and none before it is warm', () => {
    const samples = [0, 1, 2, 3, 4].map((minute) => ({
      atMs: minute * 60_000,
      liveSessions: 10,
      closed: minute * 1_000,
      rssBytes: 0,
      anonymousBytes: minute === 0 ? 0 : 1e6 + minute * 2_000,
    }));
    const figures = churnFigures(samples, 60_000);
    expect(figures.closed).toBe(3_000);
    expect(figures.anonymousBytesPerHour).toBeCloseTo(120_000);
    expect(figures.anonymousBytesPerClose).toBeCloseTo(2);
  });

  test('reads what Linux says of a process', () => {
    const status =
      'Name:\tnode\nVmRSS:\t    600 kB\nRssAnon:\t     300 kB\nRssFile:\t     200 kB\nRssShmem:\t     100 kB\n';
    expect(memoryParts(status)).toEqual({ rssBytes: 614_400, anonymousBytes: 409_600, fileBytes: 204_800 });
  });
});
