import { seededRandom } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import { CommitPace } from './commit-pace.ts';

describe('the pace of commits', () => {
  test('the first one begins at once', () => {
    expect(new CommitPace(100).delayMs(0, false)).toBe(0);
  });

  test('changes wait for an interval since the last commit, whatever it held', () => {
    const pace = new CommitPace(100);
    pace.began(1_000, true);
    expect(pace.delayMs(1_030, false)).toBe(70);
    expect(pace.delayMs(1_100, false)).toBe(0);
  });

  test('a close does not wait for a commit that held none', () => {
    const pace = new CommitPace(100);
    pace.began(1_000, true);
    pace.began(1_100, false);
    expect(pace.delayMs(1_101, true)).toBe(0);
  });

  test('closes wait for an interval since the last commit with closes', () => {
    const pace = new CommitPace(100);
    pace.began(1_000, true);
    expect(pace.delayMs(1_030, true)).toBe(70);
  });

  test('CP1: never more than two commits begin within an interval', () => {
    const random = seededRandom(11);
    const pace = new CommitPace(100);
    const began: number[] = [];
    for (let now = 0; now < 20_000; now += random.below(30)) {
      const withCloses = random.chance(0.5);
      if (pace.delayMs(now, withCloses) > 0) continue;
      pace.began(now, withCloses);
      began.push(now);
    }
    const third = began.slice(2).map((at, index) => at - began[index]!);
    expect(Math.min(...third)).toBeGreaterThanOrEqual(100);
    // Or the bound would be kept by committing too seldom.
    expect(began.length).toBeGreaterThan(200);
  });
});
