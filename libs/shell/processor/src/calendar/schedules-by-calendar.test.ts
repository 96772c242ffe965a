// Bugs that users of other schedulers report, each tried over the whole way of a record: engine, kind, calendar, restore.
import { describe, expect, test } from '@jest/globals';
import { CalendarLog } from './schedules-by-calendar.fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('what users of schedulers report', () => {
  test('[D3] published again at each start of a service, a recurrence is neither doubled nor postponed, whatever restarts', () => {
    const log = new CalendarLog();
    const begin = Date.parse('2027-03-01T00:00:00Z');
    // The service starts each 40 minutes, the processor each two hours: "each hour" would never come, or come twice.
    for (let minute = 0; minute <= 12 * 60; minute += 1) {
      const at = begin + minute * MINUTE;
      if (minute % 40 === 0) {
        log.say(at, 'every', { 'every-ms': HOUR }, String(minute));
        log.say(at, 'cron', { cron: '0 * * * *', 'time-zone': 'Europe/Berlin' }, String(minute));
      }
      if (minute % 120 === 50) log.restart();
      log.tick(at);
    }
    for (const key of ['every', 'cron']) {
      const runs = log.cameOut.filter((each) => each.key === key);
      expect(runs.map(({ at }) => (at - begin) / HOUR)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
      expect(runs.map(({ headers }) => headers['flatline-run'])).toEqual(runs.map((_, i) => String(i + 1)));
    }
    // Each with the value that was published last.
    expect(
      log.cameOut
        .filter(({ key }) => key === 'every')
        .map(({ value }) => value)
        .slice(0, 3),
    ).toEqual(['40', '80', '160']);
  });

  test('[D1] two reminders of one user live side by side: neither replaces, cancels or delays the other', () => {
    const log = new CalendarLog();
    const begin = '2027-03-01T08:00:00Z';
    log.say(begin, 'anna', { 'due-at': '2027-03-01T09:00:00Z', 'schedule-id': 'dentist' }, 'dentist');
    log.say(begin, 'anna', { 'due-at': '2027-03-01T09:00:00Z', 'schedule-id': 'school' }, 'school');
    log.say(begin, 'anna', { 'due-at': '2027-03-01T08:30:00Z' }, 'without an id');
    log.say('2027-03-01T08:10:00Z', 'anna', { 'schedule-id': 'school' }, null);
    log.say(
      '2027-03-01T08:10:00Z',
      'anna',
      { 'due-at': '2027-03-01T10:00:00Z', 'schedule-id': 'school' },
      'school, later',
    );
    log.pass('2027-03-01T08:11:00Z', '2027-03-01T11:00:00Z', MINUTE);
    expect(log.cameOut.map(({ value, at }) => [value, new Date(at).toISOString().slice(11, 16)])).toEqual([
      ['without an id', '08:30'],
      ['dentist', '09:00'],
      ['school, later', '10:00'],
    ]);
  });

  test('[D3] the last day of the month comes in each, the 31st in months that have one, and no month twice', () => {
    const log = new CalendarLog();
    const zone = 'America/New_York';
    log.say('2027-01-01T06:00:00Z', 'last', { cron: '0 9 L * *', 'time-zone': zone });
    log.say('2027-01-01T06:00:00Z', '31st', { cron: '0 9 31 * *', 'time-zone': zone });
    log.pass('2027-01-01T06:00:00Z', '2028-03-02T00:00:00Z', 6 * HOUR);
    const days = (key: string): string[] => log.dueIn(zone, key).map((at) => at.slice(2, 10));
    expect(days('last')).toEqual(
      '27-01-31 27-02-28 27-03-31 27-04-30 27-05-31 27-06-30 27-07-31 27-08-31 27-09-30 27-10-31 27-11-30 27-12-31 28-01-31 28-02-29'.split(
        ' ',
      ),
    );
    expect(days('31st')).toEqual('27-01-31 27-03-31 27-05-31 27-07-31 27-08-31 27-10-31 27-12-31 28-01-31'.split(' '));
    expect(log.dueIn(zone, 'last').every((at) => at.endsWith(' 09:00'))).toBe(true);
  });

  test.each([
    ['Europe/Berlin', '2026-10-24T23:00:00Z', '02:', 8],
    ['America/New_York', '2026-11-01T04:00:00Z', '01:', 8],
    ['Australia/Lord_Howe', '2027-04-03T13:00:00Z', '01:', 6],
  ])(
    '[D3] %s: a quarter-hourly one is not dark in the hour that comes twice, nor runs twice at once',
    (zone, from, hour, count) => {
      const log = new CalendarLog();
      log.say(from, 'quarter', { cron: '*/15 * * * *', 'time-zone': zone });
      log.pass(from, Date.parse(from) + 5 * HOUR, MINUTE);
      const instants = log.cameOut.map(({ headers }) => Number(headers['flatline-due-at']));
      expect(instants.slice(1).map((instant, i) => instant - instants[i]!)).toEqual(
        Array<number>(19).fill(15 * MINUTE),
      );
      // Half of Lord Howe's hour comes twice.
      expect(log.dueIn(zone, 'quarter').filter((at) => at.slice(11).startsWith(hour))).toHaveLength(count);
    },
  );

  test.each([
    ['Europe/Berlin', '2026-10-24T12:00:00Z', '30 2 * * *', '2026-10-25 02:30', '2026-10-26 02:30'],
    ['America/New_York', '2026-10-31T12:00:00Z', '30 1 * * *', '2026-11-01 01:30', '2026-11-02 01:30'],
    ['Australia/Lord_Howe', '2027-04-03T01:00:00Z', '45 1 * * *', '2027-04-04 01:45', '2027-04-05 01:45'],
    ['Europe/Berlin', '2027-03-27T12:00:00Z', '30 2 * * *', '2027-03-28 03:00', '2027-03-29 02:30'],
    ['America/New_York', '2027-03-13T12:00:00Z', '30 2 * * *', '2027-03-14 03:00', '2027-03-15 02:30'],
    ['Australia/Lord_Howe', '2026-10-03T01:00:00Z', '15 2 * * *', '2026-10-04 02:30', '2026-10-05 02:15'],
  ])(
    '[D3] %s, clocks turned after %s: "%s" runs once each day, and on no day not at all',
    (zone, from, cron, ...days) => {
      const log = new CalendarLog();
      log.say(from, 'daily', { cron, 'time-zone': zone });
      log.pass(from, Date.parse(from) + 1.9 * DAY, 10 * MINUTE);
      log.restart();
      log.tick(Date.parse(from) + 1.95 * DAY);
      expect(log.dueIn(zone, 'daily')).toEqual(days);
    },
  );

  test('[D2] a run that comes far too late does not come any more, once or recurring, and says so if it is asked to', () => {
    const log = new CalendarLog({ receipts: 'errors' });
    const begin = '2027-03-01T08:00:00Z';
    log.say(begin, 'once', { 'delay-ms': HOUR, 'expires-ms': 10 * MINUTE });
    log.say(begin, 'daily', { cron: '0 9 * * *', 'expires-ms': HOUR });
    log.say(begin, 'patient', { 'delay-ms': HOUR });
    // Nothing can be written for two days.
    log.restart();
    log.tick('2027-03-03T12:00:00Z');
    log.tick('2027-03-04T09:00:00Z');
    expect(
      log.cameOut.map(({ key, headers }) => [key, headers['flatline-receipt'] ?? 'run', headers['flatline-missed']]),
    ).toEqual(
      expect.arrayContaining([
        ['once', 'EXPIRED', undefined],
        ['daily', 'EXPIRED', undefined],
        ['patient', 'run', undefined],
        ['daily', 'run', '3'],
      ]),
    );
    expect(log.cameOut).toHaveLength(4);
  });

  test('[D2] one that is due years ahead costs its entry and nothing else: no look at it, no byte of the log, until it is due', () => {
    const log = new CalendarLog();
    const begin = Date.parse('2027-03-01T08:00:00Z');
    for (let i = 0; i < 50; i += 1)
      log.say(begin, `far-${i}`, { 'due-at': Date.parse('2037-03-01T08:00:00Z') + i, 'schedule-id': 'x' });
    const empty = new CalendarLog();
    empty.tick(begin);
    const before = [log.logBytes, empty.logBytes];
    // A year of hours.
    for (const each of [log, empty]) each.pass(begin + HOUR, begin + 365 * DAY, HOUR);
    const [grown, nothing] = [log.logBytes - before[0]!, empty.logBytes - before[1]!];
    // Headers of commits alone; a number in them is a byte longer.
    expect(grown - nothing).toBeLessThan(12 * 365 * 24);
    expect(log.task.counters.expired).toBe(0);
    expect(log.task.liveEntries).toBe(50);
    log.restart();
    log.tick('2037-03-01T08:00:00.020Z');
    expect(log.cameOut).toHaveLength(21);
    log.tick('2037-03-02T08:00:00Z');
    expect(log.cameOut).toHaveLength(50);
  });
});
