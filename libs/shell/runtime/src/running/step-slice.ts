// Records of a run, as far as a turn may take them.
import type { Millis } from '@flatline/base';
import type { PartitionTask, StepOutcome } from '@flatline/partition';
import type { RecordCursor } from '@flatline/ports';
import { STEP_RECORDS_MAX } from '../limits.ts';

export interface StepSlice {
  /** Records between two looks at the time. Default: all that a slice may have. */
  readonly pieceRecords: number | undefined;
  readonly wallNow: Millis;
  /** The time of the slice is over. */
  readonly isOver: () => boolean;
}

/** Applies records of the run in pieces: those of one kind, which a calendar is asked about, take as long as hundreds of others. */
export function stepSlice(
  task: Pick<PartitionTask, 'step'>,
  cursor: RecordCursor,
  { pieceRecords = STEP_RECORDS_MAX, wallNow, isOver }: StepSlice,
): StepOutcome {
  for (let left = STEP_RECORDS_MAX; ; left -= pieceRecords) {
    const outcome = task.step(cursor, Math.min(left, pieceRecords), wallNow);
    if (outcome.kind !== 'limit' || left <= pieceRecords || isOver()) return outcome;
  }
}
