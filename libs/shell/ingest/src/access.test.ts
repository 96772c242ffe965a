import { describe, expect, test } from '@jest/globals';
import { type Asking, refusalOf } from './access.ts';

const asking = (authorization: string | undefined, query: unknown = {}): Asking => ({
  headers: { authorization },
  query,
});

describe('[I4] who names no token', () => {
  test.each([
    ['nothing', asking(undefined)],
    ['an empty header', asking('')],
    ['a header without a token', asking('Bearer ')],
    ['an empty parameter', asking(undefined, { token: '' })],
    ['a list of parameters', asking(undefined, { token: ['', ''] })],
    ['no query', asking(undefined, undefined)],
  ])('is refused, even where a token is empty: %s', (_what, request) => {
    for (const tokens of [['hush'], [''], ['hush', ''], []])
      expect(refusalOf(request, { tokens, origins: [] })).toMatchObject({ code: 401 });
  });

  test('is not let in by another token', () => {
    const access = { tokens: ['hush', ''], origins: [] };
    expect(refusalOf(asking('Bearer hush'), access)).toBeUndefined();
    expect(refusalOf(asking('Bearer hus'), access)).toMatchObject({ code: 401 });
    expect(refusalOf(asking(undefined, { token: 'hush ' }), access)).toMatchObject({ code: 401 });
  });
});
