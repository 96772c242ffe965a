// Other witnesses of a changelog's commits: the group, the local store, its own start. Where they know of more than the
// changelog holds, commits were lost (R3).
import { counted, Fatal } from '@flatline/base';
import type { CommitHeader } from '@flatline/partition';
import type { CommittedOffset } from '@flatline/ports';
import type { TaskContext } from '../task-context.ts';
import { committedIn } from '../offset-note.ts';
import { checkTokenEpoch } from '../token-epoch.ts';
import type { TaskStore } from '../local-store/task-store.ts';
import { brokenLog } from './distrust.ts';
import type { TaskRestoration } from './task-restoration.ts';

/**
 * Evidence that may contradict the log (R3), taken between the fence and the claim (`claim`). After the claim another owner may
 * take over, commit and truncate at any time, and a process that was stopped meanwhile would count that against what lies below
 * its own claim. What was asked before the fence does not tell of what the former owner has committed since.
 */
export interface LogWitnesses {
  readonly logStartOffset: number;
  /** Offset that the group has committed for this partition. */
  readonly own: CommittedOffset | undefined;
  /** Offsets of the input's other partitions; asked only where no commit was found. */
  readonly others: readonly (CommittedOffset | undefined)[];
}

export async function logWitnesses(
  { settings, ports, partition }: TaskContext,
  restoration: TaskRestoration,
): Promise<LogWitnesses> {
  const { logStartOffset } = restoration;
  const ask = (at: number): Promise<CommittedOffset | undefined> =>
    ports.admin.committedOffset(settings.group, { topic: settings.inputTopic, partition: at });
  const own = await ask(partition);
  if (restoration.last !== undefined) return { logStartOffset, own, others: [] };
  const others = Array.from({ length: settings.inputPartitions }, (_, at) => at).filter((at) => at !== partition);
  return { logStartOffset, own, others: await Promise.all(others.map(ask)) };
}

/** Checks what must hold before anything is served (R1, R3, L3). */
export function checkRestored(
  context: TaskContext,
  store: TaskStore,
  restoration: TaskRestoration,
  witnesses: LogWitnesses,
): void {
  const { last } = restoration;
  // Also here: the epoch may have been raised since this process was started.
  checkTokenEpoch(context.settings, [witnesses.own?.metadata ?? '']);
  if (last === undefined) {
    checkReallyNew(context, store, witnesses);
    return;
  }
  if (last.floor < witnesses.logStartOffset)
    throw brokenLog(
      context,
      `it starts at ${witnesses.logStartOffset}, above the floor ${last.floor} of its last commit`,
    );
  checkPartitions(context, last.inputPartitions);
  checkNoneLost(context, last, witnesses);
  restoration.check();
}

/** A changelog without a commit is a beginning only if nothing else remembers one (R3). */
function checkReallyNew(context: TaskContext, store: TaskStore, { own, others }: LogWitnesses): void {
  const { settings } = context;
  // A partition added to the input later is new by itself, and yet the application is not.
  for (const each of [own, ...others]) checkPartitions(context, committedIn(each?.metadata ?? '')?.partitions);
  if (own === undefined && store.state() === undefined) return;
  const witness =
    own === undefined ? 'a local store exists' : `group ${settings.group} has committed offset ${own.offset}`;
  throw brokenLog(context, `it is empty although ${witness}`);
}

/** Number of the commit that the group knows of; undefined: of none. */
export function sequenceIn({ own }: LogWitnesses): number | undefined {
  return committedIn(own?.metadata ?? '')?.sequence;
}

/**
 * Each offset was committed in one transaction with its changelog commit: if that is not there, it was lost (R3). The changelog
 * may well have later ones, which went without an offset (OffsetPace).
 */
function checkNoneLost(context: TaskContext, last: CommitHeader, witnesses: LogWitnesses): void {
  const sequence = sequenceIn(witnesses);
  if (sequence === undefined || sequence <= last.sequence) return;
  const { group } = context.settings;
  throw brokenLog(context, `its last commit is number ${last.sequence}, group ${group} knows of ${sequence}`);
}

/** Fatal, not one partition's trouble: every key may lie elsewhere. `before` undefined: nothing is known of how many there were. */
function checkPartitions({ settings }: TaskContext, before: number | undefined): void {
  const { inputTopic, inputPartitions, group } = settings;
  if (before === undefined || before === inputPartitions) return;
  throw new Fatal(
    `input ${inputTopic} has ${counted(inputPartitions, 'partition')}, this application's state was begun with ${before}: keys have ` +
      `moved to other partitions and their sessions would be split. Nothing was reset. Use another application name and ` +
      `another output.topic, with this input topic or a new one; group ${group} and the changelog keep what there is`,
  );
}
