import { describe, expect, test } from '@jest/globals';
import { receiptIn, runIn } from './runs.ts';

const utf8 = new TextEncoder();
const headers = (of: Readonly<Record<string, string>>): { name: string; value: Uint8Array }[] =>
  Object.entries(of).map(([name, value]) => ({ name, value: utf8.encode(value) }));
const VALUE = Uint8Array.of(1);

describe('a run', () => {
  test('[D2] is what its headers say, and has its message as it came', () => {
    const own = { 'flatline-due-at': '1700000000000', 'flatline-schedule': '3-42', 'flatline-run': '7' };
    const foreign = headers({ trace: 'abc' });
    expect(runIn(VALUE, [...foreign, ...headers(own)])).toEqual({
      schedule: '3-42',
      scheduleId: undefined,
      number: 7,
      last: false,
      dueAt: 1_700_000_000_000,
      missed: 0,
      tz: undefined,
      value: VALUE,
      headers: foreign,
    });
    const more = {
      'flatline-schedule-id': 'é',
      'flatline-last': 'true',
      'flatline-missed': '2',
      'flatline-tz': '2026a',
    };
    expect(runIn(VALUE, headers({ ...own, ...more }))).toMatchObject({
      scheduleId: 'é',
      last: true,
      missed: 2,
      tz: '2026a',
    });
  });

  test.each([
    ['no headers', {}],
    ['no number', { 'flatline-due-at': '1', 'flatline-schedule': '3-42' }],
    ['a number that is none', { 'flatline-due-at': '1', 'flatline-schedule': '3-42', 'flatline-run': 'x' }],
    ['no schedule', { 'flatline-due-at': '1', 'flatline-run': '1' }],
  ])('is none with %s', (_, of) => {
    expect(runIn(VALUE, headers(of))).toBeUndefined();
  });
});

test('[D4] a receipt says what it answers, where it answers something', () => {
  expect(receiptIn(headers({ 'flatline-receipt': 'NOT_FOUND', 'flatline-answers': '9' }))).toEqual({
    type: 'NOT_FOUND',
    schedule: undefined,
    scheduleId: undefined,
    dueAt: undefined,
    answers: 9,
    tz: undefined,
  });
  expect(receiptIn(headers({ trace: 'abc' }))).toBeUndefined();
});
