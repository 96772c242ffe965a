import { describe, expect, test } from '@jest/globals';
import {
  afterFailure,
  afterGone,
  afterSuccess,
  type Breaker,
  CLOSED,
  FAILING_MAX_MS,
  FAILURES_TO_OPEN,
  OPEN_FIRST_MS,
  OPEN_MOST_MS,
} from './breaker.ts';

const MIDDLE = 0.5;

/** After so many failures at `now`. */
function failed(times: number, now: number, from: Breaker = CLOSED): Breaker {
  return Array.from({ length: times }).reduce<Breaker>((breaker) => afterFailure(breaker, now, MIDDLE), from);
}

describe('a breaker', () => {
  test('[N4] opens at the fifth failure in a row, and any success closes it', () => {
    const almost = failed(FAILURES_TO_OPEN - 1, 1_000);
    expect(almost).toEqual({ kind: 'closed', failures: 4, failingSince: 1_000 });
    expect(failed(FAILURES_TO_OPEN - 1, 1_000, afterSuccess(almost)).kind).toBe('closed');
    expect(failed(1, 1_000, almost)).toEqual({
      kind: 'open',
      until: 1_000 + OPEN_FIRST_MS,
      opened: 1,
      failingSince: 1_000,
    });
  });

  test('[N4] a probe that fails doubles the time, up to five minutes; what was under way says nothing new', () => {
    let breaker = failed(FAILURES_TO_OPEN, 0);
    const lengths: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      if (breaker.kind !== 'open') throw new Error('it is open');
      expect(afterFailure(breaker, breaker.until - 1, MIDDLE)).toBe(breaker);
      const now = breaker.until;
      breaker = afterFailure(breaker, now, MIDDLE);
      if (breaker.kind === 'open') lengths.push(breaker.until - now);
    }
    expect(lengths).toEqual([
      10_000,
      20_000,
      40_000,
      80_000,
      160_000,
      OPEN_MOST_MS,
      OPEN_MOST_MS,
      OPEN_MOST_MS,
      OPEN_MOST_MS,
    ]);
  });

  test('[N4] what has only failed for five days is disabled, and a late success of before does not enable it', () => {
    const open = failed(FAILURES_TO_OPEN, 7);
    expect(afterFailure(open, 7 + FAILING_MAX_MS - 1, MIDDLE).kind).toBe('open');
    const disabled = afterFailure(open, 7 + FAILING_MAX_MS, MIDDLE);
    expect(disabled).toEqual({ kind: 'disabled', why: 'failing', since: 7 + FAILING_MAX_MS });
    expect(afterSuccess(disabled)).toBe(disabled);
    expect(afterFailure(disabled, 8 + FAILING_MAX_MS, MIDDLE)).toBe(disabled);
  });

  test('[N4] one failure after five quiet days disables nothing', () => {
    const once = failed(1, 0);
    expect(failed(1, FAILING_MAX_MS + 1, once).kind).toBe('closed');
  });

  test('[N2] 410 disables at once', () => {
    expect(afterGone(CLOSED, 5)).toEqual({ kind: 'disabled', why: 'gone', since: 5 });
  });
});
