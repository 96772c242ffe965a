import { expect, test } from '@jest/globals';
import { nameBytes } from './header-names.ts';

test('[X6] a name is kept unless it is long: dead letters have those that anybody chose', () => {
  expect(nameBytes('trace')).toBe(nameBytes('trace'));
  const long = 'x'.repeat(1_000_000);
  expect(nameBytes(long)).toHaveLength(1_000_000);
  expect(nameBytes(long)).not.toBe(nameBytes(long));
});
