import { expect, test } from '@jest/globals';
import { murmur2, murmur2Partition } from './murmur2.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

// As in the tests of Kafka's own org.apache.kafka.common.utils.Utils.
test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
])('[I9] murmur2 of %s', (text, signed) => {
  expect(murmur2(bytes(text))).toBe(signed >>> 0);
  expect(murmur2Partition(bytes(text), 12)).toBe((signed & 0x7fffffff) % 12);
});
