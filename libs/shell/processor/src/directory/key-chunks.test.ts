import { expect, test } from '@jest/globals';
import { keyChunks } from './key-chunks.ts';

test('[Q1] keys go on in requests of at most a hundred, and of half a mebibyte, each once and in order', () => {
  const lengths = (keys: readonly Uint8Array[]): number[] => keyChunks(keys).map((chunk) => chunk.length);
  expect(lengths([])).toEqual([]);
  expect(lengths(Array.from({ length: 201 }, () => Buffer.from('k')))).toEqual([100, 100, 1]);
  const large = Array.from({ length: 20 }, (_, i) => new Uint8Array(65_535).fill(i));
  expect(lengths(large)).toEqual([8, 8, 4]);
  expect(keyChunks(large).flat()).toEqual(large);
});
