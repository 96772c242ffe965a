// Brings a new task to the state of the last commit: local store, changelog, fence, rest of the changelog (R1–R3).
//
// The state is restored *before* the former owner is fenced, so that a hand-over costs a short tail and no more; the fence
// comes, then the claim, and what lies between is read.
import { type DurationMs, Fatal, type PartitionStopped, Retriable } from '@flatline/base';
import { type CommitHeader, NO_BATCH, type PartitionTask } from '@flatline/partition';
import type { CommittedOffset } from '@flatline/ports';
import { claim, lostClaim, type Ownership, readToClaim } from './claiming.ts';
import type { Heard } from '../proof/fetch-proof.ts';
import type { Flusher } from '../running/flusher.ts';
import { committedIn } from '../running/output-records.ts';
import { brokenLog, Distrusted, Replica, type ReplicaParts } from './replica.ts';

export interface RestoreParts extends ReplicaParts {
  /** Aborted where the task is not wanted any more: a wait for records then ends with Retriable. */
  readonly abandon: AbortSignal;
  /** Called right before the former owner is fenced: throws Fenced where the partition is no longer ours. @throws Retriable */
  readonly assureOwned: () => Promise<void>;
  /** What a standby holds was loaded by a warm start: no other instance owned the partition meanwhile. */
  readonly isWarmStart: boolean;
  /** Called with each replica that is read, for what it waits for (X5). */
  readonly onReading: (replica: Replica) => void;
}

export interface Restored extends Ownership {
  readonly task: PartitionTask;
  readonly flusher: Flusher;
  /** Header of the last commit, undefined for a changelog that never had one. */
  readonly last: CommitHeader | undefined;
  /** Monotonic time at which fencing the former owner began: from then on no session was closed. */
  readonly fencedAtMs: DurationMs;
  /** Where the changelog's broker stamps: the newest block there was, of about when the claim was written. */
  readonly claimHeard: Heard | undefined;
  readonly restoredFrom: StateSource;
}

/** Where most of a task's state was before it ran; a warm start loads the local store. */
export type StateSource = 'standby' | 'localStore' | 'changelog' | 'nothing';

/**
 * @param standby what a standby has read of this partition on this instance, with the store of `parts`; it is used up.
 * @throws PartitionStopped (R3), Fenced, Retriable, Fatal
 */
export async function restore(parts: RestoreParts, standby?: Replica): Promise<Restored> {
  try {
    return await attempt(parts, standby);
  } catch (error) {
    if (!(error instanceof Distrusted)) throw error;
    await parts.store.drop(error.reason, error.message);
  }
  try {
    return await attempt(parts, undefined);
  } catch (error) {
    if (!(error instanceof Distrusted)) throw error;
    // Truncated while it was being read: there is a later start to begin at.
    if (error.reason === 'behind-log-start') throw new Retriable(error.message);
    // With an empty store there is nothing local left to blame.
    throw brokenLog(parts, error.message);
  }
}

async function attempt(parts: RestoreParts, standby: Replica | undefined): Promise<Restored> {
  const { settings, ports, partition, abandon } = parts;
  const replica = standby ?? (await Replica.open(parts, abandon));
  parts.onReading(replica);
  let ownership: Ownership | undefined;
  try {
    // One that is at the end already has nothing to gain by asking again.
    if (standby?.lag !== 0) await replica.readToEnd(abandon);
    const before = await beforeClaim(parts, replica);
    await parts.assureOwned();
    const fencedAtMs = ports.clock.monotonicMs();
    ownership = await claim(partition, settings, ports);
    if (ownership.claimOffset < replica.position) throw aheadOfLog(parts, replica.position, ownership.claimOffset);
    await readToClaim(parts, ownership, (end, signal) => replica.readTo(end, signal), abandon);
    if (!replica.standsAt(ownership)) throw lostClaim(parts, ownership);
    replica.checkLineage();
    checkRestored(parts, replica, before);
    replica.stopReading();
    const { task, flusher, last, heard: claimHeard } = replica;
    const restoredFrom = standby !== undefined && !parts.isWarmStart ? 'standby' : sourceOf(replica);
    return { ...ownership, task, flusher, last, fencedAtMs, claimHeard, restoredFrom };
  } catch (error) {
    await replica.stop(false);
    await ownership?.writer.close();
    throw error;
  }
}

