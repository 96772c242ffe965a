// Schedules that cannot be reckoned any more: each stops itself, and nothing else (D3).
import { describe, expect, test } from '@jest/globals';
import { CalendarLog } from './schedules-by-calendar.fixture.ts';

const ZONE = 'America/Nuuk';
const DAY = 86_400_000;
const BEGIN = Date.parse('2027-03-01T08:00:00Z');

/** Outputs since `from`: key, receipt or run, and the id. */
function came(log: CalendarLog, from = 0): string[] {
  return log.cameOut.slice(from).map(({ key, headers }) => {
    const what = headers['flatline-receipt'] ?? `run ${headers['flatline-run']}`;
    return [key, what, headers['flatline-schedule-id']].filter(Boolean).join(' ');
  });
}

/** Three schedules, one of them by a zone that the Node which restores them lacks. */
function lacking(receipts: 'none' | 'errors' | 'all' = 'errors'): CalendarLog {
  const log = new CalendarLog({ receipts });
  log.say(BEGIN, 'anna', { cron: '0 9 * * *', 'time-zone': ZONE, 'schedule-id': 'lost' });
  log.say(BEGIN, 'anna', { cron: '0 9 * * *', 'schedule-id': 'honest' });
  log.say(BEGIN, 'bert', { 'every-ms': DAY });
  log.lacks(ZONE);
  log.restart();
  return log;
}

describe('two records that had one name in the calendar', () => {
  test('[D3] the one with a zone that does not exist is a dead letter, whatever came before it, and runs go on', () => {
    const log = new CalendarLog();
    log.say(BEGIN, 'a', { cron: '0 0 0 * * *', 'time-zone': 'UTC' });
    log.say(BEGIN, 'b', { cron: '0 0 * * *', 'time-zone': 'UTC 0' });
    expect(log.refused).toEqual(['invalid-time-zone']);
    log.restart();
    log.tick(BEGIN + DAY);
    expect(came(log)).toEqual(['a run 1']);
  });
});

