// A running task's answer for one key (Q1, Q2).
import { messageOf } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import type { SettledCuts } from '../committing/settled-cuts.ts';
import type { LookUp, LookUpHow } from '../look-up.ts';
import type { ReadEnds } from './read-ends.ts';

export interface LookedIn {
  readonly task: PartitionTask;
  readonly settledCuts: SettledCuts;
  readonly readEnds: ReadEnds;
  readonly partition: number;
}

const ENDED: LookUp = { kind: 'moving', detail: 'the partition went to another instance while it was looked at' };
const UNSOUND: LookUp = { kind: 'restoring', detail: 'a record made the task fail; it is restored' };

/** How often what is due is waited for, a commit each: beyond, more is due than takes effect. */
const DUE_WAITS_MAX = 100;

/** Answers from a state that is committed as it stands; undefined: wait for the commit. Costs no promise: most keys are asked for so. */
export function lookAtOnce(
  { task, partition }: Pick<LookedIn, 'task' | 'partition'>,
  key: Uint8Array,
  show: LookUpHow['show'],
): LookUp | undefined {
  const look = task.look(key);
  if (look === undefined || look.isDue || look.unsettledCuts > 0) return undefined;
  const { entry, clock, position } = look;
  const entries = entry === undefined ? [] : show(entry, { partition, held: task.held });
  return { kind: 'found', entries, asOf: { clock, position }, from: 'owner' };
}

/** Resolves once what is answered is committed. */
export async function lookUpIn(
  { task, settledCuts, readEnds, partition }: LookedIn,
  key: Uint8Array,
  { show, isNow, abandon }: LookUpHow,
): Promise<LookUp> {
  if (isNow) {
    try {
      if (!(await readEnds.reached(abandon))) return ENDED;
    } catch (error) {
      return { kind: 'restoring', detail: `the input's leader does not say where it ends: ${messageOf(error)}` };
    }
  }
  for (let waits = 0; waits < DUE_WAITS_MAX; waits += 1) {
    const look = task.look(key);
    if (look === undefined) return UNSOUND;
    const { entry, clock, position, unsettledCuts, isDue } = look;
    if (isDue) {
      task.awaitEviction(key);
      if (!(await settledCuts.after(1, abandon))) return ENDED;
      continue;
    }
    const entries = entry === undefined ? [] : show(entry, { partition, held: task.held });
    const found: LookUp = { kind: 'found', entries, asOf: { clock, position }, from: 'owner' };
    return unsettledCuts === 0 || (await settledCuts.after(unsettledCuts, abandon)) ? found : ENDED;
  }
  return { kind: 'restoring', detail: 'what is due takes effect more slowly than it comes' };
}
