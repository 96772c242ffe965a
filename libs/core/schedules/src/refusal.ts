import type { AskingReason, DeadLetterReason } from '@flatline/ports';

/** Reasons of the dead letters of schedule records, but for those that depend on what the key already has. */
export type ScheduleReason = AskingReason | Extract<DeadLetterReason, `invalid-${string}`>;

/** Why a record is refused: as its dead letter says it (I1). */
export interface Bad {
  readonly kind: 'bad';
  readonly reason: ScheduleReason;
  readonly detail: string;
}

export function bad(reason: ScheduleReason, detail: string): Bad {
  return { kind: 'bad', reason, detail };
}
