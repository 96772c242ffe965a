import { expect, test } from '@jest/globals';
import { ByteWriter } from '@flatline/base';
import { NotABlock } from '../../logs/block-reader.ts';
import { leaseIn } from './lease-image.ts';

/** A head with the flag for terms, and nothing behind it. */
function read(maxDurationMs: number, bucketMs: number): ReturnType<typeof leaseIn> {
  const out = new ByteWriter();
  for (const number of [2, 1_000, 1_000, 7, 3_000, maxDurationMs, bucketMs, 0, 0]) out.varint(number);
  return leaseIn({ image: out.copy() });
}

test('[F14] a head of a lease that says it has terms, and has none, is not read', () => {
  expect(read(0, 700).held).toMatchObject({ token: 7, offset: 6, bucketMs: 700 });
  expect(() => read(0, 0)).toThrow(NotABlock);
});
