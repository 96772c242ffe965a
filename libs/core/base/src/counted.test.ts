import { expect, test } from '@jest/globals';
import { counted, plural } from './counted.ts';

test.each([
  [0, '0 records'],
  [1, '1 record'],
  [2, '2 records'],
  [1_000_000, '1,000,000 records'],
])('%d is said with its noun: %s', (value, text) => {
  expect(counted(value, 'record')).toBe(text);
});

test('a noun in a column of its own agrees with its number', () => {
  expect([plural(1, 'event'), plural(1_001, 'event')]).toEqual(['event', 'events']);
});
