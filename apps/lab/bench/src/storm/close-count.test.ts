import { expect, test } from '@jest/globals';
import { numberInKey, stormKey } from './close-count.ts';

test('a key is found again by its number, and no other key is taken for one', () => {
  for (const number of [0, 7, 999_999, 15_000_000]) {
    const key = stormKey(number);
    expect([key.length, numberInKey(key, 0, key.length)]).toEqual([36, number]);
  }
  const other = Buffer.from('3f0c2a1e-7d44-4b8a-9a5e-0123456789ab');
  expect(numberInKey(other, 0, other.length)).toBeUndefined();
  expect(numberInKey(stormKey(1), 0, 35)).toBeUndefined();
});
