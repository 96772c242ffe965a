import { describe, expect, test } from '@jest/globals';
import { inputDelayOf, type InputLook } from './input-delay.ts';

const look = (atMs: number, ends: readonly number[], committed: readonly number[]): InputLook => ({
  atMs,
  ends,
  committed,
});

describe('the delay of the input', () => {
  test('is from a look until all that was in the log then is committed, on every partition', () => {
    const looks = [
      look(0, [1, 1], [1, 1]),
      look(100, [5, 5], [5, 1]),
      look(200, [9, 9], [9, 5]),
      look(300, [9, 9], [9, 9]),
    ];
    expect(inputDelayOf(looks, 0, 300)).toEqual({ p50Ms: 0, p99Ms: 100, maxMs: 100 });
    expect(inputDelayOf(looks, 50, 150)).toEqual({ p50Ms: 100, p99Ms: 100, maxMs: 100 });
  });

  test('counts until the last look where it was never seen committed', () => {
    const looks = [look(0, [1], [1]), look(100, [2], [1]), look(700, [3], [1])];
    expect(inputDelayOf(looks, 100, 100).maxMs).toBe(600);
  });
});
