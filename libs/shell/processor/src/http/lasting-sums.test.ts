import { describe, expect, test } from '@jest/globals';
import { LastingSums } from './lasting-sums.ts';

describe('sums of counts', () => {
  test('grow by what each part has counted since, and do not fall when one moves away', () => {
    const sums = new LastingSums();
    expect(sums.take('p', [])).toBeUndefined();
    expect(
      sums.take('p', [
        [0, [5]],
        [1, [7]],
      ]),
    ).toEqual([12]);
    expect(
      sums.take('p', [
        [0, [6]],
        [1, [7]],
      ]),
    ).toEqual([13]);
    expect(sums.take('p', [[0, [6]]])).toEqual([13]);
    expect(sums.take('p', [[0, undefined]])).toEqual([13]);
  });

  test('count a part from nothing that begins again, or comes back', () => {
    const sums = new LastingSums();
    sums.take('p', [
      [0, [100]],
      [1, [10]],
    ]);
    expect(sums.take('p', [[0, [3]]])).toEqual([113]);
    // It came back, and has counted more than when it left.
    expect(
      sums.take('p', [
        [0, [3]],
        [1, [11]],
      ]),
    ).toEqual([124]);
  });

  test('tell groups apart, and keep counts that belong together', () => {
    const sums = new LastingSums();
    expect(sums.take('p', [[0, [1, 3, 40]]])).toEqual([1, 3, 40]);
    expect(sums.take('q', [[0, [1, 1, 2]]])).toEqual([1, 1, 2]);
    // One of them has fallen: all have begun again.
    expect(sums.take('p', [[0, [2, 2, 50]]])).toEqual([3, 5, 90]);
  });
});
