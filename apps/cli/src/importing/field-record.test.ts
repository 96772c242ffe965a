import { describe, expect, test } from '@jest/globals';
import { importedValue } from './event-value.ts';
import { jsonLineParser } from './field-record.ts';
import { parseFieldTime } from './field-time.ts';
import type { ParsedLine } from './source-record.ts';

const parse = jsonLineParser({ key: 'user', time: 'at' });
const eventOf = (parsed: ParsedLine): unknown =>
  parsed.kind === 'record'
    ? JSON.parse(new TextDecoder().decode(importedValue(parsed.record, 'event')))
    : parsed.reason;

describe('a time in a field', () => {
  test.each([
    ['2015-05-17T10:05:03Z', 1431857103000],
    ['2015-05-17 12:05:03.5+02:00', 1431857103500],
    ['2015-05-17T12:05+0200', 1431857100000],
    ['2015-05-17t10:05:03,123456789z', 1431857103123],
    ['2015-05-17T05:05:03-05', 1431857103000],
    [1431857103, 1431857103000],
    ['1431857103', 1431857103000],
    [1431857103.123, 1431857103123],
    ['1431857103.123456', 1431857103123],
    [1431857103123, 1431857103123],
    ['1431857103123', 1431857103123],
    [0, 0],
  ])('%p is %p', (text, ms) => {
    expect(parseFieldTime(text)).toBe(ms);
  });

  test.each([
    ['2015-05-17T10:05:03', 'no time zone'],
    ['2015-02-31T10:05:03Z', 'not a time that exists'],
    ['2015-05-17T25:05:03Z', 'not a time that exists'],
    ['yesterday', 'neither ISO 8601'],
    ['', 'neither ISO 8601'],
    [-5, 'not a Unix time'],
    [1e300, 'not a Unix time'],
    [null, 'neither a number'],
    [true, 'neither a number'],
  ])('%p is refused: %s', (text, reason) => {
    expect(parseFieldTime(text)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

describe('a JSON line', () => {
  test('gives key and time; event fields stay themselves, the others become attributes', () => {
    const line =
      '{"user":"anna","at":1431857103,"type":"VIEW","sequence":7,"page":"/a","n":2,"deep":{"x":[1]},"none":null}';
    const parsed = parse(line);
    expect(parsed).toMatchObject({ kind: 'record', record: { key: 'anna', timestamp: 1431857103000 } });
    expect(eventOf(parsed)).toEqual({
      type: 'VIEW',
      sequence: 7,
      attributes: { page: '/a', n: '2', deep: '{"x":[1]}' },
    });
  });

  test('an event field of the wrong type is an attribute, not a bad event', () => {
    expect(eventOf(parse('{"user":1,"at":1,"sequence":-1,"timeoutMs":"soon","type":5}'))).toEqual({
      attributes: { sequence: '-1', timeoutMs: 'soon', type: '5' },
    });
  });

  test('attributes given as an object are taken as they are', () => {
    expect(eventOf(parse('{"user":"a","at":1,"attributes":{"k":"v","n":1}}'))).toEqual({
      attributes: { k: 'v', n: '1' },
    });
  });

  test('[I3] __proto__ is a name like any other', () => {
    const parsed = parse('{"user":"a","at":1,"__proto__":"x"}');
    expect(parsed.kind === 'record' && new TextDecoder().decode(importedValue(parsed.record, 'event'))).toBe(
      '{"attributes":{"__proto__":"x"}}',
    );
  });

  test.each([
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{"user":"a","at":', 'not a JSON object'],
    ['{"at":1}', "field 'user'"],
    ['{"user":"","at":1}', "field 'user'"],
    ['{"user":{},"at":1}', "field 'user'"],
    ['{"user":"a"}', "field 'at' is missing"],
    ['{"user":"a","at":"x"}', "field 'at'"],
  ])('%s is bad: %s', (line, reason) => {
    expect(parse(line)).toEqual({ kind: 'bad', reason: expect.stringContaining(reason) });
  });

  test('a bare heartbeat is an empty value', () => {
    const parsed = parse('{"user":"a","at":1,"page":"/"}');
    expect(parsed.kind === 'record' && importedValue(parsed.record, 'empty').length).toBe(0);
  });
});
