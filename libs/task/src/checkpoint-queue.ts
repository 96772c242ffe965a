// Committed blocks on their way to the local store: what a flush writes, in slices.
//
// Fed with the bytes of committed blocks only, never with the hot index, whose entries may already hold uncommitted
// events. A key that a later commit wrote again is skipped here: the later block brings it.
//
// Owns: commits not yet flushed.      Does not own: the store, when to flush (the runtime).
//
// Invariants
//   CQ1  A flush covers whole commits. Once all its slices are written the store holds, of each key they name, what the
//        last of them says; the checkpoint comes with the last slice. Removals come first, so an image whose key a later
//        commit of the flush removes is left out.
//   CQ2  One flush at a time; it covers the commits that were pending when it began.
import { assert, type ReusedMemory } from '@flatline/base';
import type { CutBlock } from './block-builder.ts';
import type { CommitHeader } from './block-format.ts';
import type { EntryTable } from './entry-table.ts';
import type { StoreChanges, StoreCheckpoint } from './ports/state-store.ts';
import { PendingImages, type SortBounds } from './pending-images.ts';

/** A commit that is in the log: one's own after it was settled, or one read while restoring. */
export interface LoggedCommit {
  readonly header: Pick<CommitHeader, 'logId' | 'liveEntries' | 'digest'>;
  readonly blocks: readonly CutBlock[];
  readonly removals: readonly Uint8Array[];
  /** Ledger ordinal of the first block, and the changelog offset of each. */
  readonly firstOrdinal: number;
  readonly offsets: readonly number[];
}

export interface FlushSlice {
  /** Empty, without a checkpoint: a part of the work that precedes writing was done. */
  readonly changes: StoreChanges;
  /** With the last slice. */
  readonly checkpoint: StoreCheckpoint | undefined;
}

export class CheckpointQueue {
  readonly #table: EntryTable;
  readonly #memory: ReusedMemory;
  #pending: LoggedCommit[] = [];
  #pendingBytes = 0;

  /** `memory`: where blocks are given back to once they are flushed or given up. */
  constructor(table: EntryTable, memory: ReusedMemory) {
    this.#table = table;
    this.#memory = memory;
  }

  /** Block bytes held for the next flush. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  add(commit: LoggedCommit): void {
    this.#pending.push(commit);
    for (const block of commit.blocks) this.#pendingBytes += block.bytes.length;
  }

  /** Forgets what is pending: the store stays at its checkpoint, from which the changelog can roll it forward. */
  discard(): void {
    this.#giveBack(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** The slices of a flush of all that is pending, each of at most `limit` puts and removals; undefined: nothing pending. */
  flush(limit: number, sorting?: SortBounds): Iterator<FlushSlice, undefined> | undefined {
    if (this.#pending.length === 0) return undefined;
    const commits = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return this.#slices(commits, limit, sorting);
  }

  *#slices(
    commits: readonly LoggedCommit[],
    limit: number,
    sorting?: SortBounds,
  ): Generator<FlushSlice, undefined, undefined> {
    yield* slices(commits, new PendingImages(commits, this.#table, sorting), limit);
    // Asked for what comes after the last slice, whoever flushes has written it.
    this.#giveBack(commits);
    return undefined;
  }

  #giveBack(commits: readonly LoggedCommit[]): void {
    for (const { blocks } of commits) for (const { bytes } of blocks) this.#memory.giveBack(bytes);
  }
}

const NO_CHANGES: StoreChanges = { puts: [], removals: [] };

function isEmpty({ puts, removals }: StoreChanges): boolean {
  return puts.length === 0 && removals.length === 0;
}

function* slices(
  commits: readonly LoggedCommit[],
  images: PendingImages,
  limit: number,
): Generator<FlushSlice, undefined, undefined> {
  let last = NO_CHANGES;
  for (const removals of removalsBy(limit, commits, images)) {
    if (last.removals.length > 0) yield { changes: last, checkpoint: undefined };
    last = { puts: [], removals };
  }
  for (const puts of images.take(limit)) {
    if (puts.length === 0) {
      yield { changes: NO_CHANGES, checkpoint: undefined };
      continue;
    }
    if (!isEmpty(last)) yield { changes: last, checkpoint: undefined };
    last = { puts, removals: [] };
  }
  yield { changes: last, checkpoint: checkpointOf(commits.at(-1)) };
  return undefined;
}

/** The removals of all commits, up to `limit` at a time: after a mass expiry there are a million (F18). */
function* removalsBy(
  limit: number,
  commits: readonly LoggedCommit[],
  images: PendingImages,
): Generator<readonly Uint8Array[], void> {
  let some: Uint8Array[] = [];
  for (const [commit, { removals }] of commits.entries())
    for (const key of removals) {
      images.noteRemoval(key, commit);
      some.push(key);
      if (some.length < limit) continue;
      yield some;
      some = [];
    }
  if (some.length > 0) yield some;
}

function checkpointOf(last: LoggedCommit | undefined): StoreCheckpoint {
  assert(last !== undefined, 'a flush covers at least one commit');
  const block = last.blocks.at(-1)!;
  return {
    logId: last.header.logId,
    changelogPosition: last.offsets.at(-1)! + 1,
    commitHeader: block.bytes.slice(0, block.bodyStart),
    liveEntries: last.header.liveEntries,
    digest: last.header.digest,
  };
}
