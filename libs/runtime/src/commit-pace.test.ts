import { describe, expect, test } from '@jest/globals';
import { CommitPace } from './commit-pace.ts';

function committed({ began, took }: { began: number; took: number }): CommitPace {
  const pace = new CommitPace(100);
  pace.began(began);
  pace.ended(began + took);
  return pace;
}

describe('the pace of commits', () => {
  test('the first one begins at once', () => {
    expect(new CommitPace(100).delayMs(0, false)).toBe(0);
  });

  test('CP1: changes wait for an interval since the last commit began', () => {
    const pace = committed({ began: 1_000, took: 5 });
    expect(pace.delayMs(1_030, false)).toBe(70);
    expect(pace.delayMs(1_100, false)).toBe(0);
    expect(pace.delayMs(1_200, false)).toBe(0);
  });

  test('CP2: closes of a task that keeps up wait for a fifth of it', () => {
    const pace = committed({ began: 1_000, took: 5 });
    expect(pace.delayMs(1_005, true)).toBe(15);
    expect(pace.delayMs(1_020, true)).toBe(0);
  });

  test('CP2: where commits take long, closes wait as long again', () => {
    const pace = committed({ began: 1_000, took: 30 });
    expect(pace.delayMs(1_030, true)).toBe(30);
  });

  test('closes never wait for longer than an interval', () => {
    expect(committed({ began: 1_000, took: 90 }).delayMs(1_090, true)).toBe(10);
    expect(committed({ began: 1_000, took: 400 }).delayMs(1_400, true)).toBe(0);
  });
});
