// Brings a new task to the state of the last commit: local store, changelog, fence, rest of the changelog (R1–R3).
//
// The state is restored *before* the former owner is fenced, so that a hand-over costs a short tail and no more; the fence
// comes, then the claim, and what lies between is read.
import { failpoint, Fatal, MalformedBytes, PartitionStopped } from '@flatline/base';
import {
  type CommitHeader,
  type CommittedOffset,
  NO_BATCH,
  PartitionTask,
  Restoration,
  type StateStore,
  type StoreDistrust,
  type TaskOptions,
} from '@flatline/task';
import { turn } from './backoff.ts';
import { ChangelogTail } from './changelog-tail.ts';
import { claim, type Ownership } from './claiming.ts';
import { Flusher } from './flusher.ts';
import { LOAD_SLICE } from './limits.ts';
import { partitionsIn } from './output-records.ts';
import type { PipelinePorts, PipelineSettings } from './settings.ts';
import { StandCheck } from './stand-check.ts';

export interface RestoreParts {
  readonly partition: number;
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
  readonly store: StateStore;
  readonly taskOptions: TaskOptions;
  /** The task's present share of the memory that committed blocks may wait for the local store in. */
  readonly flushBytes: () => number;
  /** Puts and removals per write to it. */
  readonly flushSlice: number;
  /** Aborted where the task is not wanted any more: a wait for records then ends with Retriable. */
  readonly abandon: AbortSignal;
  /** Called where the local store was dropped (R2); it is counted. */
  readonly onDistrust: (reason: StoreDistrust, detail: string) => void;
}

export interface Restored extends Ownership {
  readonly task: PartitionTask;
  readonly flusher: Flusher;
  /** Header of the last commit, undefined for a changelog that never had one. */
  readonly last: CommitHeader | undefined;
}

