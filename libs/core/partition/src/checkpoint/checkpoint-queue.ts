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
import type { CutBlock } from '../changelog/block-builder.ts';
import type { CommitHeader } from '../changelog/block-format.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import type { OrderBounds } from '../entries/key-order.ts';
import { PendingImages } from '../changelog/pending-images.ts';
import type { StoreChanges, StoreCheckpoint } from '@flatline/ports';
import { RemovedKeys } from '../entries/removed-keys.ts';

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
  #largestBytes = 0;

  /** `memory`: where blocks are given back to once they are flushed or given up. */
  constructor(table: EntryTable, memory: ReusedMemory) {
    this.#table = table;
    this.#memory = memory;
  }

  /** Block bytes held for the next flush. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Block bytes of the largest commit held for the next flush. */
  get largestBytes(): number {
    return this.#largestBytes;
  }

  add(commit: LoggedCommit): void {
    this.#pending.push(commit);
    let bytes = 0;
    for (const block of commit.blocks) bytes += block.bytes.length;
    this.#pendingBytes += bytes;
    this.#largestBytes = Math.max(this.#largestBytes, bytes);
  }

  /** Forgets what is pending: the store stays at its checkpoint, from which the changelog can roll it forward. */
  discard(): void {
    this.#giveBack(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#largestBytes = 0;
  }

  /** The slices of a flush of all that is pending, each of at most `limit` puts and removals; undefined: nothing pending. */
  flush(limit: number, sorting?: OrderBounds): Iterator<FlushSlice, undefined> | undefined {
    if (this.#pending.length === 0) return undefined;
    const commits = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#largestBytes = 0;
    return this.#slices(commits, limit, sorting);
  }

  *#slices(
    commits: readonly LoggedCommit[],
    limit: number,
    sorting?: OrderBounds,
  ): Generator<FlushSlice, undefined, undefined> {
    yield* slices(commits, this.#table, limit, sorting);
    // What comes after the last slice is asked for once that is written.
    this.#giveBack(commits);
    return undefined;
  }

  #giveBack(commits: readonly LoggedCommit[]): void {
    for (const { blocks } of commits) for (const { bytes } of blocks) this.#memory.giveBack(bytes);
  }
}

/** Removals noted before others get a turn: some 3 ms. After a mass expiry there are a million (F18). */
const TURN_REMOVALS = 16_384;
const NO_CHANGES: StoreChanges = { puts: [], removals: [] };

function isEmpty({ puts, removals }: StoreChanges): boolean {
  return puts.length === 0 && removals.length === 0;
}

function* slices(
  commits: readonly LoggedCommit[],
  table: EntryTable,
  limit: number,
  sorting?: OrderBounds,
): Generator<FlushSlice, undefined, undefined> {
  const removed = new RemovedKeys(table.hashSeed, removalsOf(commits));
  const images = new PendingImages(commits, table, removed, sorting);
  let last = NO_CHANGES;
  for (const changes of changesOf(commits, { removed, images, limit, sorting })) {
    if (isEmpty(changes)) {
      yield { changes, checkpoint: undefined };
      continue;
    }
    if (!isEmpty(last)) yield { changes: last, checkpoint: undefined };
    last = changes;
  }
  yield { changes: last, checkpoint: checkpointOf(commits.at(-1)) };
  return undefined;
}

interface FlushParts {
  readonly removed: RemovedKeys;
  readonly images: PendingImages;
  readonly limit: number;
  readonly sorting: OrderBounds | undefined;
}

/** What the flush comes to, removals first; no changes where a part of the work was done that precedes some. */
function* changesOf(
  commits: readonly LoggedCommit[],
  { removed, images, limit, sorting }: FlushParts,
): Generator<StoreChanges, void> {
  let noted = 0;
  for (const [commit, { removals }] of commits.entries())
    for (const key of removals) {
      removed.note(key, commit);
      noted += 1;
      if (noted % TURN_REMOVALS === 0) yield NO_CHANGES;
    }
  for (const removals of removed.take(limit, sorting)) yield { puts: [], removals };
  for (const puts of images.take(limit)) yield { puts, removals: [] };
}

function removalsOf(commits: readonly LoggedCommit[]): number {
  return commits.reduce((sum, { removals }) => sum + removals.length, 0);
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
