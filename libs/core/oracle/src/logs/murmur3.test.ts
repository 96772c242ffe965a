import { expect, test } from '@jest/globals';
import { murmur3 } from './murmur3.ts';

test.each([
  ['', 0, 0],
  ['', 1, 0x514e28b7],
  ['hello', 0, 0x248bfa47],
  ['hello, world', 0, 0x149bbb7f],
  ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
])('the hash of "%s" with seed %d is the one that others compute', (text, seed, hash) => {
  expect(murmur3(new TextEncoder().encode(text), seed) >>> 0).toBe(hash);
});