/** Local state that cannot be used after all: drop it, and read the log again from its start. */
class Distrusted extends Error {
  readonly reason: StoreDistrust;
  constructor(reason: StoreDistrust, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** @throws PartitionStopped (R3), Fenced, Retriable, Fatal */
export async function restore(parts: RestoreParts): Promise<Restored> {
  try {
    return await attempt(parts);
  } catch (error) {
    if (!(error instanceof Distrusted)) throw error;
    parts.onDistrust(error.reason, error.message);
    await parts.store.wipe();
  }
  try {
    return await attempt(parts);
  } catch (error) {
    // With an empty store there is nothing local left to blame.
    if (error instanceof Distrusted) throw brokenLog(parts, error.message);
    throw error;
  }
}

async function attempt(parts: RestoreParts): Promise<Restored> {
  const { settings, ports, partition } = parts;
  const task = new PartitionTask(parts.taskOptions);
  const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
  const flusher = new Flusher({ ...parts, task });
  const from = await loadStore(parts, restoration);
  failpoint('restore.loaded');
  const { stand } = from;
  const changelog = { topic: settings.changelogTopic, partition };
  const tail = new ChangelogTail(ports, changelog, from.readFrom, parts.abandon);
  let ownership: Ownership | undefined;
  try {
    const take = (bytes: Uint8Array, offset: number): boolean => {
      if (isNews(parts, stand, bytes, offset)) applyBlock(parts, restoration, bytes, offset, stand);
      failpoint('restore.block');
      flusher.offer();
      return true;
    };
    await tail.readToEnd(take);
    const before = await beforeClaim(parts, restoration, tail);
    ownership = await claim(partition, settings, ports);
    if (ownership.claimOffset < from.position) throw aheadOfLog(parts, from.position, ownership.claimOffset);
    await tail.readTo(ownership.claimOffset + 1, take);
    if (!stand.isProven) throw new Distrusted('other-log', `the log has no commit at ${from.position - 1}`);
    checkRestored(parts, restoration, before);
    return { ...ownership, task, flusher, last: restoration.last };
  } catch (error) {
    await flusher.stop();
    await ownership?.writer.close();
    throw error;
  } finally {
    tail.close();
  }
}

interface StorePosition {
  /** Everything below is in the store. */
  readonly position: number;
  /** One below it where the log still has that: to see the commit that the store stands at. */
  readonly readFrom: number;
  readonly stand: StandCheck;
}

/** Loads the local store; without one, reading begins at the log's start. */
async function loadStore(parts: RestoreParts, restoration: Restoration): Promise<StorePosition> {
  const { store, ports, settings, partition } = parts;
  const changelog = { topic: settings.changelogTopic, partition };
  const { logStartOffset } = await ports.admin.ends(changelog);
  const state = store.state();
  if (state === undefined)
    return { position: logStartOffset, readFrom: logStartOffset, stand: new StandCheck(undefined) };
  const { checkpoint } = state;
  if (checkpoint.changelogPosition < logStartOffset)
    throw new Distrusted(
      'behind-log-start',
      `checkpoint at ${checkpoint.changelogPosition}, log starts at ${logStartOffset}`,
    );
  try {
    restoration.beginStored(checkpoint);
    let loaded = 0;
    for (const stored of store.scan()) {
      restoration.loadStored(stored);
      loaded += 1;
      if (loaded % LOAD_SLICE === 0) await turn(ports.turns);
    }
    restoration.finishStored();
  } catch (error) {
    throw new Distrusted('unreadable', error instanceof Error ? error.message : String(error));
  }
  const { changelogPosition: position } = checkpoint;
  return { position, readFrom: Math.max(logStartOffset, position - 1), stand: new StandCheck(checkpoint) };
}

/** False for the block that proves that the log is the store's. */
function isNews(parts: RestoreParts, stand: StandCheck, bytes: Uint8Array, offset: number): boolean {
  const found = malformedStops(parts, offset, () => stand.look(bytes, offset));
  if (found === 'foreign')
    throw new Distrusted('other-log', `offset ${offset} is not of the log the store was made of`);
  if (found === 'lost')
    throw brokenLog(parts, `offset ${offset} does not hold the commit that the local store stands at`);
  return found === 'after';
}

function applyBlock(
  parts: RestoreParts,
  restoration: Restoration,
  bytes: Uint8Array,
  offset: number,
  stand: StandCheck,
): void {
  const step = malformedStops(parts, offset, () => restoration.apply(bytes, offset));
  if (step.kind === 'broken') throw new Distrusted('other-log', `offset ${offset}: ${step.why}`);
  if (step.kind === 'commit') stand.followed();
}

/** @throws PartitionStopped (R3) where the bytes are no block. */
function malformedStops<T>(parts: RestoreParts, offset: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw brokenLog(parts, `offset ${offset}: ${error.message}`);
  }
}

/**
 * What may speak against the log (R3), as it was before the claim. After it another owner may take over, commit and truncate
 * at any time, and a process that was stopped meanwhile would hold that against what lies below its own claim.
 */
interface BeforeClaim {
  readonly logStartOffset: number;
  /** Of every partition of the input; asked only where no commit was found. */
  readonly committed: readonly (CommittedOffset | undefined)[];
}

async function beforeClaim(
  { settings, ports }: RestoreParts,
  restoration: Restoration,
  tail: ChangelogTail,
): Promise<BeforeClaim> {
  const { logStartOffset } = tail;
  if (restoration.last !== undefined) return { logStartOffset, committed: [] };
  const partitions = Array.from({ length: settings.inputPartitions }, (_, partition) => partition);
  const committed = await Promise.all(
    partitions.map((partition) =>
      ports.admin.committedOffset(settings.group, { topic: settings.inputTopic, partition }),
    ),
  );
  return { logStartOffset, committed };
}

/** What must hold before anything is served (R1, R3). */
function checkRestored(parts: RestoreParts, restoration: Restoration, before: BeforeClaim): void {
  const { last } = restoration;
  if (last === undefined) {
    checkReallyNew(parts, before);
    return;
  }
  if (last.floor < before.logStartOffset)
    throw brokenLog(parts, `it starts at ${before.logStartOffset}, above the floor ${last.floor} of its last commit`);
  checkPartitions(parts, last.inputPartitions);
  const disagreement = restoration.finish();
  if (disagreement !== undefined) throw new Distrusted('checksum', disagreement);
}

/** A changelog without a commit is a beginning only if nothing else remembers one (R3). */
function checkReallyNew(parts: RestoreParts, { committed }: BeforeClaim): void {
  const { settings, partition, store } = parts;
  // A partition added to the input later is new by itself, and yet the application is not.
  for (const each of committed) checkPartitions(parts, partitionsIn(each?.metadata ?? ''));
  const own = committed[partition];
  if (own === undefined && store.state() === undefined) return;
  const witness =
    own === undefined ? 'a local store exists' : `group ${settings.group} has committed offset ${own.offset}`;
  throw brokenLog(parts, `it is empty although ${witness}`);
}

/** Fatal, not one partition's trouble: every key may lie elsewhere. `before` undefined: nothing is known of how many there were. */
function checkPartitions({ settings }: RestoreParts, before: number | undefined): void {
  const { inputTopic, inputPartitions, group } = settings;
  if (before === undefined || before === inputPartitions) return;
  throw new Fatal(
    `input ${inputTopic} has ${inputPartitions} partitions, this application's state was begun with ${before}: keys have ` +
      `moved to other partitions and their sessions would be split. Nothing was reset. Use another application name, or a ` +
      `new input topic; group ${group} keeps what there is`,
  );
}

function aheadOfLog(parts: RestoreParts, position: number, claimOffset: number): PartitionStopped {
  return brokenLog(parts, `the local store stands at ${position}, the log ends at ${claimOffset}`);
}

function brokenLog({ settings, partition }: RestoreParts, why: string): PartitionStopped {
  return new PartitionStopped(
    `changelog ${settings.changelogTopic}/${partition} cannot be trusted: ${why}. Nothing was reset. Restore the topic, ` +
      `or give up this application's state on purpose: use another application name, or delete its changelog topic, ` +
      `consumer group ${settings.group} and state directory`,
  );
}

/** Where reading the input begins for a task without a commit. */
export const NOTHING_READ = { checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false } as const;
