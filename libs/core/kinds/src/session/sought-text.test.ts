import { expect, test } from '@jest/globals';
import { soughtText } from './sought-text.ts';

test('[X6] the memory of a very long text is not kept once another is sought', () => {
  const long = soughtText('x'.repeat(1_000_000));
  expect(long).toHaveLength(1_000_003);
  const short = soughtText('ab');
  expect([...short]).toEqual([2, 0x61, 0x62]);
  expect(short.buffer.byteLength).toBeLessThanOrEqual(100_000);
});
