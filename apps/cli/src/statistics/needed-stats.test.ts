import { describe, expect, test } from '@jest/globals';
import { NeededStats, windowOfKey } from './needed-stats.ts';

/** Reads records called by the start and length of their window. */
function read(
  needed: NeededStats<string>,
  ...windows: readonly (readonly [start: number, length: number])[]
): string[] {
  const now = windows.flatMap(([windowStart, length]) =>
    needed.take({ windowStart, windowEnd: windowStart + length }, `${windowStart}+${length}`),
  );
  return [...now, '|', ...needed.rest()];
}

describe('[S12] the statistics that have to be read of the time before what is shown', () => {
  test('are those of the longest windows, and of the ones that are shown for what they do not tell yet', () => {
    const needed = new NeededStats<string>({ windowMs: 60, longestMs: 600 });
    const said = read(needed, [0, 60], [540, 60], [0, 300], [0, 600], [600, 60], [600, 600], [1_200, 60], [1_260, 60]);
    expect(said).toEqual(['0+600', '600+600', '|', '1200+60', '1260+60']);
  });

  test('are all of one length where there is no other', () => {
    const needed = new NeededStats<string>({ windowMs: 60, longestMs: 60 });
    expect(read(needed, [0, 60], [60, 60])).toEqual(['0+60', '60+60', '|']);
  });

  test.each([
    ['[60,120,{"plan":"pro"}]', { windowStart: 60, windowEnd: 120 }],
    ['', undefined],
    ['null', undefined],
    ['["60",120,{}]', undefined],
  ])('the key %s', (key, window) => {
    expect(windowOfKey(Buffer.from(key))).toEqual(window);
  });
});
