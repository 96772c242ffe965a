import { describe, expect, test } from '@jest/globals';
import { HeldTime } from '../index.ts';
import { applyHeartbeat } from './apply-event.ts';
import { dueAt, dueReason, summarize } from './deadline.ts';
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