function sourceOf({ isStored, last }: Replica): StateSource {
  if (isStored) return 'localStore';
  return last === undefined ? 'nothing' : 'changelog';
}

/**
 * What may speak against the log (R3), as it was before the claim. After it another owner may take over, commit and truncate
 * at any time, and a process that was stopped meanwhile would hold that against what lies below its own claim.
 */
interface BeforeClaim {
  readonly logStartOffset: number;
  /** What the group knows of this partition. */
  readonly own: CommittedOffset | undefined;
  /** And of the input's others; asked only where no commit was found. */
  readonly others: readonly (CommittedOffset | undefined)[];
}

async function beforeClaim({ settings, ports, partition }: RestoreParts, replica: Replica): Promise<BeforeClaim> {
  const { logStartOffset } = replica;
  const ask = (at: number): Promise<CommittedOffset | undefined> =>
    ports.admin.committedOffset(settings.group, { topic: settings.inputTopic, partition: at });
  const own = await ask(partition);
  if (replica.last !== undefined) return { logStartOffset, own, others: [] };
  const others = Array.from({ length: settings.inputPartitions }, (_, at) => at).filter((at) => at !== partition);
  return { logStartOffset, own, others: await Promise.all(others.map(ask)) };
}

/** What must hold before anything is served (R1, R3). */
function checkRestored(parts: RestoreParts, replica: Replica, before: BeforeClaim): void {
  const { last } = replica;
  if (last === undefined) {
    checkReallyNew(parts, before);
    return;
  }
  if (last.floor < before.logStartOffset)
    throw brokenLog(parts, `it starts at ${before.logStartOffset}, above the floor ${last.floor} of its last commit`);
  checkPartitions(parts, last.inputPartitions);
  checkNoneLost(parts, last, before);
  replica.check();
}

/** A changelog without a commit is a beginning only if nothing else remembers one (R3). */
function checkReallyNew(parts: RestoreParts, { own, others }: BeforeClaim): void {
  const { settings, store } = parts;
  // A partition added to the input later is new by itself, and yet the application is not.
  for (const each of [own, ...others]) checkPartitions(parts, committedIn(each?.metadata ?? '')?.partitions);
  if (own === undefined && store.state() === undefined) return;
  const witness =
    own === undefined ? 'a local store exists' : `group ${settings.group} has committed offset ${own.offset}`;
  throw brokenLog(parts, `it is empty although ${witness}`);
}

/** What the group has committed, the changelog committed in the same transaction: if it is not there, it was lost (R3). */
function checkNoneLost(parts: RestoreParts, last: CommitHeader, { own }: BeforeClaim): void {
  const { sequence } = committedIn(own?.metadata ?? '') ?? {};
  if (sequence === undefined || sequence <= last.sequence) return;
  const { group } = parts.settings;
  throw brokenLog(parts, `its last commit is number ${last.sequence}, group ${group} knows of ${sequence}`);
}

/** Fatal, not one partition's trouble: every key may lie elsewhere. `before` undefined: nothing is known of how many there were. */
function checkPartitions({ settings }: RestoreParts, before: number | undefined): void {
  const { inputTopic, inputPartitions, group } = settings;
  if (before === undefined || before === inputPartitions) return;
  throw new Fatal(
    `input ${inputTopic} has ${inputPartitions} partitions, this application's state was begun with ${before}: keys have ` +
      `moved to other partitions and their sessions would be split. Nothing was reset. Use another application name and ` +
      `another output.topic, with this input topic or a new one; group ${group} and the changelog keep what there is`,
  );
}

function aheadOfLog(parts: RestoreParts, position: number, claimOffset: number): PartitionStopped {
  return brokenLog(parts, `the local store stands at ${position}, the log ends at ${claimOffset}`);
}

/** Where reading the input begins for a task without a commit. */
export const NOTHING_READ = { checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 } as const;
