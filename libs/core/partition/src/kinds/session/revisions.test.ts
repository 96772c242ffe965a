// Closed sessions that what comes late revises (S9), one at a time.
import { describe, expect, test } from '@jest/globals';
import { DisorderLog, type DisorderSettings } from './disorder.fixture.ts';

const T = 1_000_000;

/** A timeout of 100, a grace of 50, and a window of 500: a session of one event at T is due at T + 150, and final at T + 650. */
class Revised extends DisorderLog {
  constructor({ rules, ...others }: DisorderSettings = {}) {
    const own = { timeoutMs: 100, graceMs: 50, late: 'revise' as const, revisionWindowMs: 500 };
    super({ rules: { ...own, ...rules }, tombstones: true, ...others });
  }

  /** At so many milliseconds after T. */
  at(after: number, value: Parameters<DisorderLog['add']>[2] = { type: 'VIEW' }, key: string | null = 'k'): this {
    this.add(T + after, key, value);
    return this;
  }

  /** A record that moves the clock, and all that is due then. */
  clock(after: number): this {
    this.add(T + after, null);
    this.commit();
    return this;
  }

  /** Each word in short: a summary's incarnation, revision, reason, events and times; a tombstone's incarnation. */
  words(key = 'k'): readonly string[] {
    this.commit();
    return this.said(key).map((word) => {
      const { tombstone } = word;
      if (typeof tombstone === 'string') return `final ${tombstone}`;
      const [startedAt, endedAt, closedAt] = ['startedAt', 'endedAt', 'closedAt'].map((name) => Number(word[name]) - T);
      const { incarnation, revision, reason, eventCount } = word;
      return `${String(incarnation)}/${String(revision)} ${String(reason)} ${String(eventCount)} ${startedAt}..${endedAt} at ${closedAt}`;
    });
  }
}

describe('what comes late for a closed session', () => {
  test('[S9] says it again, with one revision more; the tombstone waits for the end of the window', () => {
    const log = new Revised().at(0).clock(160);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150']);
    log.at(10).at(-40);
    const revised = ['3-0/1 TIMEOUT 2 0..10 at 150', '3-0/2 TIMEOUT 3 -40..10 at 150'];
    expect(log.words().slice(1)).toEqual(revised);
    log.clock(649);
    expect(log.words()).toHaveLength(3);
    log.clock(650);
    expect(log.words().slice(3)).toEqual(['final 3-0']);
    expect(log.task.liveEntries).toBe(0);
    expect(log.refused).toEqual([]);
  });

  test('[S9][C7] is a dead letter where it is of no closed session, and once the window is over', () => {
    const log = new Revised().at(0).clock(400).at(-100).at(100);
    expect(log.words()).toHaveLength(1);
    expect(log.refused).toEqual([2, 3].map((offset) => ({ offset, reason: 'late' })));
    log.clock(650).at(10);
    expect(log.words().slice(1)).toEqual(['final 3-0']);
    expect(log.refused.map(({ offset }) => offset)).toEqual([2, 3, 5]);
  });

  test('[S9][S5] a duplicate leaves all as it is', () => {
    const log = new Revised().at(0, { eventId: 'a', sequence: 1 }).clock(160);
    log.at(5, { eventId: 'a' }).at(5, { sequence: 1 }).at(5, { sequence: 2 });
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', '3-0/1 TIMEOUT 2 0..5 at 150']);
    expect(log.said()[1]!['duplicateCount']).toBe(0);
    expect(log.task.counters).toMatchObject({ duplicates: 2, revisions: 1 });
  });

  test('[S9][S13] says it again until it is capped, and an end after that', () => {
    const log = new Revised({ rules: { maxEvents: 2 } }).at(0).clock(200).at(10).at(20).at(30).at(40, '');
    expect(log.words()).toEqual([
      '3-0/0 TIMEOUT 1 0..0 at 150',
      '3-0/1 TIMEOUT 2 0..10 at 150',
      '3-0/2 TIMEOUT 3 0..20 at 150',
    ]);
    expect(log.said().map(({ capped }) => capped)).toEqual([false, false, true]);
    expect(log.task.counters).toMatchObject({ lateRecords: 4, revisions: 2 });
    expect(log.at(15, null).words().slice(3)).toEqual(['3-0/3 ENDED 4 0..15 at 150']);
    expect(log.refused).toEqual([]);
  });

  test('[S9][I2] an end of its time gives it the reason ENDED, and any other end is none', () => {
    const log = new Revised().at(0).clock(200).at(40, null).at(-1, null).at(20);
    expect(log.words()).toEqual([
      '3-0/0 TIMEOUT 1 0..0 at 150',
      '3-0/1 ENDED 2 0..40 at 150',
      '3-0/2 ENDED 3 0..40 at 150',
    ]);
    expect(log.task.counters['unmatchedEnds']).toBe(1);
  });

  test('[S9] is nothing where nothing is late: a pipeline without a window has its tombstones at once', () => {
    const log = new Revised({ rules: { late: 'deadLetter', revisionWindowMs: 0 } }).at(0).clock(160).at(10);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', 'final 3-0']);
  });

  test('[S9][O2] without tombstones nothing says that it is final', () => {
    const log = new Revised({ tombstones: false }).at(0).clock(160).at(10).clock(700);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', '3-0/1 TIMEOUT 2 0..10 at 150']);
    expect(log.task.liveEntries).toBe(0);
  });
});

