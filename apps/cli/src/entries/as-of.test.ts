import { describe, expect, test } from '@jest/globals';
import { type AsOf, asOfText } from './as-of.ts';

const HOUR_MS = 3_600_000;
const LONG_AGO = 1_700_000_000_000;
const clockOf = (hours: number): string => new Date(LONG_AGO + hours * HOUR_MS).toISOString();

/** A partition whose newest commit has the clock of so many hours after long ago. */
function partition(number: number, hours: number, told: Partial<AsOf> = {}): AsOf {
  const asOf = { clock: LONG_AGO + hours * HOUR_MS, position: 7 };
  return { partition: number, asOf, behind: 0, liveEntries: 0, ...told };
}

describe('[Q2] as of when a list is', () => {
  test('[Q2] quiet partitions, in which nothing lives, make it no older', () => {
    const all = [partition(0, 0), partition(1, 5, { liveEntries: 2 }), partition(2, 0)];
    expect(asOfText(all)).toBe(`as of ${clockOf(5)} by the input's clock`);
  });

  test('[Q2] among those that hold or await something the slowest counts, and is named', () => {
    const all = [partition(0, 6, { liveEntries: 1 }), partition(1, 3, { behind: 4 }), partition(2, 0)];
    const slowest = `as of ${clockOf(3)} by partition 1's clock, the slowest, 4 records of the input not yet in it`;
    expect(asOfText(all)).toBe(slowest);
  });

  test('[Q2] where all are quiet, the last that happened', () => {
    expect(asOfText([partition(0, 0), partition(1, 4)])).toBe(`as of ${clockOf(4)} by the input's clock`);
  });

  test('[Q2] a clock that has not begun is no time', () => {
    const unbegun = partition(0, 0, { asOf: { clock: 0, position: 0 } });
    expect(asOfText([unbegun])).toBe('before the first record of the input');
    expect(asOfText([unbegun, partition(1, 1)])).toBe(`as of ${clockOf(1)} by the input's clock`);
    expect(asOfText([{ partition: 0, asOf: undefined, behind: 0, liveEntries: 0 }])).toBe(
      'nothing has been committed yet',
    );
  });
});
