import { describe, expect, test } from '@jest/globals';
import { KeyPage, type KeyWish } from './key-page.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const KEYS = ['b', 'ab', 'a', 'c\u00ff', 'c', 'abc', ''];

function page(wish: Partial<KeyWish>): { readonly keys: string[]; readonly total: number; readonly more: boolean } {
  const found = new KeyPage<string>({ prefix: bytes(''), after: undefined, limit: 9, ...wish });
  for (const key of KEYS) found.add(bytes(key), () => key);
  return { keys: found.kept.map(({ of }) => of), total: found.total, more: found.hasMore };
}

describe('a page of keys', () => {
  test('holds the first in the order of their bytes, and says whether more come', () => {
    expect(page({})).toEqual({ keys: ['', 'a', 'ab', 'abc', 'b', 'c', 'c\u00ff'], total: 7, more: false });
    expect(page({ limit: 3 })).toEqual({ keys: ['', 'a', 'ab'], total: 7, more: true });
    expect(page({ limit: 0 })).toEqual({ keys: [], total: 7, more: true });
  });

  test('goes on after the last key of the one before, so that no key comes twice or never', () => {
    const seen: string[] = [];
    for (let after: Uint8Array | undefined; ;) {
      const { keys, more } = page({ limit: 2, after });
      seen.push(...keys);
      if (!more) break;
      after = bytes(keys.at(-1)!);
    }
    expect(seen).toEqual(page({}).keys);
  });

  test('of a prefix', () => {
    expect(page({ prefix: bytes('ab') })).toEqual({ keys: ['ab', 'abc'], total: 2, more: false });
    expect(page({ prefix: bytes('c'), after: bytes('c') })).toEqual({ keys: ['c\u00ff'], total: 2, more: false });
    expect(page({ prefix: bytes('x') })).toEqual({ keys: [], total: 0, more: false });
  });
});
