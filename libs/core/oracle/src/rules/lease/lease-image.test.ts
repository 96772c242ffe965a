import { expect, test } from '@jest/globals';
import { ByteWriter } from '@flatline/base';
import { NotABlock } from '../../logs/block-reader.ts';
import { isSame } from '../differences.ts';
import { leaseIn } from './lease-image.ts';

/** Reads a head with the flag for terms, and nothing behind it. */
function read(maxDurationMs: number, bucketMs: number): ReturnType<typeof leaseIn> {
  const out = new ByteWriter();
  for (const number of [2, 1_000, 1_000, 7, 3_000, maxDurationMs, bucketMs, 0, 0]) out.varint(number);
  return leaseIn({ head: out.copy(), pages: [] });
}

test('[F14] a head of a lease with the flag for terms, and without terms, is refused', () => {
  expect(read(0, 700).lease).toMatchObject({ token: 7, offset: 6, bucketMs: 700 });
  expect(() => read(0, 0)).toThrow(NotABlock);
});

/** Claims of a holder and of waiting starts, each of that many characters, in two pages. */
function pagesOf(starts: number, length: number): Uint8Array[] {
  const out = new ByteWriter();
  const claim = (): void => {
    for (const byte of [0, 1, 1, 0x61]) out.varint(byte);
    out.varint(length);
    out.raw(new Uint8Array(length).fill(0x62));
  };
  claim();
  out.varint(starts);
  for (let start = 0; start < starts; start += 1) {
    for (const number of [start, 3_000, 9_000]) out.varint(number);
    claim();
  }
  const bytes = out.copy();
  return [bytes.slice(0, 100), bytes.slice(100)];
}

test('[L4] a queue of many pages is read and compared once while only its head changes: counted', () => {
  const head = (renewals: number): Uint8Array => {
    const out = new ByteWriter();
    for (const number of [0, 1_000, 1_000, 7, 3_000, renewals, 0]) out.varint(number);
    return out.copy();
  };
  const pages = pagesOf(3, 100);
  const states = [1, 2, 3].map((renewals) => leaseIn({ head: head(renewals), pages }));
  let looks = 0;
  const text = 'b'.repeat(100);
  const attributes = new Proxy<Readonly<Record<string, string>>>(
    { a: text },
    {
      ownKeys: (target) => {
        looks += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  const waiting = [0, 1, 2].map((offset) => ({
    offset,
    timeoutMs: 3_000,
    until: 9_000,
    requestId: undefined,
    attributes,
  }));
  expect(states.map((each) => isSame(each.waiting, waiting))).toEqual([true, true, true]);
  expect([looks, states.map(({ lease }) => lease?.renewals)]).toEqual([3, [1, 2, 3]]);
  // Compared with another queue of the fold, and other pages.
  expect(isSame(states[0]!.waiting, waiting.slice(1))).toBe(false);
  expect(isSame(states[0]!.waiting, waiting)).toBe(true);
  expect(isSame(leaseIn({ head: head(1), pages: pagesOf(3, 99) }).waiting, waiting)).toBe(false);
});
