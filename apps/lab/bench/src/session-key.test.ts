import { expect, test } from '@jest/globals';
import { sessionKey } from './session-key.ts';

test('a session has the same key each time, no two have one, and it looks like a UUID', () => {
  const key = (index: number, seed = 1): string => sessionKey(index, seed).toString('latin1');
  const keys = Array.from({ length: 10_000 }, (_, index) => key(index));
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.every((each) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(each))).toBe(true);
  expect(key(77)).toBe(keys[77]);
  expect(key(77, 2)).not.toBe(keys[77]);
});
