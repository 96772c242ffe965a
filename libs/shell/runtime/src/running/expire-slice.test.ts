import { describe, expect, test } from '@jest/globals';
import { EXPIRE_PIECE, EXPIRE_SLICE_MAX, SLICE_MS } from '../limits.ts';
import { expireSlice } from './expire-slice.ts';

/** `due` entries that take `eachMs` each; after `roomFor` of them the commit is full. */
function expiring(due: number, eachMs: number, roomFor = Infinity): { took: number; ms: number; more: boolean } {
  const done = { took: 0, ms: 0 };
  const task = {
    get isFull() {
      return done.took >= roomFor;
    },
    expire: (limit: number) => {
      const count = Math.min(limit, due - done.took);
      done.took += count;
      done.ms += count * eachMs;
      return done.took < due;
    },
  };
  const more = expireSlice(task, EXPIRE_SLICE_MAX, 0, () => done.ms);
  return { ...done, more };
}

describe('a turn of expiring', () => {
  test('[F17][F18] ends by its time where entries are slow, and has done something', () => {
    expect(expiring(5_000, 1)).toEqual({ took: EXPIRE_PIECE, ms: SLICE_MS, more: true });
    expect(expiring(5_000, 100)).toMatchObject({ took: EXPIRE_PIECE, more: true });
  });

  test('[F18] ends by count where they are fast, and with the last', () => {
    expect(expiring(5_000, 0.001)).toMatchObject({ took: EXPIRE_SLICE_MAX, more: true });
    expect(expiring(EXPIRE_SLICE_MAX, 0.001)).toMatchObject({ took: EXPIRE_SLICE_MAX, more: false });
    expect(expiring(3, 100)).toMatchObject({ took: 3, more: false });
    expect(expiring(0, 1)).toMatchObject({ took: 0, more: false });
  });

  test('[O6] goes on with nothing once the commit is full', () => {
    expect(expiring(5_000, 0.001, 20)).toMatchObject({ took: 3 * EXPIRE_PIECE, more: true });
  });
});
