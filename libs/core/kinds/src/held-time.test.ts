// Rerun a failure with the seed and path that fast-check prints, as parameters of fc.assert.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HeldTime, type HeldTimeRules } from './held-time.ts';

const RULES: HeldTimeRules = { unheardMs: 100, maxHoldMs: 1_000 };

/** Clock positions: mostly short steps, some gaps, from some instant on. */
const steps = fc.array(
  fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 0, max: 100 }) }, fc.integer({ min: 0, max: 3_000 })),
  {
    minLength: 1,
    maxLength: 60,
  },
);

/**
 * Counts down what is left of a time, record by record, without holds: the instant at which it is used up, or undefined
 * where the records do not say.
 */
function countDown(clocks: readonly number[], startAt: number, ms: number): number | undefined {
  let left = ms;
  for (let i = startAt; i + 1 < clocks.length; i += 1) {
    const [before, gap] = [clocks[i]!, clocks[i + 1]! - clocks[i]!];
    const heard = Math.min(gap, RULES.unheardMs);
    if (left <= heard) return before + left;
    const held = Math.min(gap - heard, RULES.maxHoldMs);
    if (left <= gap - held) return before + left + held;
    left -= gap - held;
  }
  return undefined;
}

const after = (clocks: readonly number[], upTo = clocks.length): HeldTime => {
  const held = new HeldTime(RULES);
  for (let i = 1; i < upTo; i += 1) held.moved(clocks[i - 1]!, clocks[i]!);
  return held;
};

describe('[C8] unheard time', () => {
  test('[C8] a deadline is reached when its time has been counted down over the gaps', () => {
    fc.assert(
      fc.property(steps, fc.nat(59), fc.integer({ min: 1, max: 4_000 }), (gaps, seen, ms) => {
        let at = 1_000_000;
        const clocks = [at, ...gaps.map((gap) => (at += gap))];
        const start = Math.min(seen, clocks.length - 1);
        const naive = countDown(clocks, start, ms);
        const due = after(clocks).after(clocks[start]!, ms);
        if (naive === undefined) expect(due).toBeGreaterThan(at);
        else expect(due).toBe(naive);
      }),
    );
  });

  test('HT1 [C5] a hold moves no instant that the clock had reached before it was known', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4_000 }), (gaps, ms) => {
        let at = 1_000_000;
        const clocks = [at, ...gaps.map((gap) => (at += gap))];
        for (let known = 1; known < clocks.length; known += 1) {
          const [early, late] = [after(clocks, known), after(clocks)];
          const due = early.after(clocks[0]!, ms);
          if (due <= clocks[known - 1]!) expect(late.after(clocks[0]!, ms)).toBe(due);
          else expect(late.after(clocks[0]!, ms)).toBeGreaterThanOrEqual(due);
        }
      }),
    );
  });

  test('[C8][C5] what was held up to a due instant is the same however late it is asked, and what moved it', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4_000 }), (gaps, ms) => {
        let at = 1_000_000;
        const clocks = [at, ...gaps.map((gap) => (at += gap))];
        for (let known = 1; known < clocks.length; known += 1) {
          const [early, late] = [after(clocks, known), after(clocks)];
          const due = early.after(clocks[0]!, ms);
          if (due > clocks[known - 1]!) continue;
          expect(late.between(clocks[0]!, due)).toBe(early.between(clocks[0]!, due));
          expect(early.between(clocks[0]!, due)).toBe(due - clocks[0]! - ms);
        }
      }),
    );
  });

  test.each([
    [100, 0],
    [101, 1],
    [1_100, 1_000],
    [9_000, 1_000],
  ])('[C8] of a gap of %i ms, %i are held', (gap, held) => {
    const time = after([5_000, 5_000 + gap]);
    expect(time.heldMs).toBe(held);
    expect(time.after(5_000, 10_000)).toBe(15_000 + held);
    expect(time.after(5_000 + gap, 10_000)).toBe(15_000 + gap);
  });

  test('[C8] switched off, or before the first record, nothing is held', () => {
    const off = new HeldTime({ unheardMs: 0, maxHoldMs: 1_000 });
    off.moved(5_000, 90_000);
    const first = new HeldTime(RULES);
    first.moved(0, 90_000);
    expect([off.state, first.state]).toEqual([
      { heldMs: 0, holds: [] },
      { heldMs: 0, holds: [] },
    ]);
  });

  test('HT2 [X6] beyond the bound the oldest gaps are joined, and no session is due earlier for it', () => {
    const clocks = Array.from({ length: 200 }, (_, i) => 1_000_000 + i * 500);
    const held = after(clocks);
    expect(held.state.holds.length).toBeLessThanOrEqual(64);
    expect(held.heldMs).toBe(199 * 400);
    for (const ms of [50, 3_000, 30_000]) {
      expect(held.after(clocks[0]!, ms)).toBeGreaterThanOrEqual(countDown(clocks, 0, ms) ?? 0);
      expect(held.after(clocks[150]!, 3_000)).toBe(countDown(clocks, 150, 3_000));
    }
  });

  test('[C8] goes on from what was carried over', () => {
    const before = after([1_000, 9_000]);
    const restored = new HeldTime(RULES);
    restored.restore(before.state);
    for (const held of [before, restored]) held.moved(9_000, 9_500);
    expect(restored.state).toEqual(before.state);
    expect(restored.after(1_000, 5_000)).toBe(before.after(1_000, 5_000));
  });
});
