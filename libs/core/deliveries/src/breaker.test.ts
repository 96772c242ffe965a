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
  UNTRIED_MAX_MS,
} from './breaker.ts';

const MIDDLE = 0.5;
const DAY_MS = 86_400_000;

/** After so many failures at `now`. */
function failed(times: number, now: number, from: Breaker = CLOSED): Breaker {
  return Array.from({ length: times }).reduce<Breaker>((breaker) => afterFailure(breaker, now, MIDDLE), from);
}

describe('a breaker', () => {
  test('[N4] opens at the fifth failure in a row, and any success closes it', () => {
    const almost = failed(FAILURES_TO_OPEN - 1, 1_000);
    expect(almost).toEqual({ kind: 'closed', failures: 4, failingSince: 1_000, failedAt: 1_000 });
    expect(failed(FAILURES_TO_OPEN - 1, 1_000, afterSuccess(almost)).kind).toBe('closed');
    expect(failed(1, 1_000, almost)).toEqual({
      kind: 'open',
      until: 1_000 + OPEN_FIRST_MS,
      opened: 1,
      failingSince: 1_000,
      failedAt: 1_000,
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
    const daily = [1, 2, 3, 4].map((day) => 7 + day * DAY_MS);
    const open = daily.reduce((breaker, at) => failed(1, at, breaker), failed(FAILURES_TO_OPEN, 7));
    expect(afterFailure(open, 7 + FAILING_MAX_MS - 1, MIDDLE).kind).toBe('open');
    const disabled = afterFailure(open, 7 + FAILING_MAX_MS, MIDDLE);
    expect(disabled).toEqual({ kind: 'disabled', why: 'failing', since: 7 + FAILING_MAX_MS });
    expect(afterSuccess(disabled)).toBe(disabled);
    expect(afterFailure(disabled, 8 + FAILING_MAX_MS, MIDDLE)).toBe(disabled);
  });

  test('[N4] five days in which it was not tried all along disable nothing', () => {
    const rungs = [0, 5_000, 300_000, 0.5, 2.5, 7.5, 17.5, 31.5, 51.5, 75.5].map((at) =>
      at < 100 ? at * 3_600_000 : at,
    );
    const given = rungs.reduce<Breaker>((breaker, at) => failed(1, at, breaker), CLOSED);
    expect(given.kind).toBe('open');
    const week = 7 * DAY_MS;
    // The first failure of what comes a week later, and whatever follows within five days of that.
    const later = failed(1, week, given);
    expect(later).toMatchObject({ kind: 'open', failingSince: week });
    expect(failed(1, week + UNTRIED_MAX_MS, later)).toMatchObject({ kind: 'open', failingSince: week });
  });

  test('[N4] what an earlier build has kept says nothing of when it was tried, and counts as before', () => {
    const kept = { kind: 'open', until: 1, opened: 1, failingSince: 0 } as const;
    expect(failed(1, FAILING_MAX_MS, kept).kind).toBe('disabled');
  });

  test('[N4] one failure after five quiet days disables nothing', () => {
    const once = failed(1, 0);
    expect(failed(1, FAILING_MAX_MS + 1, once).kind).toBe('closed');
  });

  test('[N2] 410 disables at once', () => {
    expect(afterGone(CLOSED, 5)).toEqual({ kind: 'disabled', why: 'gone', since: 5 });
  });
});
