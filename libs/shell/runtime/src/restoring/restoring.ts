// Brings a new task to the state of the last commit: local store, changelog, fence, rest of the changelog (R1–R3).
//
// The state is restored *before* the former owner is fenced, so that a hand-over costs a short tail and no more; the fence
// comes, then the claim, and what lies between is read.
import { type DurationMs, Misconfigured, PartitionStopped, Retriable } from '@flatline/base';
import type { CommitHeader, PartitionTask } from '@flatline/partition';
import { claim, type Claimed, lostClaim, type Ownership, readToClaim } from './claiming.ts';
import type { Heard } from '../proof/fetch-proof.ts';
import type { Flusher } from '../local-store/flusher.ts';
import { brokenLog, Distrusted } from './distrust.ts';
import { beyondTheEnd } from './former-log.ts';
import { checkRestored, type LogWitnesses, logWitnesses, sequenceIn } from './log-witnesses.ts';
import { TaskRestoration } from './task-restoration.ts';
import type { TaskContext } from '../task-context.ts';
import type { TaskStore } from '../local-store/task-store.ts';

export interface RestoreParts {
  readonly context: TaskContext;
  readonly store: TaskStore;
  /** A standby's copy of this partition on this instance, with that store; it is used up. */
  readonly standby: TaskRestoration | undefined;
  /** Aborted once the task is no longer wanted: a wait for records then ends with Retriable. */
  readonly abandon: AbortSignal;
  /** Called right before the former owner is fenced, at each try: throws Fenced where the partition is no longer ours. @throws Retriable */
  readonly assureOwned: () => Promise<void>;
  /** True if a warm start loaded the state that the standby holds: no other instance owned the partition meanwhile. */
  readonly isWarmStart: boolean;
  /** Called with each restoration that is read, for what it waits for (X5). */
  readonly onReading: (restoration: TaskRestoration) => void;
}

export interface Restored extends Ownership {
  readonly task: PartitionTask;
  readonly flusher: Flusher;
  /** Header of the last commit, undefined for a changelog that never had one. */
  readonly last: CommitHeader | undefined;
  /** Number of the commit that the group knows of, which may be one before the last (R3); undefined: of none. */
  readonly groupSequence: number | undefined;
  /** Monotonic time at which fencing the former owner began: from then on no session was closed. */
  readonly fencedAtMs: DurationMs;
  /** Where the changelog's broker stamps: the newest block there was, of about when the claim was written. */
  readonly claimHeard: Heard | undefined;
  readonly restoredFrom: StateSource;
}

/** Where most of a task's state was before it ran; a warm start loads the local store. */
export type StateSource = 'standby' | 'localStore' | 'changelog' | 'nothing';

/** @throws PartitionStopped (R3), Fenced, Retriable, Fatal */
export async function restore(parts: RestoreParts): Promise<Restored> {
  const { context, store, abandon } = parts;
  try {
    return await attempt(parts, parts.standby);
  } catch (error) {
    const verdict =
      error instanceof PartitionStopped ? ((await beyondTheEnd(context, store, abandon)) ?? error) : error;
    if (!(verdict instanceof Distrusted)) throw verdict;
    await store.drop(verdict.reason, verdict.message);
  }
  try {
    return await attempt(parts, undefined);
  } catch (error) {
    if (!(error instanceof Distrusted)) throw error;
    // Truncated while it was being read: there is a later start to begin at.
    if (error.reason === 'behind-log-start') throw new Retriable(error.message);
    // With an empty store there is nothing local left to blame.
    throw brokenLog(context, error.message);
  }
}

async function attempt(parts: RestoreParts, standby: TaskRestoration | undefined): Promise<Restored> {
  const { context, store, abandon } = parts;
  const restoration = standby ?? (await TaskRestoration.open(context, store, abandon));
  parts.onReading(restoration);
  let ownership: Claimed<LogWitnesses> | undefined;
  try {
    // One that is at the end already has nothing to gain by asking again.
    if (standby?.lag !== 0) await restoration.readToEnd(abandon);
    const { assureOwned } = parts;
    await assureOwned();
    const fencedAtMs = context.ports.clock.monotonicMs();
    ownership = await claim(context, { assureOwned, evidence: () => logWitnesses(context, restoration) });
    if (ownership.claimOffset < restoration.position)
      throw aheadOfLog(context, restoration.position, ownership.claimOffset);
    await readToClaim(context, ownership, (end, signal) => restoration.readTo(end, signal), abandon);
    if (!restoration.standsAt(ownership)) throw lostClaim(context, ownership);
    restoration.checkLineage();
    await restoration.digest();
    checkRestored(context, store, restoration, ownership.evidence);
    checkReadable(context, restoration);
    restoration.stopReading();
    const { task, flusher, last, heard: claimHeard } = restoration;
    const restoredFrom = standby !== undefined && !parts.isWarmStart ? 'standby' : sourceOf(restoration);
    const groupSequence = sequenceIn(ownership.evidence);
    return { ...ownership, task, flusher, last, groupSequence, fencedAtMs, claimHeard, restoredFrom };
  } catch (error) {
    await restoration.stop(false);
    await ownership?.writer.close();
    throw error;
  }
}

/** Before any record: what was kept by other settings has to mean something by these. @throws Misconfigured */
function checkReadable({ settings, partition }: TaskContext, { task }: TaskRestoration): void {
  const why = task.whyUnreadable();
  if (why === undefined) return;
  throw new Misconfigured(
    `pipeline ${settings.name}: ${why} (partition ${partition}). Nothing was reset. Set it back, or declare what can be read ` +
      'from the former; or give the pipeline another name and another output.topic, and it begins with no state',
  );
}

function sourceOf({ isStored, last }: TaskRestoration): StateSource {
  if (isStored) return 'localStore';
  return last === undefined ? 'nothing' : 'changelog';
}

function aheadOfLog(context: TaskContext, position: number, claimOffset: number): PartitionStopped {
  return brokenLog(context, `the local store stands at ${position}, the log ends at ${claimOffset}`);
}
