import { describe, expect, test } from '@jest/globals';
import { latenessOf } from './latency-page.ts';

const close = (sessionId: string, deadlineAt: number, lateMs: number) => ({
  sessionId,
  deadlineAt,
  seenAt: deadlineAt + lateMs,
});

describe('lateness', () => {
  test('is counted from the deadline, of probes due in the span, its end excluded', () => {
    const closes = [
      close('probe-0-1', 99, 1_000),
      ...Array.from({ length: 100 }, (_, index) => close(`probe-0-${index + 2}`, 100 + index, index + 1)),
      close('session-1', 150, 5_000),
      close('probe-0-200', 200, 1_000),
    ];
    expect(latenessOf(closes, 100, 200)).toEqual({ closes: 100, p50Ms: 50, p99Ms: 99, maxMs: 100 });
  });

  test('of nothing is not a number', () => {
    expect(latenessOf([], 0, 1)).toEqual({ closes: 0, p50Ms: NaN, p99Ms: NaN, maxMs: NaN });
  });
});
