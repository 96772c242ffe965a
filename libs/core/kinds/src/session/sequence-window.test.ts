import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { COUNT_MAX, RESTARTS_MAX } from './counts.ts';
import { missingCount, noteSequence, openWindow, WINDOW_WIDTH } from './sequence-window.ts';

/** The rules once more, over a set. */
class NaiveWindow {
  seen: Set<number>;
  before = 0;
  restarts = 0;
  constructor(first: number) {
    this.seen = new Set([first]);
  }
  note(sequence: number, restart: boolean): string {
    const highest = Math.max(...this.seen);
    const behind = highest - sequence;
    if (behind >= WINDOW_WIDTH || (restart && behind > 0)) {
      this.before = this.missing();
      this.restarts += 1;
      this.seen = new Set([sequence]);
      return 'restart';
    }
    if (this.seen.has(sequence)) return 'duplicate';
    this.seen.add(sequence);
    return behind < 0 ? 'new' : 'outOfOrder';
  }
  missing(): number {
    return this.before + Math.max(...this.seen) - Math.min(...this.seen) + 1 - this.seen.size;
  }
}

describe('[S5][S6] the sequence window', () => {
  test('[S5][S6] agrees with a set over any sequences', () => {
    const step = fc.record({ move: fc.integer({ min: -80, max: 90 }), restart: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), fc.array(step, { maxLength: 200 }), (first, steps) => {
        const window = openWindow(first);
        const naive = new NaiveWindow(first);
        for (const { move, restart } of steps) {
          const sequence = Math.max(0, window.highest + move);
          const marked = restart && move < -20;
          expect(noteSequence(window, sequence, marked)).toBe(naive.note(sequence, marked));
          expect(missingCount(window)).toBe(naive.missing());
          expect(window.restarts).toBe(naive.restarts);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('[S6] what is missing stops at 2^53 - 1, however often a sequence jumps as far as it can', () => {
    const window = openWindow(0);
    for (let round = 1; round <= 4; round += 1) {
      noteSequence(window, Number.MAX_SAFE_INTEGER, false);
      expect(missingCount(window)).toBe(Math.min(round * (2 ** 53 - 2), Number.MAX_SAFE_INTEGER));
      noteSequence(window, 0, true);
      expect(window.missingBefore).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    }
  });

  test('[S6] what is missing stays right where more have come than are counted', () => {
    const window = { ...openWindow(0), highest: COUNT_MAX + 9, received: COUNT_MAX };
    expect(missingCount(window)).toBe(10);
    noteSequence(window, COUNT_MAX + 12, false);
    expect([missingCount(window), window.received]).toEqual([12, COUNT_MAX]);
    noteSequence(window, COUNT_MAX + 11, false);
    expect([missingCount(window), window.received]).toEqual([11, COUNT_MAX]);
  });

  test('[S6] restarts stop at what their place in memory holds', () => {
    const window = { ...openWindow(5), restarts: RESTARTS_MAX };
    noteSequence(window, 0, true);
    expect(window.restarts).toBe(RESTARTS_MAX);
  });
});
