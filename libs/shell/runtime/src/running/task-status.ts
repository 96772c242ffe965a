import type { DurationMs, HistogramStatus, Millis } from '@flatline/base';
import type { PartitionTask, TaskCounters } from '@flatline/partition';
import type { Percentiles } from '../durations.ts';
import type { RefusedRecord } from '../committing/refusal-log.ts';
import type { ProbeStatus } from '../probing/task-probe.ts';
import type { MetMisplacedKey } from './step-alarms.ts';
import type { TaskHoldings } from './task-holdings.ts';
import { placeInLog, type TaskContext } from '../task-context.ts';
import type { ShownState } from '../task-state.ts';

/** One task as an operator sees it. */
export interface TaskStatus {
  readonly pipeline: string;
  readonly partition: number;
  readonly state: ShownState;
  /** Reason to wait or to have stopped; undefined if all is well. */
  readonly detail: string | undefined;
  readonly clock: Millis;
  readonly liveEntries: number;
  /** Share in use of what may live in a partition: 1 is all of it (I7). */
  readonly stateFill: number;
  /** Bytes of its entries, keys and states, as they count towards `maxStateBytes` (I7). */
  readonly stateBytes: number;
  /** Share in use of what may wait for a commit: from 1 on reading pauses until it is committed. */
  readonly commitFill: number;
  /** undefined: none are sent (Q5), or the task does not run. */
  readonly probe: ProbeStatus | undefined;
  /** Time held since the beginning of the log (C8). */
  readonly heldMs: DurationMs;
  /** Records behind the end of the input. */
  readonly lag: number | undefined;
  /** How far the clock is ahead of the earliest due entry that is not closed yet: the backlog of expiries. */
  readonly expiryLagMs: DurationMs;
  /** Nothing is due before, by the partition clock; undefined: nothing lives. */
  readonly nextDueAt: Millis | undefined;
  /** Input offset below which everything is applied, and below which it is committed; undefined before there is one. */
  readonly position: number | undefined;
  readonly committedPosition: number | undefined;
  /** Each input, where there are several (S8); empty where there is one. */
  readonly inputs: readonly InputStatus[];
  readonly counters: TaskCounters | undefined;
  /** The kind's own state as last committed, such as the newest windows of statistics that are over (S12); plain data. */
  readonly kept: PartitionTask['kept'];
  /** The newest dead letter, and the newest key that lies in another partition than its own, since the task started here. */
  readonly refused: RefusedRecord | undefined;
  readonly misplaced: MetMisplacedKey | undefined;
  readonly commits: Percentiles | undefined;
  readonly commitDurations: HistogramStatus | undefined;
  /** From the instant a close is due to its commit, by this machine's wall clock. Empty on `CreateTime` inputs. */
  readonly closeDelays: HistogramStatus | undefined;
  /** How far behind the clock records came, of the first input; undefined where the broker stamps them, in their order (C7). */
  readonly lateness: HistogramStatus | undefined;
  /** Bytes of the changelog from the floor to the end, and of the live images in it. */
  readonly changelogBytes: number;
  readonly liveBytes: number;
  /** How often the local store was dropped and rebuilt (R2). */
  readonly storesDropped: number;
  /** How long restoring took; undefined before it ended. */
  readonly restoreMs: DurationMs | undefined;
  /** From fencing the former owner to running: no session was closed meanwhile. undefined before it ran. */
  readonly takeoverMs: DurationMs | undefined;
}

/** One of several inputs, as an operator sees it. */
export interface InputStatus {
  readonly topic: string;
  /** Its greatest stamp applied: what stands behind the others' holds them up. */
  readonly clock: Millis;
  readonly position: number;
  readonly lag: number | undefined;
  /** As that of the task. */
  readonly lateness: HistogramStatus | undefined;
}

/** Facts that the runner knows of its task; the rest follows from what the task holds. */
export interface TaskLife extends Pick<TaskStatus, 'detail' | 'restoreMs' | 'takeoverMs'> {
  readonly state: Exclude<ShownState, 'recovering'>;
}

export function taskStatus(context: TaskContext, holdings: TaskHoldings, life: TaskLife): TaskStatus {
  const { task, committer, loop } = holdings;
  const clock = task?.clock.now ?? 0;
  const nextDueAt = task?.earliestDue();
  const isRecovering = committer?.isRecovering === true && life.state === 'running';
  return {
    ...placeInLog(context),
    state: isRecovering ? 'recovering' : life.state,
    detail: life.detail ?? loop?.waitingFor ?? holdings.obstacle ?? holdings.storeTrouble,
    clock,
    liveEntries: task?.liveEntries ?? 0,
    stateFill: task?.stateFill ?? 0,
    stateBytes: task?.stateBytes ?? 0,
    commitFill: task?.commitFill ?? 0,
    probe: loop?.probe?.status(),
    lag: loop?.lag,
    heldMs: task?.heldMs ?? 0,
    expiryLagMs: Math.max(0, clock - (nextDueAt ?? clock)),
    nextDueAt,
    position: task?.input.position,
    committedPosition: committer?.committedPosition,
    inputs: inputsOf(context, holdings),
    counters: task === undefined ? undefined : { ...task.counters },
    kept: task?.kept ?? [],
    refused: loop?.commits.refusals.newest,
    misplaced: loop?.misplaced,
    commits: loop?.commits.durations.percentiles(),
    commitDurations: loop?.commits.histogram.status(),
    closeDelays: loop?.commits.closeDelays.status(),
    lateness: task?.latenessOf(0),
    changelogBytes: task?.changelog.logBytes ?? 0,
    liveBytes: task?.changelog.liveBytes ?? 0,
    storesDropped: holdings.storesDropped,
    restoreMs: life.restoreMs,
    takeoverMs: life.takeoverMs,
  };
}

function inputsOf({ inputs }: TaskContext, { task, loop }: TaskHoldings): readonly InputStatus[] {
  if (inputs.length === 1 || task === undefined) return [];
  const lags = loop?.inputLags ?? [];
  return task.inputs.map(({ position, clock = 0 }, number) => ({
    topic: inputs[number]!.topic,
    clock,
    position,
    lag: lags[number],
    lateness: task.latenessOf(number),
  }));
}
