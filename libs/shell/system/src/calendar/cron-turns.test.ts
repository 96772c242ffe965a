// Cron expressions where clocks are turned, by the set of hours that they name (D3): what users of other calendars miss.
import { describe, expect, test } from '@jest/globals';
import { CronCalendar } from './cron-calendar.ts';

const calendar = new CronCalendar('2026z');

/** The runs after `from`, as the zone's clocks show them. */
function runs(cron: string, timeZone: string, from: string, count: number): string[] {
  const instants = [Date.parse(from)];
  while (instants.length <= count) instants.push(calendar.next(cron, timeZone, instants.at(-1)!)!);
  const shown = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return instants.slice(1).map((instant) => shown.format(instant));
}

describe('a fixed time that clocks pass over comes at the first instant that shows it or a later one', () => {
  test.each([
    ['America/Nuuk', '15 23 * * *', '2027-03-27T12:00:00Z', ['2027-03-28 00:00', '2027-03-28 23:15']],
    ['America/Scoresbysund', '15 23 * * *', '2027-03-27T12:00:00Z', ['2027-03-28 00:00', '2027-03-28 23:15']],
    ['Asia/Pyongyang', '45 23 * * *', '2018-05-03T15:20:00Z', ['2018-05-05 00:00', '2018-05-05 23:45']],
    ['Pacific/Apia', '0 9 * * *', '2011-12-29T20:00:00Z', ['2011-12-31 00:00', '2011-12-31 09:00']],
    ['Pacific/Apia', '0 9 30 12 *', '2011-01-01T00:00:00Z', ['2011-12-31 00:00', '2012-12-30 09:00']],
    ['Europe/Berlin', '30 2-22/4 * * *', '2027-03-27T22:00:00Z', ['2027-03-28 03:00', '2027-03-28 06:30']],
    ['Europe/Berlin', '*/15 2 * * *', '2027-03-27T12:00:00Z', ['2027-03-28 03:00', '2027-03-29 02:00']],
    ['Europe/Berlin', '0 */2 * * *', '2027-03-27T23:30:00Z', ['2027-03-28 03:00', '2027-03-28 04:00']],
    [
      'America/New_York',
      '0 1-3 * * *',
      '2027-03-14T05:30:00Z',
      ['2027-03-14 01:00', '2027-03-14 03:00', '2027-03-15 01:00'],
    ],
    ['America/Havana', '30 0 * * *', '2027-03-13T12:00:00Z', ['2027-03-14 01:00', '2027-03-15 00:30']],
  ])('[D3] %s: %s', (zone, cron, from, at) => {
    expect(runs(cron, zone, from, at.length)).toEqual(at);
  });
});

describe('a fixed time that comes twice runs the first time', () => {
  test.each([
    ['Europe/Berlin', '30 2-22/4 * * *', '2026-10-24T22:30:00Z', ['2026-10-25 02:30', '2026-10-25 06:30']],
    [
      'Europe/Berlin',
      '*/30 2 * * *',
      '2026-10-24T22:30:00Z',
      ['2026-10-25 02:00', '2026-10-25 02:30', '2026-10-26 02:00'],
    ],
    [
      'America/New_York',
      '0 1-3 * * *',
      '2026-11-01T04:30:00Z',
      ['2026-11-01 01:00', '2026-11-01 02:00', '2026-11-01 03:00'],
    ],
    ['America/Nuuk', '30 23 * * *', '2026-10-24T12:00:00Z', ['2026-10-24 23:30', '2026-10-25 23:30']],
  ])('[D3] %s: %s', (zone, cron, from, at) => {
    expect(runs(cron, zone, from, at.length)).toEqual(at);
  });
});

