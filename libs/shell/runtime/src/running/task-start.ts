// From nothing to the first turn: the state as of the last commit, the place in the input, a timer for each entry, and, for a
// partition without any state, a commit of where it begins.
import { presentInputs } from './present-inputs.ts';
import { presentRouted } from './present-routed.ts';
import { Retriable } from '@flatline/base';
import { type CommitHeader, type InputPosition, type PartitionTask } from '@flatline/partition';
import { placeInLog, type TaskContext } from '../task-context.ts';
import { restore } from '../restoring/restoring.ts';
import { turn } from '../turn.ts';
import type { CommitBudget } from '../committing/commit-budget.ts';
import type { LetGo } from '../loop-events.ts';
import { Committer } from '../committing/committer.ts';
import { firstPosition, inputPosition, otherInputs } from './input-position.ts';
import type { RecordFailures } from './record-failures.ts';
import type { RestoredTask, TaskHoldings } from './task-holdings.ts';

export interface TaskStartParts {
  readonly context: TaskContext;
  /** True if a warm start loaded the state that the standby holds: no other instance owned the partition meanwhile. */
  readonly isWarmStart: boolean;
  /** Aborted once the task is no longer wanted. */
  readonly abandon: AbortSignal;
  /** As in RestoreParts. @throws Fenced, Retriable */
  readonly assureOwned: () => Promise<void>;
  /** True if the group, asked now, says that the partition is ours; waits until it can say. @throws Retriable */
  readonly confirmOwned: () => Promise<boolean>;
  /** Outlives the task: what was seen of the brokers holds for its successor. */
  readonly budget: CommitBudget;
  readonly failures: RecordFailures;
}

/** One that may read. */
export interface StartedTask extends RestoredTask {
  /** Id of each input's topic, by which it is read; undefined: it has none. */
  readonly topicIds: readonly (string | undefined)[];
}

/** @throws PartitionStopped (R3), Fenced, Corrupt, Retriable, Fatal */
export async function startTask(parts: TaskStartParts, holdings: TaskHoldings): Promise<StartedTask | LetGo> {
  const { context, budget, confirmOwned, isWarmStart, abandon, assureOwned } = parts;
  const { store, restoration: standby } = await holdings.openStore(abandon);
  const onReading = holdings.read.bind(holdings);
  const restored = await restore({ context, store, standby, isWarmStart, abandon, assureOwned, onReading });
  const { task: state, last, groupSequence } = restored;
  const ownership = restored;
  const committer = new Committer({ context, task: state, ownership, last, groupSequence, budget, confirmOwned });
  const task = { restored, committer };
  holdings.adopt(task);
  try {
    const topicIds = await presentInputs(context);
    await presentRouted(context);
    return (await ready(parts, task)) ?? { ...task, topicIds };
  } catch (error) {
    await committer.close();
    await restored.flusher.stop();
    throw error;
  }
}

async function ready(parts: TaskStartParts, { restored, committer }: RestoredTask): Promise<LetGo | undefined> {
  const { context, failures } = parts;
  const { settings, ports } = context;
  const { task, last } = restored;
  task.resume(last?.clock ?? 0, await positionsAfter(last, context), last);
  for (const input of context.inputs.keys())
    for (const [offset, why] of failures.refusedFrom(task.inputAt(input).position, input))
      task.refuseAt(offset, why, input);
  await arm(task, parts);
  // Before the clock has begun nothing tells former records from those of today but where the log ended (C6).
  for (const [input, place] of context.inputs.entries())
    if (task.frontOf(input) === 0) task.allowFormerType(await ports.admin.replicatedEnd(place), input);
  // Before anything is read, so that the next owner begins at the same place, 0 included: by then `latest` may be elsewhere.
  if (last === undefined) {
    const outcome = await committer.commit();
    if (outcome.kind === 'letGo') return outcome;
  }
  // The changelog does not say what moved the clock: if not the last record read, maybe evidence of C3.
  if (settings.proofByFetch !== undefined && task.clock.now > task.input.batchTimestamp) task.observe(task.clock.now);
  return undefined;
}

function positionsAfter(last: CommitHeader | undefined, context: TaskContext): Promise<InputPosition[]> {
  const { inputs, settings, ports } = context;
  const { startFrom } = settings;
  if (last === undefined) return Promise.all(inputs.map((input) => firstPosition(input, startFrom, ports.admin)));
  if (last.inputs.length !== inputs.length) throw otherInputs(last, context);
  if (startFrom !== 'earliest')
    ports.log.info('startFrom does not count: the partition has a state', {
      ...placeInLog(context),
      startFrom,
      position: last.inputs[0]!.position,
    });
  return Promise.all(inputs.map((input, number) => inputPosition(input, last.inputs[number]!, ports)));
}

/** Other tasks get a turn between slices; this one does nothing else before it is done. */
async function arm(task: PartitionTask, { context, abandon }: TaskStartParts): Promise<void> {
  const { ports, bounds } = context;
  while (!task.arm(bounds.armSlice)) {
    await turn(ports.turns);
    if (abandon.aborted) throw new Retriable('the task is not wanted any more');
  }
}
