// Checks the wheels of running tasks against the deadlines (V8). Possible here, where tasks and checks share one
// process.
import { INSTANT_MAX } from '@flatline/base';
import { timerFaults, type TimerInspection } from '@flatline/partition';
import type { TaskStatus } from '@flatline/runtime';
import type { KindFolded } from '@flatline/oracle';
import type { Cluster } from './cluster.ts';
import { foldPartition } from './judging/expectation.ts';

interface RunningTask {
  readonly where: string;
  readonly status: TaskStatus;
  readonly timers: TimerInspection;
}

/** Every live entry has its timer, no later than it is due. */
function checkTimers(cluster: Cluster): string[] {
  return runningTasks(cluster).flatMap(({ where, timers }) => timerFaults(timers).map((fault) => `${where} ${fault}`));
}

/** Also checks that those entries are the ones that the input leaves open, due when it says. Returns their number. */
export function checkDeadlines(cluster: Cluster): { readonly entries: number; readonly violations: string[] } {
  const tasks = runningTasks(cluster);
  const violations = tasks.flatMap((task) => {
    const { partition, position, inputs, clock } = task.status;
    if (!isFoldKnown(cluster, task)) return [];
    const below = inputs.length > 0 ? inputs.map((input) => input.position) : [position ?? 0];
    return deadlineFaults(task, foldPartition(cluster, partition, { below, clockAtEnd: clock }));
  });
  const entries = tasks.reduce((sum, { timers }) => sum + timers.entries.length, 0);
  return { entries, violations: [...checkTimers(cluster), ...violations] };
}

/**
 * False where settings change, as the input alone does not tell which were in force when something came due (K1). Records refused for
 * want of room (I7) are known once their letters are committed, if the rules alone do not tell.
 */
function isFoldKnown({ scenario, kind }: Cluster, { status }: RunningTask): boolean {
  if (scenario.settings === 'change') return false;
  if (kind.judged.tellsRoom || scenario.maxStateBytes === undefined) return true;
  return status.committedPosition === status.position;
}

function deadlineFaults({ where, status, timers }: RunningTask, { open }: KindFolded): string[] {
  const utf8 = new TextDecoder();
  // An entry that has fired and owes its parts lives until they are said, but is not open by the input.
  const owing = new Set(timers.entries.filter(({ isOwing }) => isOwing).map(({ key }) => utf8.decode(key)));
  const dueAts = new Map(timers.entries.map(({ key, dueAt }) => [utf8.decode(key), dueAt]));
  const wrong = [...open].flatMap(([key, instant]) => {
    if (owing.has(key)) return [];
    const dueAt = Math.min(instant, INSTANT_MAX);
    const found = dueAts.get(key);
    // It is due and waits for its turn: the fold is ahead where a pace holds the task back.
    const isWaiting = found !== undefined && found <= status.clock;
    return found === dueAt || isWaiting ? [] : [`${where} ${key} is due at ${String(found)}, the input says ${dueAt}`];
  });
  const surplus = [...dueAts].flatMap(([key, dueAt]) =>
    open.has(key) || owing.has(key) || dueAt <= status.clock
      ? []
      : [`${where} ${key} lives until ${dueAt}, the input does not say so`],
  );
  return [...wrong, ...surplus];
}

function runningTasks({ up }: Cluster): RunningTask[] {
  return up.flatMap(({ name, instance }) =>
    instance.status().flatMap((status) => {
      const timers = instance.timers(status.partition);
      return timers === undefined ? [] : [{ where: `[V8] ${name}/${status.partition}:`, status, timers }];
    }),
  );
}
