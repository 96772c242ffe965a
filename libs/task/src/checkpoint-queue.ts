// Committed blocks on their way to the local store: what a flush writes, in slices.
//
// Fed with the bytes of committed blocks only, never with the hot index, whose entries may already hold uncommitted
// events. A key that was written again by a later commit is skipped here: the later block brings it.
//
// Owns: commits not yet flushed.      Does not own: the store, when to flush (the runtime).
//
// Invariants
//   CQ1  Commits are flushed whole and in order; the checkpoint comes with the last slice.
//   CQ2  One flush at a time; it covers the commits that were pending when it began.
import { assert, ByteReader } from '@flatline/base';
import type { CutBlock } from './block-builder.ts';
import { type CommitHeader, OP_IMAGE } from './block-format.ts';
import type { EntryTable } from './entry-table.ts';
import type { EntryView } from './entry-view.ts';
import type { StoreChanges, StoreCheckpoint, StoredImage } from './ports/state-store.ts';

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
  readonly changes: StoreChanges;
  /** With the last slice. */
  readonly checkpoint: StoreCheckpoint | undefined;
}

export class CheckpointQueue {
  readonly #table: EntryTable;
  #pending: LoggedCommit[] = [];
  #pendingBytes = 0;

  constructor(table: EntryTable) {
    this.#table = table;
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
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** The slices of a flush of all that is pending, each of at most `limit` puts and removals; undefined: nothing pending. */
  flush(limit: number): Iterator<FlushSlice, undefined> | undefined {
    if (this.#pending.length === 0) return undefined;
    const commits = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    return slices(commits, this.#table, limit);
  }
}

/** Removals first: a key that was removed and came back has its image in a later block, hence in a later slice. */
function* slices(
  commits: readonly LoggedCommit[],
  table: EntryTable,
  limit: number,
): Generator<FlushSlice, undefined, undefined> {
  const removals = commits.flatMap((commit) => commit.removals);
  for (let from = 0; from < removals.length; from += limit)
    yield { changes: { puts: [], removals: removals.slice(from, from + limit) }, checkpoint: undefined };
  const view = table.view();
  let puts: StoredImage[] = [];
  for (const commit of commits) {
    for (const [part, block] of commit.blocks.entries()) {
      for (let i = 0; i < block.slots.length; i += 1) {
        if (!isNewest(view, table, block.slots[i]!, commit.firstOrdinal + part)) continue;
        puts.push(imageAt(block, i, commit.offsets[part]!));
        if (puts.length < limit) continue;
        yield { changes: sorted(puts), checkpoint: undefined };
        puts = [];
      }
    }
  }
  yield { changes: sorted(puts), checkpoint: checkpointOf(commits.at(-1)) };
  return undefined;
}

function isNewest(view: EntryView, table: EntryTable, slot: number, ordinal: number): boolean {
  return table.isLive(slot) && view.at(slot).imageBlock === ordinal;
}

function imageAt(block: CutBlock, i: number, changelogOffset: number): StoredImage {
  const input = new ByteReader(block.bytes, block.bodyStart + block.starts[i]!);
  assert(input.u8() === OP_IMAGE, 'a recorded start is that of an image');
  return { key: input.block(), image: input.block(), changelogOffset };
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

/** Neighbours in the tree are written together: an order of magnitude fewer pages are touched. */
function sorted(puts: StoredImage[]): StoreChanges {
  puts.sort((a, b) => compareBytes(a.key, b.key));
  return { puts, removals: [] };
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
