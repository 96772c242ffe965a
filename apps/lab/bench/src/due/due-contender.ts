// A contender that keeps entries until they are due: the input of each turn, and its result.
import type { DurationMs } from '@flatline/base';
import type { Ground } from '../frame/frame.ts';
import type { Described } from '../frame/line-up.ts';
import type { Application } from '../tasks/application.ts';
import type { DueLoad } from '../tasks/due-load.ts';
import type { DueCost } from '../tasks/due-task.ts';
import type { DueTurn } from './due-page.ts';

/** Sessions: the entries that wait. */
export const DUE_DEFAULTS = { sessions: 500_000, partitions: 4, repeats: 3 };
export type DueGround = Ground<typeof DUE_DEFAULTS>;

export interface TurnPlan {
  /** The load for a contender that begins to add it now. */
  readonly loadFrom: () => DueLoad;
  readonly drainMaxMs: DurationMs;
}

export interface Measured extends Omit<DueCost, 'added' | 'drained'>, Pick<DueTurn, 'added' | 'drained'> {
  readonly load: DueLoad;
}

export interface DueContender extends Described {
  readonly isPeer: boolean;
  /** Time to add each entry: several times what is needed. */
  readonly addMs: DurationMs;
  take(ground: DueGround, application: Application, plan: TurnPlan): Promise<Measured>;
}
