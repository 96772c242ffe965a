// One session, several senders (S5).
import { describe, expect, test } from '@jest/globals';
import { applyEvent, type SessionEntry, type SessionRules, summarize } from './index.ts';
import { growthAtMost, growthOf } from './growth.ts';
import { at, closing, event, opened, rules } from './session.fixture.ts';

/** Applies events in this order, each as `source:sequence`; one that begins with `+` is a start. */
function said(entry: SessionEntry, using: SessionRules, ...words: readonly string[]): string[] {
  return words.map((word, i) => {
    const [, start, source, sequence] = /^(\+?)(.*):(\d+)$/.exec(word)!;
    const type = start === '' ? 'VIEW' : 'STARTED';
    const given = event({ type, source: source === '' ? undefined : source, sequence: Number(sequence) });
    const { duplicate, forgottenSources } = applyEvent(entry, using, given, at(2 + i));
    return duplicate ? 'duplicate' : forgottenSources > 0 ? `forgot ${forgottenSources}` : 'new';
  });
}

const summaryOf = (entry: SessionEntry, using: SessionRules): ReturnType<typeof summarize> =>
  summarize(entry, using, closing);

describe('[S5] sources of a session', () => {
  test('[S5][S6] each has a window of its own, and so has the unnamed one; what is missing adds up', () => {
    const using = rules({ maxSources: 2 });
    const entry = opened(at(1), using);
    expect(said(entry, using, ':0', 'a:0', 'b:0', 'a:1', 'b:0', ':0', 'b:3', 'a:4', 'a:3', ':2')).toEqual([
      'new',
      'new',
      'new',
      'new',
      'duplicate',
      'duplicate',
      'new',
      'new',
      'new',
      'new',
    ]);
    // b lacks 1 and 2, a lacks 2, the unnamed one 1.
    expect(summaryOf(entry, using)).toMatchObject({ eventCount: 8, duplicateCount: 2, missingCount: 4 });
  });

  test('[S5][S6] a start begins its own source again, and no other; what was missing before still counts', () => {
    const using = rules({ maxSources: 2 });
    const entry = opened(at(1), using);
    const words = ['+a:0', '+b:0', 'a:2', 'b:1', '+a:0', 'a:1', 'b:1', 'b:2', '+:5', '+:0', 'b:2', 'a:1'];
    expect(said(entry, using, ...words)).toEqual([
      'new',
      'new',
      'new',
      'new',
      'new',
      'new',
      'duplicate',
      'new',
      'new',
      'new',
      'duplicate',
      'duplicate',
    ]);
    expect(summaryOf(entry, using).missingCount).toBe(1);
  });

  test('[S5][S6] beyond maxSources the one least recently heard is forgotten, and counted; what it lacked still counts', () => {
    const using = rules({ maxSources: 2 });
    const entry = opened(at(1), using);
    expect(said(entry, using, 'a:0', 'b:0', 'a:0', 'b:5', 'a:0', 'c:0', 'a:0', 'b:5', 'c:0')).toEqual([
      'new',
      'new',
      'duplicate',
      'new',
      'duplicate',
      'forgot 1',
      'duplicate',
      'forgot 1',
      'forgot 1',
    ]);
    expect(summaryOf(entry, using).missingCount).toBe(4);
  });

  test('[S5] a lowered maxSources holds for the next source that comes; 0 makes all of them the unnamed one', () => {
    const entry = opened(at(1));
    said(entry, rules({ maxSources: 8 }), ...Array.from({ length: 8 }, (_, i) => `s${i}:0`));
    expect(said(entry, rules({ maxSources: 2 }), 's0:0', 'other:0', 's0:0')).toEqual([
      'duplicate',
      'forgot 7',
      'duplicate',
    ]);
    expect(said(entry, rules({ maxSources: 0 }), 's0:0', 'any:0', 'any:1', 's0:1')).toEqual([
      'new',
      'duplicate',
      'new',
      'duplicate',
    ]);
  });

  test('[S5] an event id that was seen is a duplicate whichever source it comes from, and takes no number', () => {
    const using = rules({ maxSources: 2 });
    const entry = opened(at(1), using);
    const given = ['a', 'b'].map((source) => event({ type: 'VIEW', eventId: 'e', source, sequence: 0 }));
    expect(given.map((each) => applyEvent(entry, using, each, at(2)).duplicate)).toEqual([false, true]);
    expect(said(entry, using, 'b:0')).toEqual(['new']);
  });

  test('[I7] what a source needs is known before it is noted, and is bounded', () => {
    const using = rules({ maxSources: 64 });
    const entry = opened(at(1), using);
    const greatest = Number.MAX_SAFE_INTEGER;
    for (let i = 0; i < 200; i += 1) {
      const source = String(i % 100).padStart(64, '\u20ac'.repeat(2));
      const given = event({ source, sequence: i % 7 === 0 ? greatest : i });
      const exact = growthOf(entry, using, given, at(i));
      const before = entry.detail?.texts?.state.length ?? 0;
      applyEvent(entry, using, given, at(i));
      expect((entry.detail?.texts?.state.length ?? 0) - before).toBe(exact);
      expect(growthAtMost(given, using)).toBeGreaterThanOrEqual(exact);
    }
    expect(entry.detail!.texts!.state.length).toBeLessThan(64 * 256);
  });

  test('[I7] a heartbeat needs no room for what its rules do not remember', () => {
    const given = event({ source: 's', sequence: 7, eventId: 'e' });
    expect(growthAtMost(given, rules({ maxSources: 0, dedupeEventIds: 0 }))).toBe(0);
    expect(growthAtMost(given, rules({ maxSources: 1, dedupeEventIds: 0 }))).toBeGreaterThan(0);
    expect(growthAtMost(given, rules({ maxSources: 0, dedupeEventIds: 1 }))).toBeGreaterThan(0);
  });
});
