import { describe, expect, test } from '@jest/globals';
import { CheckCalendar } from './check-calendar.ts';

const calendar = new CheckCalendar('2026z');
const at = (text: string): number => Date.parse(text);

describe('[D1] instants as headers say them', () => {
  test.each([
    ['0', 0],
    ['1795278324502', 1_795_278_324_502],
    ['8640000000000000', 8.64e15],
    ['2026-11-22T10:00Z', at('2026-11-22T10:00:00Z')],
    ['2026-11-22T10:00:07.5+01:00', at('2026-11-22T09:00:07.500Z')],
    ['2026-11-22T10:00:07,123456789-0330', at('2026-11-22T13:30:07.123Z')],
    ['2028-02-29T00:00:00Z', at('2028-02-29T00:00:00Z')],
  ])('%s is one', (text, instant) => {
    expect(calendar.instant(text)).toBe(instant);
  });

  test.each([
    '',
    'tomorrow',
    '-1',
    '8640000000000001',
    '2026-11-22',
    '2026-11-22T10:00',
    '2026-02-29T00:00:00Z',
    '2026-11-22T24:00Z',
    '2026-11-22T10:00:60Z',
    '1969-12-31T23:59:59Z',
    '0075-01-01T00:00Z',
  ])('"%s" is none', (text) => {
    expect(calendar.instant(text)).toBeUndefined();
  });
});

describe('[D3] cron expressions', () => {
  test('of five or six fields, in a zone that exists, are sound', () => {
    expect(calendar.isSound('*/15 * * * *', 'Europe/Berlin')).toBe(true);
    expect(calendar.isSound('0 0 8 L * *', 'UTC')).toBe(true);
    expect(calendar.isSound('* * * * * * *', 'UTC')).toBe(false);
    expect(calendar.isSound('61 * * * *', 'UTC')).toBe(false);
    expect(calendar.isSound('* * * * *', 'Europe/Atlantis')).toBe(false);
  });

  test('go by their zone, one after another', () => {
    const noon = (after: string, zone: string): number | undefined => calendar.next('0 12 * * *', zone, at(after));
    expect(noon('2026-07-01T00:00Z', 'Europe/Berlin')).toBe(at('2026-07-01T10:00Z'));
    expect(noon('2026-12-01T00:00Z', 'Europe/Berlin')).toBe(at('2026-12-01T11:00Z'));
    expect(noon('2026-12-01T00:00Z', 'America/New_York')).toBe(at('2026-12-01T17:00Z'));
  });
});
