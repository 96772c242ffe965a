import { describe, expect, test } from '@jest/globals';
import { beganBefore, Erasure, waitText } from './erasure.ts';

const commit = (offset: number, position: number) => ({ offset, position });
const claim = (offset: number) => ({ offset, position: undefined });

describe('an erasure, by what the changelog says', () => {
  test('[E1] is done once the first commit that is there has applied the act', () => {
    const erasure = new Erasure(10);
    const look = (logStart: number, firstPosition: number | undefined, ...news: ReturnType<typeof commit>[]) =>
      erasure.take({ logStart, firstPosition, news });
    expect(look(0, undefined)).toEqual({ stage: 'sent' });
    expect(look(0, 4, commit(0, 4), commit(3, 10))).toEqual({ stage: 'sent' });
    expect(look(0, 4, commit(5, 11), commit(7, 12))).toEqual({ stage: 'committed', commit: 5 });
    expect(look(2, 10, commit(9, 14))).toEqual({ stage: 'committed', commit: 5 });
    expect(look(4, 11)).toEqual({ stage: 'erased', commit: 5, truncatedTo: 4 });
  });

  test('[E1] says how long it takes at least', () => {
    expect(waitText('committed', 600_000)).toMatch(/about 10 min \(truncateLagMs\)/);
  });

  test('[E1] is asked for again where the owner that has applied the act is followed by another', () => {
    const erasure = new Erasure(10);
    const look = (...news: (ReturnType<typeof commit> | ReturnType<typeof claim>)[]): boolean => {
      erasure.take({ logStart: 0, firstPosition: 4, news });
      return erasure.isForgotten;
    };
    // The one that applies it has claimed before.
    expect(look(commit(1, 10), claim(2), commit(3, 11), commit(5, 12))).toBe(false);
    expect(look(claim(7))).toBe(true);
    erasure.sentAgain(15);
    expect([look(), look(commit(8, 13)), look(claim(9)), look(commit(10, 16)), look(claim(11))]).toEqual([
      false,
      false,
      false,
      false,
      true,
    ]);
  });
});

test('[E1][S8] a session that began before the act shows that it was refused, of another input where it lived by then; a later one does not', () => {
  const began = beganBefore(10, new Set(['3-2-2', '3-9']));
  expect(['3-9', '3-10', '3-11', '3-2-2', '3-2-3'].map((incarnation) => began({ incarnation }))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ]);
});
