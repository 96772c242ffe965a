import { describe, expect, test } from '@jest/globals';
import { applyHeartbeat, dueAt, dueReason, summarize } from '../index.ts';
import { at, closing, opened, RULES, rules } from './session.fixture.ts';

describe('[S2] when a session ends', () => {
  test('[S2] silence for the timeout', () => {
    const entry = opened(at(100));
    applyHeartbeat(entry, RULES, at(400));
    expect(dueAt(entry, RULES)).toBe(1_400);
    expect(dueReason(entry, RULES)).toBe('TIMEOUT');
  });

  test.each([
    [1_499, 1_599, 'MAX_DURATION'],
    [1_500, 1_600, 'MAX_DURATION'],
    [1_501, 1_600, 'TIMEOUT'],
  ])('[S2][S3] a maximum duration of %i ms ends it at %i: %s', (maxDurationMs, due, reason) => {
    const limited = rules({ maxDurationMs });
    const entry = opened(at(100), limited);
    applyHeartbeat(entry, limited, at(600));
    // Silence ends it at 1 600: a tie goes to the maximum duration.
    expect([dueAt(entry, limited), dueReason(entry, limited)]).toEqual([due, reason]);
  });
});

describe('[O3] the summary', () => {
  test('[O3] names the incarnation by partition and first offset', () => {
    const entry = opened(at(100, 42));
    applyHeartbeat(entry, RULES, at(100, 42));
    expect(summarize(entry, RULES, closing)).toMatchObject({ incarnation: '3-42', revision: 0, partition: 3 });
  });

  test('[S2] an explicit end before the start makes no negative duration', () => {
    const entry = opened(at(100));
    applyHeartbeat(entry, RULES, at(100));
    const summary = summarize(entry, RULES, { ...closing, reason: 'ENDED', endedAt: 40, closedAt: 100 });
    expect(summary).toMatchObject({ startedAt: 100, endedAt: 40, durationMs: 0 });
  });
});