describe('a stored schedule by a zone that this Node lacks', () => {
  test('[D3] is parked when it is due, and says so with the version of the database; others of its key and partition run', () => {
    const log = lacking();
    log.pass(BEGIN, BEGIN + 3 * DAY, DAY / 4);
    const of = (name: string): string[] => came(log).filter((each) => each.startsWith(name));
    expect(of('anna')).toEqual(['anna run 1 honest', 'anna PARKED lost', 'anna run 2 honest', 'anna run 3 honest']);
    expect(of('bert')).toEqual(['bert run 1', 'bert run 2', 'bert run 3']);
    const parked = log.cameOut.find(({ headers }) => headers['flatline-receipt'] === 'PARKED');
    expect(parked?.headers).toEqual({
      'flatline-receipt': 'PARKED',
      'flatline-due-at': String(Date.parse('2027-03-01T11:00:00Z')),
      'flatline-schedule': '0-0',
      'flatline-schedule-id': 'lost',
      'flatline-tz': '2026z',
    });
    expect(log.task.counters).toMatchObject({ schedulesParked: 1, scheduleRuns: 6 });
  });

  test('[D3] stays so over restarts, silently where no receipts are asked for, and can be cancelled and replaced', () => {
    const log = lacking('none');
    log.tick(BEGIN + DAY);
    log.restart();
    log.tick(BEGIN + 2 * DAY);
    expect(log.task.counters['schedulesParked']).toBe(0);
    const before = log.cameOut.length;
    log.say(BEGIN + 2 * DAY, 'anna', { 'every-ms': DAY, 'schedule-id': 'lost' });
    log.say(BEGIN + 2 * DAY, 'anna', { 'schedule-id': 'honest' }, null);
    log.tick(BEGIN + 3 * DAY);
    expect(came(log, before).sort()).toEqual(['anna run 1 lost', 'bert run 3']);
    const other = lacking('all');
    other.tick(BEGIN + DAY);
    other.say(BEGIN + DAY, 'anna', { 'schedule-id': 'lost' }, null);
    expect(came(other).at(-1)).toBe('anna CANCELLED lost');
  });

  test('[D3][D4] goes on once it is resumed on a Node that has the zone, and is parked again on one that has not', () => {
    const log = lacking('all');
    log.tick(BEGIN + DAY);
    const before = log.cameOut.length;
    log.say(BEGIN + DAY, 'anna', { command: 'RESUME', 'schedule-id': 'lost' });
    expect(came(log, before)).toEqual(['anna RESUMED lost', 'anna PARKED lost']);
    log.lacks(undefined);
    log.restart();
    log.tick(BEGIN + 1.25 * DAY);
    log.say(BEGIN + 1.25 * DAY, 'anna', { command: 'RESUME', 'schedule-id': 'lost' });
    log.tick(BEGIN + 2.5 * DAY);
    expect(came(log).filter((each) => each.endsWith('lost'))).toEqual([
      'anna SCHEDULED lost',
      'anna PARKED lost',
      'anna RESUMED lost',
      'anna PARKED lost',
      'anna RESUMED lost',
      'anna MISSED lost',
      'anna run 1 lost',
    ]);
  });

  test('[D3][D4] is triggered without the calendar, its jitter too', () => {
    const log = new CalendarLog({ receipts: 'errors' });
    log.say(BEGIN, 'anna', { cron: '0 9 * * *', 'time-zone': ZONE, 'jitter-ms': 60_000 });
    log.lacks(ZONE);
    log.restart();
    log.say(BEGIN + 1, 'anna', { command: 'TRIGGER' });
    log.tick(BEGIN + DAY);
    expect(came(log)).toEqual(['anna run 1', 'anna PARKED']);
  });

  test('[D3] is found at its due instant after years, and in a window long past', () => {
    const log = lacking();
    log.tick(BEGIN + 800 * DAY);
    expect(came(log).filter((each) => each.includes('PARKED'))).toEqual(['anna PARKED lost']);
  });

  /** Days `from` to `to`: its producer says it again each morning; half a day later the clock moves. */
  function published(log: CalendarLog, from: number, to: number): string[] {
    const before = log.cameOut.length;
    for (let day = from; day <= to; day += 1) {
      log.say(BEGIN + day * DAY, 'anna', { cron: '0 9 * * *', 'time-zone': ZONE, 'schedule-id': 'lost' });
      log.tick(BEGIN + (day + 0.5) * DAY);
    }
    return came(log, before).filter((each) => each.endsWith('lost'));
  }

  test('[D3] goes on where it is published again on a Node that has the zone, as if resumed, and only there', () => {
    const log = lacking('all');
    log.tick(BEGIN + DAY);
    expect(published(log, 1, 2)).toEqual([]);
    expect(log.refused).toEqual(['invalid-time-zone', 'invalid-time-zone']);
    log.lacks(undefined);
    log.restart();
    log.tick(BEGIN + 3.5 * DAY);
    expect(came(log).at(-1)).not.toContain('lost');
    expect(published(log, 4, 6)).toEqual([
      'anna REPLACED lost',
      'anna MISSED lost',
      'anna run 1 lost',
      'anna REPLACED lost',
      'anna run 2 lost',
      'anna REPLACED lost',
      'anna run 3 lost',
    ]);
    const missed = log.cameOut.map(({ headers }) => headers['flatline-missed']).filter(Boolean);
    expect(missed).toEqual(['4']);
  });

  test('[D3][D4] stays paused where it is published again once it was paused by a command, before or after', () => {
    const after = lacking('all');
    after.tick(BEGIN + DAY);
    after.say(BEGIN + DAY, 'anna', { command: 'PAUSE', 'schedule-id': 'lost' });
    const before = lacking('all');
    before.say(BEGIN, 'anna', { command: 'PAUSE', 'schedule-id': 'lost' });
    before.tick(BEGIN + DAY);
    for (const log of [after, before]) {
      log.lacks(undefined);
      log.restart();
      expect(published(log, 2, 3)).toEqual(['anna REPLACED lost', 'anna REPLACED lost']);
    }
  });

  test('[D3][D4] stays parked over a run that is triggered, and is as parked in the changelog', () => {
    const log = lacking('all');
    log.tick(BEGIN + DAY);
    log.say(BEGIN + DAY, 'anna', { command: 'TRIGGER', 'schedule-id': 'lost' });
    log.lacks(undefined);
    log.restart();
    expect(published(log, 2, 2)).toEqual(['anna REPLACED lost', 'anna MISSED lost', 'anna run 2 lost']);
  });
});
