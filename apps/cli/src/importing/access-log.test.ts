import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseAccessLine, parseAccessTime } from './access-log.ts';

const COMBINED =
  '83.149.9.216 - anna [17/May/2015:10:05:03 +0000] "GET /a\\"b HTTP/1.1" 200 203023 "http://x.org/" "Mozilla/5.0 (X)"';
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

describe('an access log line', () => {
  test('combined: key is the address, time is the instant, fields are unquoted', () => {
    expect(parseAccessLine(COMBINED)).toEqual({
      kind: 'record',
      record: {
        key: '83.149.9.216',
        timestamp: Date.UTC(2015, 4, 17, 10, 5, 3),
        fields: new Map([
          ['user', 'anna'],
          ['request', 'GET /a"b HTTP/1.1'],
          ['status', '200'],
          ['bytes', '203023'],
          ['referer', 'http://x.org/'],
          ['userAgent', 'Mozilla/5.0 (X)'],
        ]),
      },
    });
  });

  test('common: no referer, no agent, dashes are absent fields', () => {
    const parsed = parseAccessLine('::1 - - [17/May/2015:10:05:03 +0200] "-" 304 -');
    expect(parsed).toEqual({
      kind: 'record',
      record: { key: '::1', timestamp: Date.UTC(2015, 4, 17, 8, 5, 3), fields: new Map([['status', '304']]) },
    });
  });

  test.each([
    ['hello'],
    [''],
    [COMBINED.replace('17/May', '31/Apr')],
    [COMBINED.replace('May', 'Mai')],
    [COMBINED.replace('10:05:03', '24:05:03')],
    [COMBINED.replace(' +0000', '')],
  ])('is bad and never a wrong record: %s', (line) => {
    expect(parseAccessLine(line).kind).toBe('bad');
  });

  test('a line that was cut off keeps its record: without the last quote, all fields; cut earlier, fewer', () => {
    const whole = parseAccessLine(COMBINED);
    expect(parseAccessLine(COMBINED.slice(0, -1))).toEqual(whole);
    for (let length = COMBINED.indexOf(']') + 1; length < COMBINED.length; length += 1) {
      const parsed = parseAccessLine(COMBINED.slice(0, length));
      expect(parsed).toMatchObject({ kind: 'record', record: { key: '83.149.9.216' } });
    }
  });

  test('the time reads back, in every zone (rerun with fc.assert(property, { seed, path }) as printed)', () => {
    const instant = fc.integer({ min: 0, max: 4e9 });
    const zone = fc.integer({ min: -12 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(instant, zone, (seconds, zoneMinutes) => {
        const local = new Date((seconds + zoneMinutes * 60) * 1000).toISOString();
        const [year, month, day] = local.slice(0, 10).split('-') as [string, string, string];
        const size = Math.abs(zoneMinutes);
        const offset = `${String(Math.floor(size / 60)).padStart(2, '0')}${String(size % 60).padStart(2, '0')}`;
        const text = `${day}/${months[Number(month) - 1]!}/${year}:${local.slice(11, 19)} ${zoneMinutes < 0 ? '-' : '+'}${offset}`;
        expect(parseAccessTime(text)).toBe(seconds * 1000);
      }),
    );
  });

  test('a long hostile line is refused without backtracking for ever', () => {
    expect(parseAccessLine(`${'a '.repeat(50_000)}[`).kind).toBe('bad');
    expect(parseAccessLine(`a - -${' ['.repeat(500_000)}`).kind).toBe('bad');
    expect(parseAccessLine(`h - - [17/May/2015:10:05:03 +0000] "${'\\'.repeat(99_999)}`).kind).toBe('record');
  });
});
