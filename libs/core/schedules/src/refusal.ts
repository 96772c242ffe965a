import type { DeadLetterReason } from '@flatline/ports';

/** What the dead letter of a record of schedules may say, but for what its key has already. */
export type ScheduleReason = Extract<
  DeadLetterReason,
  | 'no-schedule'
  | 'conflicting-schedule'
  | 'repeated-header'
  | 'unknown-target'
  | 'message-too-large'
  | 'never-due'
  | 'beyond-horizon'
  | `invalid-${string}`
>;

/** Why a record is refused: as its dead letter says it (I1). */
export interface Bad {
  readonly kind: 'bad';
  readonly reason: ScheduleReason;
  readonly detail: string;
}

export function bad(reason: ScheduleReason, detail: string): Bad {
  return { kind: 'bad', reason, detail };
}