describe('what names each hour, however it is written, comes whenever the clocks show it', () => {
  const hours = ['*', '0-23', '0-11,12-23', '*/1', '1-23,0', '0-23/1', '*/2,1-23/2'];

  test.each(hours)('[D3] 5 %s: each hour, where clocks go back and where they go forward', (field) => {
    for (const from of ['2026-10-24T20:00:00Z', '2027-03-27T20:00:00Z']) {
      let at = Date.parse(from) + 5 * 60_000 - 3_600_000;
      for (let i = 0; i < 12; i += 1) {
        const next = calendar.next(`5 ${field} * * *`, 'Europe/Berlin', at)!;
        expect(next - at).toBe(3_600_000);
        at = next;
      }
    }
  });
});

describe('expressions', () => {
  test.each([
    // Only days that are both: as in Vixie cron, a field that begins with a star names none by itself.
    ['0 0 */2 * MON', ['2027-01-11 00:00', '2027-01-25 00:00', '2027-02-01 00:00']],
    ['0 0 13 * */2', ['2027-02-13 00:00', '2027-03-13 00:00', '2027-04-13 00:00']],
    ['0 0 1-31 * MON', ['2027-01-02 00:00', '2027-01-03 00:00', '2027-01-04 00:00']],
    ['0 0 * * FRIL', ['2027-01-29 00:00', '2027-02-26 00:00', '2027-03-26 00:00']],
    ['0 0 * JAN,mar Fri-Sun', ['2027-01-02 00:00', '2027-01-03 00:00', '2027-01-08 00:00']],
    ['\t0  0 ? * 7 ', ['2027-01-03 00:00', '2027-01-10 00:00', '2027-01-17 00:00']],
  ])('[D3] %s', (cron, at) => {
    expect(calendar.fault(cron, 'UTC')).toBeUndefined();
    expect(runs(cron, 'UTC', '2027-01-01T06:00:00Z', 3)).toEqual(at);
  });

  test.each([
    '1 Jan 2027 10:00:00 GMT',
    'Fri, 01 Jan 2027 10:00:00',
    '0 0 1 1 * 10:00',
    '0 0 15W * *',
    '0 0 LW * *',
    '0 0 * * +MON',
    '0 0 * * MON#6',
    '0 0 * * 8',
    '0 0 0 * *',
    '0 24 * * *',
    '5/15 * * * *',
    '*/0 * * * *',
    '*/61 * * * *',
    '30-10 * * * *',
    '1,,2 * * * *',
    '0 0 * JANUARY *',
    '0 0 * * *#2',
    '-1 * * * *',
    '0x1 * * * *',
    '0\u00a00 * * *',
  ])('[D3][I1] "%s" is none, and its fault says which it is', (cron) => {
    const fault = calendar.fault(cron, 'UTC');
    expect(fault?.about).toBe('cron');
    expect(fault?.detail).toContain(cron);
  });

  test('[D3] two that have one text with their zone are two', () => {
    const shared = new CronCalendar('2026z');
    expect(shared.fault('0 0 0 * * *', 'UTC')).toBeUndefined();
    expect(shared.fault('0 0 * * *', 'UTC 0')?.about).toBe('time-zone');
    const midnight = Date.parse('2027-01-01T00:00:00Z');
    expect(shared.next('0 0 0 * * *', 'UTC', midnight - 1)).toBe(midnight);
  });

  test('[D3] what can never be is known as such, and what is rare is found, up to the end of time', () => {
    const from = Date.parse('2027-01-01T00:00:00Z');
    for (const cron of ['0 0 31 2,4,6 *', '0 0 30 2 *', '0 0 */30 * MON#2'])
      expect([cron, calendar.next(cron, 'Europe/Berlin', from)]).toEqual([cron, undefined]);
    // The 29th of February as a Monday, across a century without one.
    expect(runs('0 0 */1 2 MON#5', 'UTC', '2072-03-01T00:00:00Z', 1)).toEqual(['2112-02-29 00:00']);
    expect(calendar.next('* * * * *', 'UTC', 8.64e15)).toBeUndefined();
    expect(calendar.next('0 0 1 1 *', 'Europe/Berlin', 8.64e15 - 1)).toBeUndefined();
  });
});
