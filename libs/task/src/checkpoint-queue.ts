// Committed blocks on their way to the local store: what a flush writes, in slices.
//
// Fed with the bytes of committed blocks only, never with the hot index, whose entries may already hold uncommitted
// events. A key that a later commit wrote again is skipped here: the later block brings it.
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

/** Commit by commit, and in each its removals before its images: what a block says, a later block may take back. */
function* slices(
  commits: readonly LoggedCommit[],
  table: EntryTable,
  limit: number,
): Generator<FlushSlice, undefined, undefined> {
  const view = table.view();
  let slice = new Slice();
  for (const commit of commits) {
    if (commit.removals.length > 0 && slice.size > 0) {
      yield slice.finish(undefined);
      slice = new Slice();
    }
    for (const key of commit.removals) {
      slice.removals.push(key);
      if (slice.size < limit) continue;
      yield slice.finish(undefined);
      slice = new Slice();
    }
    for (const [part, block] of commit.blocks.entries()) {
      for (let i = 0; i < block.slots.length; i += 1) {
        const image = imageAt(block, i, commit.offsets[part]!);
        if (isSuperseded(view, table, block.slots[i]!, image.key, commit.firstOrdinal + part)) continue;
        slice.puts.push(image);
        if (slice.size < limit) continue;
        yield slice.finish(undefined);
        slice = new Slice();
      }
    }
  }
  yield slice.finish(checkpointOf(commits.at(-1)));
  return undefined;
}

class Slice {
  readonly puts: StoredImage[] = [];
  readonly removals: Uint8Array[] = [];

  get size(): number {
    return this.puts.length + this.removals.length;
  }

  /** Neighbours in the tree are written together: an order of magnitude fewer pages are touched. */
  finish(checkpoint: StoreCheckpoint | undefined): FlushSlice {
    this.puts.sort((a, b) => compareBytes(a.key, b.key));
    return { changes: { puts: this.puts, removals: this.removals }, checkpoint };
  }
}

/**
 * Whether a later *commit* holds a newer image of the key. An entry that has gone, or a slot that another key has taken,
 * says nothing: its removal may not be committed yet, and until then this image is what is live.
 */
function isSuperseded(view: EntryView, table: EntryTable, slot: number, key: Uint8Array, ordinal: number): boolean {
  if (!table.isLive(slot) || view.at(slot).imageBlock <= ordinal) return false;
  return table.matches(slot, key, 0, key.length);
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

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
