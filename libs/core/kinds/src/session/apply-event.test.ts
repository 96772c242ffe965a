import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { summarize } from './index.ts';
import { applyEvent, applyHeartbeat, applyNumbers, OTHER_TYPE, saysNumbersOnly, TYPES_MAX } from './apply-event.ts';
import { COUNT_MAX } from './counts.ts';
import { blankDetail } from './detail.ts';
import { at, closing, event, opened, RULES, rules } from './session.fixture.ts';

describe('activity', () => {
  test('[S1] each activity sets last seen to the greatest effective time', () => {
    const entry = opened(at(100));
    applyHeartbeat(entry, RULES, at(100));
    applyHeartbeat(entry, RULES, at(250, 2));
    applyHeartbeat(entry, RULES, at(200, 3));
    expect(entry).toMatchObject({ openedAt: 100, lastSeenAt: 250, eventCount: 3, firstOffset: 100, lastOffset: 3 });
  });

  test('[S1] a bare heartbeat in order keeps no detail', () => {
    const entry = opened(at(100));
    for (const time of [100, 100, 150, 900]) applyHeartbeat(entry, RULES, at(time));
    expect(entry.detail).toBeUndefined();
  });

  test('[S6] start and end come out as if events had arrived in order, and disorder is counted', () => {
    const entry = opened(at(100));
    applyHeartbeat(entry, RULES, at(100));
    applyEvent(entry, RULES, event({ occurredAt: 40 }), at(120));
    applyEvent(entry, RULES, event({ occurredAt: 130 }), at(140));
    applyHeartbeat(entry, RULES, at(160));
    const summary = summarize(entry, RULES, closing);
    expect(summary).toMatchObject({ startedAt: 40, endedAt: 160, durationMs: 120, outOfOrderCount: 1, eventCount: 4 });
  });

  test('[S6] an event whose time lies before its arrival does not move the end to its arrival', () => {
    const entry = opened(at(100));
    applyHeartbeat(entry, RULES, at(100));
    applyEvent(entry, RULES, event({ occurredAt: 150 }), at(200));
    expect(summarize(entry, RULES, closing)).toMatchObject({ startedAt: 100, endedAt: 150, lastSeenAt: 200 });
  });
});

describe('[S6] counts', () => {
  test('[S6] stop at 2^32 - 1: what comes then is applied and not counted, so that counts by type still add up', () => {
    const entry = opened(at(100));
    applyEvent(entry, RULES, event({ type: 'CLICK' }), at(100));
    entry.eventCount = COUNT_MAX - 1;
    for (const type of ['CLICK', 'CLICK', 'VIEW']) applyEvent(entry, RULES, event({ type }), at(200));
    applyHeartbeat(entry, RULES, at(300));
    const summary = summarize(entry, RULES, closing);
    expect(summary).toMatchObject({ eventCount: COUNT_MAX, lastSeenAt: 300 });
    expect(summary.countsByType).toEqual(
      new Map([
        ['HEARTBEAT', COUNT_MAX - 2],
        ['CLICK', 2],
      ]),
    );
  });

  test('[S5][S6] duplicates and disorder stop there, too', () => {
    const entry = opened(at(100));
    applyEvent(entry, RULES, event({ eventId: 'a' }), at(100));
    entry.detail = { ...entry.detail!, duplicateCount: COUNT_MAX, outOfOrderCount: COUNT_MAX };
    applyEvent(entry, RULES, event({ eventId: 'a' }), at(110));
    applyEvent(entry, RULES, event({ occurredAt: 1 }), at(120));
    expect(entry.detail).toMatchObject({
      ...blankDetail(1, 100),
      duplicateCount: COUNT_MAX,
      outOfOrderCount: COUNT_MAX,
      texts: entry.detail.texts,
    });
  });
});

