import { describe, expect, test } from '@jest/globals';
import { HeldTime } from '../index.ts';
import { applyHeartbeat } from './apply-event.ts';
import { dueAt, dueReason, summarize } from './deadline.ts';
import { openEarly } from './early-data.ts';
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

describe('[S2] a deadline in buckets', () => {
  test.each([
    [1_399, 1_400],
    [1_400, 2_100],
    [1_401, 2_100],
  ])('[S2] an end at %i is due at the next end of a bucket of 700 ms, %i, also where it is one', (end, due) => {
    const bucketed = rules({ bucketMs: 700 });
    const entry = opened(at(end - RULES.timeoutMs), bucketed);
    expect([dueAt(entry, bucketed), summarize(entry, bucketed, closing).deadlineAt]).toEqual([due, due]);
  });

  test('[S2] what ends first decides the bucket, and says why', () => {
    const limited = rules({ maxDurationMs: 600, bucketMs: 700 });
    const entry = opened(at(100), limited);
    expect([dueAt(entry, limited), dueReason(entry, limited)]).toEqual([1_400, 'MAX_DURATION']);
  });

  test('[S2][C8] time that is held is taken out before', () => {
    const bucketed = rules({ bucketMs: 700 });
    const held = new HeldTime({ unheardMs: 200, maxHoldMs: 10_000 });
    held.moved(100, 650);
    expect(dueAt(opened(at(100), bucketed), bucketed, held)).toBe(2_100);
  });

  test('[S2][S8] early data is no session, and goes when it would', () => {
    const bucketed = rules({ bucketMs: 700 });
    const entry = opened(at(100), bucketed);
    openEarly(entry, 300, at(100));
    expect(dueAt(entry, bucketed)).toBe(400);
  });
});

describe('[O3] the summary', () => {
  test('[O3] names the incarnation by partition and first offset', () => {
    const entry = opened(at(100, 42));
    applyHeartbeat(entry, RULES, at(100, 42));
    expect(summarize(entry, RULES, closing)).toMatchObject({ incarnation: '3-42', revision: 0, partition: 3 });
  });

  test('[C8][C5] a maximum duration that is drained late says nothing of what was held behind its due instant', () => {
    const limited = rules({ maxDurationMs: 500 });
    const entry = opened(at(100), limited);
    const held = new HeldTime({ unheardMs: 200, maxHoldMs: 10_000 });
    held.moved(100, 450);
    const due = dueAt(entry, limited, held);
    expect(due).toBe(750);
    const close = { ...closing, reason: 'MAX_DURATION' as const, closedAt: due };
    held.moved(450, 640);
    held.moved(640, 760);
    const early = summarize(entry, limited, close, held);
    expect(early).toMatchObject({ deadlineAt: 750, heldMs: 150 });
    held.moved(760, 1_400);
    expect(summarize(entry, limited, close, held)).toEqual(early);
  });

  test('[S2] an explicit end before the start makes no negative duration', () => {
    const entry = opened(at(100));
    applyHeartbeat(entry, RULES, at(100));
    const summary = summarize(entry, RULES, { ...closing, reason: 'ENDED', endedAt: 40, closedAt: 100 });
    expect(summary).toMatchObject({ startedAt: 100, endedAt: 40, durationMs: 0 });
  });
});
