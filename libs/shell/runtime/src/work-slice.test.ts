import { describe, expect, test } from '@jest/globals';
import { RESTORE_BLOCKS_PER_TURN, RESTORE_BYTES_PER_TURN, SLICE_MS } from './limits.ts';
import { WorkSlice } from './work-slice.ts';

/** A slice that began at 0, on a clock that is set by hand. */
function begun() {
  const time = { nowMs: 0, turns: 0 };
  const clock = {
    monotonicMs: () => time.nowMs,
    wallMs: () => time.nowMs,
    after: () => () => undefined,
  };
  const turns = (callback: () => void): void => {
    time.turns += 1;
    callback();
  };
  return { time, slice: new WorkSlice({ clock, turns }) };
}

describe('[X6] a slice of restoring is over', () => {
  test('after so many blocks', () => {
    const { slice } = begun();
    const over = Array.from({ length: RESTORE_BLOCKS_PER_TURN }, () => slice.isOver(1));
    expect(over.indexOf(true)).toBe(RESTORE_BLOCKS_PER_TURN - 1);
  });

  test('after so many bytes', () => {
    const { slice } = begun();
    expect(slice.isOver(RESTORE_BYTES_PER_TURN - 1)).toBe(false);
    expect(slice.isOver(1)).toBe(true);
  });

  test('after so long', () => {
    const { slice, time } = begun();
    time.nowMs = SLICE_MS - 1;
    expect(slice.isOver(1)).toBe(false);
    time.nowMs = SLICE_MS;
    expect(slice.isOver(1)).toBe(true);
  });

  test('and the next begins with the turn of the others', async () => {
    const { slice, time } = begun();
    time.nowMs = SLICE_MS;
    expect(slice.isOver(RESTORE_BYTES_PER_TURN)).toBe(true);
    await slice.next();
    expect(time.turns).toBe(1);
    expect(slice.isOver(RESTORE_BYTES_PER_TURN - 1)).toBe(false);
    expect(slice.isOver(1)).toBe(true);
  });
});