describe('[S5] duplicates', () => {
  test('[S5] an event id among the last N changes nothing but the count, and is activity', () => {
    const entry = opened(at(100));
    applyEvent(entry, RULES, event({ eventId: 'a', attributes: new Map([['x', '1']]) }), at(100));
    const again = applyEvent(entry, RULES, event({ eventId: 'a', attributes: new Map([['x', '2']]) }), at(500, 9));
    expect(again.duplicate).toBe(true);
    expect(entry).toMatchObject({ eventCount: 1, lastSeenAt: 500, lastOffset: 9 });
    const summary = summarize(entry, RULES, closing);
    expect(summary.duplicateCount).toBe(1);
    expect(summary.endedAt).toBe(100);
    expect(summary.attributes).toEqual(new Map([['x', '1']]));
  });

  test('[S5] with a lower limit than before as many are remembered as it says', () => {
    const entry = opened(at(1));
    for (const eventId of ['a', 'b', 'c', 'd'])
      applyEvent(entry, rules({ dedupeEventIds: 4 }), event({ eventId }), at(1));
    const lowered = rules({ dedupeEventIds: 2 });
    const duplicates = ['e', 'c', 'e'].map(
      (eventId) => applyEvent(entry, lowered, event({ eventId }), at(1)).duplicate,
    );
    expect(duplicates).toEqual([false, false, true]);
    expect(entry.detail?.texts?.eventIdCount).toBe(2);
  });

  test('[S5] only the last N event ids are remembered', () => {
    const entry = opened(at(1));
    for (const eventId of ['a', 'b', 'c', 'd', 'a']) applyEvent(entry, RULES, event({ eventId }), at(1));
    expect(entry.eventCount).toBe(5);
    applyEvent(entry, RULES, event({ eventId: 'd' }), at(1));
    expect(entry.detail?.duplicateCount).toBe(1);
  });

  test('[S5] a sequence already seen is a duplicate, one not seen is not', () => {
    const entry = opened(at(1));
    for (const sequence of [5, 7, 6, 7, 5]) applyEvent(entry, RULES, event({ sequence }), at(1));
    expect(entry.eventCount).toBe(3);
    expect(entry.detail?.duplicateCount).toBe(2);
  });
});

describe('[S7] timeouts', () => {
  test('[S7] an event chooses the timeout of its session, and it stays in force', () => {
    const entry = opened(at(1));
    applyEvent(entry, RULES, event({ timeoutMs: 5_000 }), at(1));
    applyHeartbeat(entry, RULES, at(2));
    expect(entry.timeoutMs).toBe(5_000);
  });

  test.each([
    [99, 100],
    [10_001, 10_000],
  ])('[S7] a timeout of %i ms is clamped to %i ms, and says so', (chosen, inForce) => {
    const entry = opened(at(1));
    const applied = applyEvent(entry, RULES, event({ timeoutMs: chosen }), at(1));
    expect(applied.clamped).toBe(true);
    expect(entry.timeoutMs).toBe(inForce);
  });

  test('[S7] a changed configuration takes effect from the next activity', () => {
    const entry = opened(at(1));
    applyHeartbeat(entry, RULES, at(1));
    const changed = rules({ timeoutMs: 3_000 });
    expect(entry.timeoutMs).toBe(1_000);
    applyHeartbeat(entry, changed, at(2));
    expect(entry.timeoutMs).toBe(3_000);
  });
});

