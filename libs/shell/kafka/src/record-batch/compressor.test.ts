import { expect, test } from '@jest/globals';
import { worthPacking } from './compressor.ts';

test.each([
  ['zstd', 4_095, 'none'],
  ['zstd', 4_096, 'zstd'],
  ['gzip', 1_000, 'none'],
  ['gzip', 1e6, 'gzip'],
  ['lz4', 100, 'lz4'],
  ['snappy', 100, 'snappy'],
  ['none', 1e6, 'none'],
] as const)('where %s is configured, a batch of %i bytes is packed with %s', (wanted, bytes, taken) => {
  expect(worthPacking(wanted, bytes)).toBe(taken);
});
