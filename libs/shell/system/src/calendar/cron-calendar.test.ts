// Cron expressions where clocks are turned, in three zones: Vixie cron's rules (D3).
import { describe, expect, test } from '@jest/globals';
import { CronCalendar } from './cron-calendar.ts';

const calendar = new CronCalendar('2026z');

/** The runs after `from`, as the zone's clocks show them, and how far it is from one to the next in minutes. */
function runs(cron: string, timeZone: string, from: string, count: number): { at: string[]; apart: number[] } {
  const instants = [Date.parse(from)];
  while (instants.length <= count) instants.push(calendar.next(cron, timeZone, instants.at(-1)!)!);
  const shown = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const found = instants.slice(1);
  return {
    at: found.map((instant) => shown.format(instant)),
    apart: found.slice(1).map((instant, i) => (instant - found[i]!) / 60_000),
  };
}

describe('where clocks are turned', () => {
  test.each([
    ['Europe/Berlin', '2026-10-24T22:50:00Z', 60],
    ['America/New_York', '2026-11-01T04:50:00Z', 60],
    ['Australia/Lord_Howe', '2027-04-03T13:50:00Z', 30],
  ])('[D3] %s: a quarter-hourly one goes on through the hour that comes twice', (zone, from, turned) => {
    const { at, apart } = runs('*/15 * * * *', zone, from, 16);
    expect(new Set(apart)).toEqual(new Set([15]));
    expect(16 - new Set(at).size).toBe(turned / 15);
  });

  test.each([
    [
      'Europe/Berlin',
      '30 2 * * *',
      '2026-10-23T12:00:00Z',
      ['2026-10-24 02:30', '2026-10-25 02:30', '2026-10-26 02:30'],
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T12:00:00Z',
      ['2026-11-01 01:30', '2026-11-02 01:30', '2026-11-03 01:30'],
    ],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2027-04-02T18:00:00Z',
      ['2027-04-04 01:45', '2027-04-05 01:45', '2027-04-06 01:45'],
    ],
    [
      'Europe/Berlin',
      '0 30 2,14 * * *',
      '2026-10-24T14:00:00Z',
      ['2026-10-25 02:30', '2026-10-25 14:30', '2026-10-26 02:30'],
    ],
  ])('[D3] %s: a fixed hour that comes twice runs once: %s', (zone, cron, from, at) => {
    expect(runs(cron, zone, from, 3).at).toEqual(at);
  });

  test.each([
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29 03:00', '2026-03-30 02:30']],
    ['America/New_York', '0 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-08 03:00', '2026-03-09 02:00']],
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00:00Z', ['2026-10-04 02:30', '2026-10-05 02:15']],
    ['Europe/Berlin', '30 2,14 * * *', '2026-03-28T14:00:00Z', ['2026-03-29 03:00', '2026-03-29 14:30']],
  ])('[D3] %s: a fixed hour that does not exist runs at the next instant that does: %s', (zone, cron, from, at) => {
    expect(runs(cron, zone, from, 2).at).toEqual(at);
  });

  test('[D3] each hour by its number is hourly: none is left out', () => {
    expect(new Set(runs('5 0-23 * * *', 'Europe/Berlin', '2026-10-24T20:00:00Z', 8).apart)).toEqual(new Set([60]));
    expect(new Set(runs('5 0-23 * * *', 'Europe/Berlin', '2026-03-28T20:00:00Z', 8).apart)).toEqual(new Set([60]));
  });

  test('[D3] the second of two equal hours is not the first again, whichever run came before', () => {
    const second = Date.parse('2026-10-25T01:05:00Z');
    expect(new Date(calendar.next('30 2 * * *', 'Europe/Berlin', second)!).toISOString()).toBe(
      '2026-10-26T01:30:00.000Z',
    );
    expect(new Date(calendar.next('*/15 * * * *', 'Europe/Berlin', second)!).toISOString()).toBe(
      '2026-10-25T01:15:00.000Z',
    );
  });
});

describe('expressions', () => {
  test.each([
    ['0 0 L * *', ['2027-01-31 00:00', '2027-02-28 00:00', '2027-03-31 00:00']],
    ['0 9 * * 1#2', ['2027-01-11 09:00', '2027-02-08 09:00', '2027-03-08 09:00']],
    ['0 0 13 * FRI', ['2027-01-08 00:00', '2027-01-13 00:00', '2027-01-15 00:00']],
    ['0 0 29 2 *', ['2028-02-29 00:00', '2032-02-29 00:00', '2036-02-29 00:00']],
    ['30 0 0 1 * *', ['2027-02-01 00:00', '2027-03-01 00:00', '2027-04-01 00:00']],
  ])('[D3] %s', (cron, at) => {
    expect(calendar.fault(cron, 'UTC')).toBeUndefined();
    expect(runs(cron, 'UTC', '2027-01-01T06:00:00Z', 3).at).toEqual(at);
  });

  test('[D3] one that never runs', () => {
    expect(calendar.fault('0 0 31 2 *', 'UTC')).toBeUndefined();
    expect(calendar.next('0 0 31 2 *', 'UTC', Date.parse('2027-01-01T00:00:00Z'))).toBeUndefined();
  });

  test.each(['', '* * *', '60 * * * *', '@hourly', '* * * * * * 2030', '2027-01-01T00:00:00Z', 'x * * * *'])(
    '[D3][I1] "%s" is none',
    (cron) => {
      expect(calendar.fault(cron, 'UTC')?.about).toBe('cron');
    },
  );

  test('[D3][I1] a zone that does not exist', () => {
    expect(calendar.fault('* * * * *', 'Europe/Atlantis')).toEqual({
      about: 'time-zone',
      detail: 'there is no time zone Europe/Atlantis',
    });
  });
});