describe('[S10] aggregation', () => {
  test('[S10] counts by type; further types than the maximum are counted together', () => {
    const entry = opened(at(1));
    for (let i = 0; i < TYPES_MAX + 2; i += 1) applyEvent(entry, RULES, event({ type: `T${i}` }), at(1));
    applyHeartbeat(entry, RULES, at(1));
    const summary = summarize(entry, RULES, closing);
    expect(summary.countsByType.get('T0')).toBe(1);
    expect(summary.countsByType.get(OTHER_TYPE)).toBe(2);
    expect(summary.countsByType.get('HEARTBEAT')).toBe(1);
    expect(summary.truncated).toBe(true);
  });

  test('[S10] attributes are last write wins by event time, not by arrival', () => {
    const entry = opened(at(1));
    applyEvent(entry, RULES, event({ occurredAt: 50, attributes: new Map([['page', 'late']]) }), at(100));
    applyEvent(entry, RULES, event({ occurredAt: 20, attributes: new Map([['page', 'early']]) }), at(110));
    expect(summarize(entry, RULES, closing).attributes.get('page')).toBe('late');
  });

  test('[S10] beyond the bounds a value is dropped and the summary says truncated', () => {
    const entry = opened(at(1));
    applyEvent(entry, RULES, event({ attributes: new Map([['a', 'x'.repeat(39)]]) }), at(1));
    expect(entry.detail?.texts?.truncated).toBe(false);
    applyEvent(entry, RULES, event({ attributes: new Map([['b', 'y']]) }), at(2));
    const summary = summarize(entry, RULES, closing);
    expect(summary.truncated).toBe(true);
    expect([...summary.attributes.keys()]).toEqual(['a']);
  });

  test('[S10] with fewer attributes than a session has, a name that it holds takes a new value, and no other comes', () => {
    const entry = opened(at(1));
    const fewer = { ...RULES, maxAttributes: 1 };
    const attributes = new Map([
      ['a', '1'],
      ['b', '1'],
    ]);
    applyEvent(entry, { ...RULES, maxAttributes: 2 }, event({ attributes }), at(1));
    applyEvent(entry, fewer, event({ attributes: new Map([['a', '2']]) }), at(2));
    expect(entry.detail?.texts?.truncated).toBe(false);
    applyEvent(entry, fewer, event({ attributes: new Map([['c', '2']]) }), at(3));
    const summary = summarize(entry, fewer, closing);
    expect(Object.fromEntries(summary.attributes)).toEqual({ a: '2', b: '1' });
    expect(summary.truncated).toBe(true);
  });

  test('[I3] a key called __proto__ is a key like any other', () => {
    const entry = opened(at(1));
    applyEvent(entry, RULES, event({ type: '__proto__', attributes: new Map([['__proto__', 'x']]) }), at(1));
    const summary = summarize(entry, RULES, closing);
    expect(summary.attributes.get('__proto__')).toBe('x');
    expect(summary.countsByType.get('__proto__')).toBe(1);
  });
});

describe('an event that says numbers only', () => {
  const maybe = (most: number): fc.Arbitrary<number | undefined> => fc.option(fc.nat(most), { nil: undefined });
  const anyEvent = fc.record({ occurredAt: maybe(500), sequence: maybe(120), timeoutMs: maybe(9_000) });
  const anyStep = fc.record({ event: anyEvent, at: fc.nat(500), timeoutMs: fc.constantFrom(1_000, 2_000) });

  test('[S1][S5][S6][S7] does to a session by the short way what it does by the other', () => {
    let short = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const [entry, expected] = [opened(at(100)), opened(at(100))];
        for (const { event: said, at: time, timeoutMs } of steps) {
          const [using, next] = [rules({ timeoutMs }), event(said)];
          const { duplicate } = applyEvent(expected, using, next, at(time, time, time + 1));
          const isShort = saysNumbersOnly(next);
          if (isShort) expect(applyNumbers(entry, using, next, at(time, time, time + 1))).toBe(!duplicate);
          else applyEvent(entry, using, next, at(time, time, time + 1));
          if (isShort) short += 1;
          expect(entry).toEqual(expected);
        }
      }),
    );
    expect(short).toBeGreaterThan(0);
  });

  test.each([{ type: 'STARTED' }, { eventId: 'a' }, { timeoutMs: 5 }, { attributes: new Map() }, { source: 'a' }])(
    'says %j besides, and is none',
    (said) => {
      expect(saysNumbersOnly(event({ sequence: 1, ...said }))).toBe(false);
    },
  );
});
