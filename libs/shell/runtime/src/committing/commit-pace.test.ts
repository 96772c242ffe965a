import { describe, expect, test } from '@jest/globals';
import { CommitPace } from './commit-pace.ts';

const rules = { commitIntervalMs: 1_000, closeDelayMs: 20 };

function committed({ began, took }: { began: number; took: number }, changes: Partial<typeof rules> = {}): CommitPace {
  const pace = new CommitPace({ ...rules, ...changes });
  pace.began(began);
  pace.ended(began + took);
  return pace;
}

describe('the pace of commits', () => {
  test('the first one begins at once', () => {
    expect(new CommitPace(rules).delayMs(0, 'nothing')).toBe(0);
  });

  test('CP1: changes wait for an interval since the last commit began', () => {
    const pace = committed({ began: 1_000, took: 5 });
    expect(pace.delayMs(1_030, 'nothing')).toBe(970);
    expect(pace.delayMs(2_000, 'nothing')).toBe(0);
    expect(pace.delayMs(3_000, 'nothing')).toBe(0);
  });

  test('CP3: what only says how far the clock has come waits for ten seconds, or for an interval that is longer', () => {
    const pace = committed({ began: 1_000, took: 5 });
    expect(pace.delayMs(1_030, 'clock')).toBe(9_970);
    expect(pace.delayMs(11_000, 'clock')).toBe(0);
    const slow = committed({ began: 1_000, took: 5 }, { commitIntervalMs: 30_000 });
    expect(slow.delayMs(1_000, 'clock')).toBe(30_000);
  });

  test('CP2: closes of a task that keeps up wait for their own delay since then', () => {
    const pace = committed({ began: 1_000, took: 5 });
    expect(pace.delayMs(1_005, 'close')).toBe(15);
    expect(pace.delayMs(1_020, 'close')).toBe(0);
  });

  test('CP2: where commits take long, closes wait as long again', () => {
    const pace = committed({ began: 1_000, took: 30 });
    expect(pace.delayMs(1_030, 'close')).toBe(30);
  });

  test('CP2: closes of a task that is behind wait five times as long', () => {
    expect(committed({ began: 1_000, took: 5 }).delayMs(1_005, 'closeBehind')).toBe(95);
  });

  test.each([30, 60, 90, 200, 400])('CP2: however long commits take, here %i ms, half of the time is left', (took) => {
    for (const waiting of ['close', 'closeBehind'] as const)
      expect(committed({ began: 1_000, took }).delayMs(1_000 + took, waiting)).toBeGreaterThanOrEqual(
        Math.min(took, rules.commitIntervalMs - took),
      );
    expect(committed({ began: 1_000, took: 400 }).delayMs(2_000, 'close')).toBe(0);
  });

  test('CP1: no close waits longer than changes do', () => {
    const pace = committed({ began: 1_000, took: 5 }, { commitIntervalMs: 10 });
    expect(pace.delayMs(1_005, 'close')).toBe(5);
    expect(pace.delayMs(1_005, 'closeBehind')).toBe(5);
  });

  test('CP2: with no delay a close is committed at once', () => {
    const pace = committed({ began: 1_000, took: 5 }, { closeDelayMs: 0 });
    expect(pace.delayMs(1_005, 'close')).toBe(0);
  });
});