describe('the window of a closed session', () => {
  test('[S9][S4] ends where the next one opens: the tombstone comes first', () => {
    const log = new Revised().at(0).clock(160).at(300).at(290);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', 'final 3-0']);
    log.clock(460);
    expect(log.words().slice(2)).toEqual(['3-2/0 TIMEOUT 2 290..300 at 450']);
    // It would be the first one's, which is final.
    log.at(10);
    log.commit();
    expect(log.refused).toEqual([{ offset: 5, reason: 'late' }]);
  });

  test('[S9][S3] is over at its end: a record then opens the next', () => {
    const log = new Revised().at(0).clock(160).at(650, '');
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', 'final 3-0']);
    log.clock(900);
    expect(log.words().at(-1)).toBe('3-2/0 TIMEOUT 1 650..650 at 800');
  });

  test('[S9][C7] is that of the last session of its key alone: one that closes beside an open one is final at once', () => {
    const log = new Revised().at(0).at(140).clock(160);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', 'final 3-0']);
    log.clock(300).at(130);
    expect(log.words().slice(2)).toEqual(['3-1/0 TIMEOUT 1 140..140 at 290', '3-1/1 TIMEOUT 2 130..140 at 290']);
  });

  test('[S9][C5] of all that is due at one clock, close and end of the window alike, each has its instant', () => {
    const log = new Revised().at(0).clock(5_000);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', 'final 3-0']);
  });

  test('[S9][R1] goes on in another task, and what it holds is counted there, too', () => {
    const log = new Revised()
      .at(0, { attributes: { page: '/' }, sequence: 4 })
      .clock(200)
      .at(10, { sequence: 6 });
    log.commit();
    const waiting = { closedWaiting: 1, closedWaitingBytes: log.task.stateBytes };
    expect(log.task.counters).toMatchObject(waiting);
    log.restart();
    expect(log.task.counters).toMatchObject(waiting);
    log.at(20, { sequence: 5, attributes: { page: '/cart' } });
    expect(log.words().at(-1)).toBe('3-0/2 TIMEOUT 3 0..20 at 150');
    expect(log.said().at(-1)).toMatchObject({ attributes: { page: '/cart' }, missingCount: 0, outOfOrderCount: 0 });
    log.clock(650);
    expect(log.task.counters).toMatchObject({ closedWaiting: 0, closedWaitingBytes: 0 });
  });

  test('[S9][C7] without grace and without a window, once there were both, a heartbeat opens the next session', () => {
    const log = new Revised().at(0).clock(160);
    log.rules = { ...log.rules, graceMs: 0, late: 'deadLetter', revisionWindowMs: 0 };
    log.restart();
    log.at(200, '').clock(300);
    expect(log.words()).toEqual([
      '3-0/0 TIMEOUT 1 0..0 at 150',
      'final 3-0',
      '3-2/0 TIMEOUT 1 200..200 at 300',
      'final 3-2',
    ]);
  });

  test('[S9] lasts as long as the settings of now say: without one it is over at once', () => {
    const log = new Revised().at(0).clock(160);
    log.rules = { ...log.rules, late: 'deadLetter', revisionWindowMs: 0 };
    log.restart();
    log.at(10);
    expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', 'final 3-0']);
    expect(log.refused).toEqual([{ offset: 2, reason: 'late' }]);
  });
});

test('[S9][I7] what revises a session needs room, and what changes it by a number does not', () => {
  const log = new Revised({ maxStateBytes: 128 + 4 + 60 })
    .at(0)
    .clock(160)
    .at(1, { type: 'x'.repeat(40) })
    .at(2, '');
  expect(log.words()).toEqual(['3-0/0 TIMEOUT 1 0..0 at 150', '3-0/1 TIMEOUT 2 0..2 at 150']);
  expect(log.refused).toEqual([{ offset: 2, reason: 'state-full' }]);
  // Its successor takes its place.
  log.at(400, '');
  expect(log.words().at(-1)).toBe('final 3-0');
});

test('[S9][I7] of the bytes of states so much is left as closes need, which ask for none', () => {
  const log = new Revised({ pageBytesMax: 3 * 60 });
  for (const key of ['a', 'b', 'c', 'd']) log.at(0, '', key);
  log.at(10, { type: 'VIEW' }, 'a').clock(160);
  expect(log.refused).toEqual([3, 4].map((offset) => ({ offset, reason: 'state-full' })));
  expect(log.folded().refused).toEqual([3, 4]);
  expect(log.task.counters).toMatchObject({ closedWaiting: 3 });
  expect(log.task.stateBytes).toBeLessThanOrEqual(3 * (128 + 4 + 60));
});
