import { describe, expect, test } from '@jest/globals';
import type { StepOutcome } from '@flatline/partition';
import type { RecordCursor } from '@flatline/ports';
import { SLICE_MS, STEP_RECORDS_MAX } from '../limits.ts';
import { stepSlice } from './stepping.ts';

const CURSOR = {} as RecordCursor;

/** `records` records that take `eachMs` each; the one after `untilDue` makes something due. */
function stepping(
  records: number,
  eachMs: number,
  pieceRecords?: number,
  untilDue = Infinity,
): { took: number; ms: number; kind: string } {
  const done = { took: 0, ms: 0 };
  const task = {
    step: (_cursor: RecordCursor, limit: number): StepOutcome => {
      const count = Math.min(limit, records - done.took, untilDue - done.took);
      done.took += count;
      done.ms += count * eachMs;
      return { kind: done.took === untilDue ? 'due' : count < limit ? 'exhausted' : 'limit' };
    },
  };
  const isOver = (): boolean => done.ms >= SLICE_MS;
  const { kind } = stepSlice(task, CURSOR, { pieceRecords, wallNow: 0, isOver });
  return { ...done, kind };
}

describe('a turn of stepping', () => {
  test('[F14][F17] looks at the time among records that are slow', () => {
    expect(stepping(5_000, 1, 16)).toEqual({ took: 16, ms: 16, kind: 'limit' });
    expect(stepping(5_000, 0.1, 16)).toMatchObject({ took: 80, kind: 'limit' });
  });

  test('[F17] ends by count where they are fast, and with the last', () => {
    expect(stepping(5_000, 0.001, 16)).toMatchObject({ took: STEP_RECORDS_MAX, kind: 'limit' });
    expect(stepping(5_000, 0.001)).toMatchObject({ took: STEP_RECORDS_MAX, kind: 'limit' });
    expect(stepping(40, 0.001, 16)).toMatchObject({ took: 40, kind: 'exhausted' });
  });

  test('[D2][F17] ends where something is due before the next', () => {
    expect(stepping(5_000, 0.001, 16, 20)).toMatchObject({ took: 20, kind: 'due' });
  });
});
