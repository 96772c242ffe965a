// Sessions by event time (C7), on the engine.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { SessionWindow } from '@flatline/kinds/session';
import { DisorderLog, type DisorderSettings, type Summary } from './disorder.fixture.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const T = 1_000_000;
const GRACE = 1_000;

/** Takes events of one key at these times after T, commits and restarts, and returns what is said once all is over. */
function said(times: readonly number[], settings?: DisorderSettings): readonly Summary[] {
  const log = new DisorderLog(settings);
  for (const time of times) {
    log.add(T + time);
    log.commit();
    log.restart();
  }
  return overOf(log);
}

function overOf(log: DisorderLog, key = 'k'): readonly Summary[] {
  log.add(T + 1_000_000, null);
  log.commit();
  return log.said(key);
}

const summary = (first: number, last: number, more: Readonly<Record<string, unknown>> = {}): unknown =>
  expect.objectContaining({ startedAt: T + first, endedAt: T + last, durationMs: last - first, ...more });

describe('sessions by event time', () => {
  test('[C7] what is out of order is one session with what it overlaps, and closes as of deadline and grace', () => {
    const closed = { closedAt: T + 250 + 100 + GRACE, deadlineAt: T + 250 + 100, eventCount: 4 };
    expect(said([250, 100, 180, 20])).toEqual([summary(20, 250, { ...closed, incarnation: '3-0', firstOffset: 0 })]);
  });

  test('[C7] a gap of exactly the timeout closes, whichever side of it comes first', () => {
    const two = [summary(0, 0, { closedAt: T + 100 + GRACE }), summary(100, 100, { closedAt: T + 200 + GRACE })];
    expect(said([0, 100])).toEqual(two);
    expect(said([100, 0])).toEqual(two);
  });

  test('[C7] a late record that bridges two joins them: the survivor has the lowest offset and names the other', () => {
    expect(said([150, 0, 75])).toEqual([
      summary(0, 150, { incarnation: '3-0', absorbed: ['3-1'], firstOffset: 0, lastOffset: 2, eventCount: 3 }),
    ]);
    expect(said([0, 150, 300, 75, 225])).toEqual([summary(0, 300, { absorbed: ['3-1', '3-2'], eventCount: 5 })]);
  });

  test('[C7] what stays open of a key is written again for many that close, not for each: counted', () => {
    const sessions = 300;
    const log = new DisorderLog({ rules: { graceMs: 1_000_000 } });
    for (let i = 0; i < sessions; i += 1) log.add(T + i * 200);
    log.commit();
    const written = jest.spyOn(SessionWindow.prototype, 'detail', 'set');
    log.add(T + 10_000_000, null);
    log.commit();
    expect(log.said('k')).toHaveLength(sessions);
    expect(written.mock.calls.length).toBeLessThan(sessions / 30);
  });

  test('[C7] sessions of a key close one after the other, each as of its own instant, though one record moves the clock past all', () => {
    const closes = [0, 200, 400].map((first) =>
      summary(first, first, { closedAt: T + first + 100 + GRACE, eventCount: 1 }),
    );
    expect(said([400, 0, 200])).toEqual(closes);
  });

  test('[C7] what would be closed by now is late: a dead letter, or dropped, and counted', () => {
    for (const late of ['deadLetter', 'drop'] as const) {
      const log = new DisorderLog({ rules: { late } });
      log.add(T, null);
      const offset = log.add(T - 100 - GRACE);
      const onTime = log.add(T - 99 - GRACE);
      log.commit();
      expect(log.task.counters['lateRecords']).toBe(1);
      expect(log.refused).toEqual(late === 'drop' ? [] : [{ offset, reason: 'late' }]);
      expect(overOf(log)).toEqual([summary(-99 - GRACE, -99 - GRACE, { firstOffset: onTime })]);
    }
  });

  test('[C7] how far behind the clock each record came is measured, with a grace or without', () => {
    for (const graceMs of [0, GRACE]) {
      const log = new DisorderLog({ rules: { graceMs } });
      for (const time of [0, 100, 40, 100, -3_000]) log.add(T + time);
      log.add(T, null);
      log.commit();
      const { atMost, count, sumMs } = log.task.latenessOf(0)!;
      expect({ count, sumMs }).toEqual({ count: 5, sumMs: 60 + 3_100 });
      expect(atMost.slice(0, 4).map((each) => each[1])).toEqual([3, 4, 4, 5]);
    }
  });

  test('[C7] a record of an open session is not late, however old it is', () => {
    const log = new DisorderLog();
    log.add(T);
    log.add(T + 1_050, null);
    log.add(T - 60);
    expect(overOf(log)).toEqual([summary(-60, 0, { eventCount: 2 })]);
    expect(log.refused).toEqual([]);
  });

  test('[S13][C7] what comes beyond maxEvents is a bare heartbeat of the session of its time', () => {
    const log = new DisorderLog({ rules: { maxEvents: 2 } });
    const event = (type: string): object => ({ type, timeoutMs: 90, eventId: type, attributes: { last: type } });
    for (const [time, type] of [
      [0, 'A'],
      [60, 'B'],
      [30, 'C'],
      [500, 'D'],
      [40, 'E'],
      [70, 'E'],
    ] as const) {
      log.add(T + time, 'k', { ...event(type) });
      log.commit();
      log.restart();
    }
    expect(overOf(log)).toEqual([
      summary(0, 70, {
        capped: true,
        eventCount: 5,
        duplicateCount: 0,
        countsByType: { HEARTBEAT: 3, A: 1, B: 1 },
        attributes: { last: 'B' },
      }),
      summary(500, 500, { capped: false, countsByType: { D: 1 } }),
    ]);
    expect(log.task.counters).toMatchObject({ cappedSessions: 1 });
  });

  test('[S13][C7] sessions that an event joins have their events together; its own timeout says what it joins, and no more', () => {
    const log = new DisorderLog({ rules: { maxEvents: 2, minTimeoutMs: 1, maxTimeoutMs: 1_000 } });
    log.add(T, 'k', { type: 'A' });
    log.add(T + 300, 'k', { type: 'B' });
    log.add(T + 90, 'k', { type: 'C', timeoutMs: 250 });
    expect(overOf(log)).toEqual([
      summary(0, 300, {
        capped: true,
        eventCount: 3,
        timeoutMs: 100,
        countsByType: { A: 1, B: 1, HEARTBEAT: 1 },
        absorbed: ['3-1'],
      }),
    ]);
  });

  test('[S13][C7] an end is taken, however many came before it, and what is beyond needs no room', () => {
    const log = new DisorderLog({ rules: { maxEvents: 1 }, maxStateBytes: 300 });
    log.add(T, 'k', { type: 'A' });
    log.add(T + 10, 'k', { type: 'B', attributes: { name: 'x'.repeat(400) } });
    log.add(T + 20, 'k', { type: 'ENDED' });
    log.add(T + 5, 'k', { type: 'C', attributes: { name: 'x'.repeat(400) } });
    expect(overOf(log)).toEqual([
      summary(0, 20, { reason: 'ENDED', capped: true, countsByType: { A: 1, HEARTBEAT: 2, ENDED: 1 }, attributes: {} }),
    ]);
    expect(log.refused).toEqual([]);
  });

  test('[C7] an explicit end closes as of its time and the grace; what comes before it belongs to it, what comes after does not', () => {
    const log = new DisorderLog();
    log.add(T);
    log.add(T + 50, 'k', { type: 'ENDED', occurredAt: T + 49 });
    log.add(T + 51);
    log.add(T + 30, 'k', { attributes: { late: 'yes' } });
    log.add(T + 50);
    log.commit();
    log.restart();
    log.add(T + 49 + GRACE, null);
    log.commit();
    expect(log.said()).toEqual([]);
    log.add(T + 50 + GRACE, null);
    log.commit();
    const ended = { reason: 'ENDED', closedAt: T + 50 + GRACE, eventCount: 4, timeoutMs: 100, deadlineAt: T + 150 };
    expect(log.said()).toEqual([summary(0, 49, { ...ended, attributes: { late: 'yes' } })]);
    expect(overOf(log).slice(1)).toEqual([summary(51, 51, { reason: 'TIMEOUT', eventCount: 1 })]);
  });

  test('[C7] an end that is of no open session ends nothing, and no session is kept for it', () => {
    const log = new DisorderLog();
    log.add(T + 50, 'k', null);
    log.add(T);
    log.add(T + 300, 'k', null);
    expect(overOf(log)).toEqual([summary(0, 0, { reason: 'TIMEOUT' })]);
    expect(log.task.counters['unmatchedEnds']).toBe(2);
  });

  test('[C7][S10] attributes are the last by event time, over sessions that become one; so are counts by type', () => {
    const log = new DisorderLog();
    log.add(T + 150, 'k', { type: 'VIEW', attributes: { page: 'last', only: 'b' } });
    log.add(T, 'k', { type: 'VIEW', attributes: { page: 'first', other: 'a' } });
    log.commit();
    log.restart();
    log.add(T + 75, 'k', { type: 'CLICK', attributes: { page: 'between' } });
    const attributes = { page: 'last', only: 'b', other: 'a' };
    expect(overOf(log)).toEqual([summary(0, 150, { attributes, countsByType: { VIEW: 2, CLICK: 1 } })]);
  });

  test('[C7][S6] sequences of sessions that become one count what is missing once', () => {
    const log = new DisorderLog();
    for (const [time, sequence] of [
      [0, 0],
      [20, 1],
      [200, 5],
      [210, 6],
      [110, 3],
    ] as const)
      log.add(T + time, 'k', { sequence, source: time === 20 ? 'a' : undefined });
    expect(overOf(log)).toEqual([summary(0, 210, { missingCount: 3, eventCount: 5 })]);
  });

  test('[C7][S7] a session that chose its timeout reaches as far as that says', () => {
    const log = new DisorderLog();
    log.add(T, 'k', { timeoutMs: 500 });
    log.add(T + 600);
    log.add(T + 499);
    expect(overOf(log)).toEqual([summary(0, 600, { eventCount: 3, timeoutMs: 500 })]);
  });

  test('[C7][K9] once a key has one session again its bytes are those of a key that never had several', () => {
    const [disordered, plain] = [new DisorderLog(), new DisorderLog()];
    disordered.add(T + 300);
    disordered.add(T);
    disordered.commit();
    expect(disordered.blocks.at(-1)![1]).toBe(5);
    disordered.add(T + 100 + GRACE, null);
    disordered.commit();
    plain.add(T + 300);
    plain.commit();
    expect(plain.blocks.at(-1)![1]).toBe(2);
    expect(disordered.blocks.at(-1)![1]).toBe(2);
    expect(overOf(disordered)).toEqual([summary(0, 0), summary(300, 300)]);
  });

  test('[I7] another session of a key needs room; heartbeats of those that live do not', () => {
    const log = new DisorderLog({ maxStateBytes: 140 });
    log.add(T);
    const refused = log.add(T + 500);
    log.add(T + 50);
    log.add(T - 50);
    expect(overOf(log)).toEqual([summary(-50, 50, { eventCount: 3 })]);
    expect(log.refused).toEqual([{ offset: refused, reason: 'state-full' }]);
  });

  test('[C7] without grace, once there was one, sessions that are open close as of their deadlines, and times do not count', () => {
    const log = new DisorderLog();
    log.add(T + 450);
    log.add(T);
    log.add(T + 460, 'k', null);
    log.commit();
    log.rules = { ...log.rules, graceMs: 0 };
    log.restart();
    log.add(T + 470);
    log.add(T + 300);
    log.commit();
    expect(overOf(log)).toEqual([
      summary(0, 0, { closedAt: T + 100 }),
      summary(450, 460, { reason: 'ENDED', closedAt: T + 460 }),
      summary(300, 470, { closedAt: T + 570 }),
    ]);
  });
});
