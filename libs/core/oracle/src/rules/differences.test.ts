import { describe, expect, test } from '@jest/globals';
import { fieldDifferences, isSame } from './differences.ts';

describe('[V4] compared values', () => {
  test('may be nested as deep as a record is long', () => {
    const nested = (inner: string): unknown => JSON.parse('[{"a":'.repeat(20_000) + inner + '}]'.repeat(20_000));
    expect(fieldDifferences({ items: nested('1') }, { items: nested('1') })).toEqual([]);
    expect(fieldDifferences({ items: nested('1') }, { items: nested('2') })).toEqual([expect.stringContaining('…')]);
  });

  test('are cut short where they are long, and shown as what they are', () => {
    const long = 'm'.repeat(3_000_000);
    const bytes = new Uint8Array(3_000_000).fill(200);
    const [text = '', list = ''] = fieldDifferences({ a: long, b: [bytes] }, { a: `${long}n`, b: [] });
    expect(text).toMatch(/^a is "m+…" of 3000000 characters, by the input "m+…" of 3000001 characters$/);
    expect(list).toMatch(/^b is \[\[200,(200,)+…\] of 3000000 bytes\], by the input \[\]$/);
    expect([text.length, list.length].every((length) => length < 5_000)).toBe(true);
    expect(isSame(bytes, bytes.slice())).toBe(true);
    expect(isSame(bytes, bytes.with(2_999_999, 0))).toBe(false);
  });

  test('are equal in any order of their fields, and as maps; not in another order of a list', () => {
    expect(
      isSame(
        { a: 1, b: [null] },
        new Map<string, unknown>([
          ['b', [undefined]],
          ['a', 1],
        ]),
      ),
    ).toBe(true);
    expect(isSame([1, 2], [2, 1])).toBe(false);
    expect(isSame({ a: 1 }, { a: 1, b: null })).toBe(false);
    expect(isSame({ a: '1' }, { a: 1 })).toBe(false);
    expect(isSame([], {})).toBe(false);
    expect(isSame(Uint8Array.of(1), Uint8Array.of(1))).toBe(true);
    expect(isSame(Uint8Array.of(1), Uint8Array.of(2))).toBe(false);
    expect(isSame(null, undefined)).toBe(true);
    expect(isSame(-0, 0)).toBe(true);
  });
});
