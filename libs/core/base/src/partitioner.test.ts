import { describe, expect, test } from '@jest/globals';
import { murmur2, partitionOf, partitionOfRange } from './partitioner.ts';

/** Computed by the Java client 4.1.1: text, Utils.murmur2, and the partition of seven. */
const vectors: readonly (readonly [string, number, number])[] = [
  ['', 275646681, 2],
  ['a', -1563381124, 5],
  ['ab', 316155434, 0],
  ['abc', 479470107, 4],
  ['abcd', -1323649548, 5],
  ['21', -973932308, 3],
  ['foobar', -790332482, 0],
  ['a-little-bit-long-string', -985981536, 1],
  ['a-little-bit-longer-string', -1486304829, 0],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971, 3],
  ['session-000123', 1225049859, 5],
  ['käse', -1070276755, 0],
  ['日本語', 1431860170, 6],
];

describe('partitionOf', () => {
  test.each(vectors)('%j goes where the Java client sends it', (text, hash, partition) => {
    const key = new TextEncoder().encode(text);
    expect(murmur2(key)).toBe(hash);
    expect(partitionOf(key, 7)).toBe(partition);
  });

  test.each(vectors)('%j among other bytes goes there, too', (text) => {
    const key = new TextEncoder().encode(text);
    const bytes = Uint8Array.of(1, 2, 3, ...key, 4, 5);
    expect(partitionOfRange(bytes, { start: 3, length: key.length }, 7)).toBe(partitionOf(key, 7));
  });

  test('bytes above 127 are unsigned', () => {
    expect(murmur2(Uint8Array.from({ length: 256 }, (_, byte) => byte))).toBe(-1948347274);
  });
});
