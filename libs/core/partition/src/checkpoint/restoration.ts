// Rebuilds a task's state: rows out of the local store, then whole commits out of the changelog.
//
// Owns: what has been read but not yet applied (parts of a commit), the chain check.
// Does not own: where to read from, when to stop (the runtime), what to do about a broken chain (it says so, the runtime
// decides).
//
// Invariants
//   RS1  Whole commits only, in order (K6). The one exception is the first commit read at the log's start: its first parts
//        may lie below the floor, and hold nothing that lives (K3). Between `take` and the last `applyNext` the state is
//        between two commits: the reader takes no more until then, and hands nothing over.
//   RS2  Sequence and previous id form an unbroken chain (K2).
//
// Checked
//   assertion  RS1
//   not        RS2: what is read may be anything, so that it is an outcome of `take`.
import { assert, MalformedBytes } from '@flatline/base';
import type { StoreCheckpoint, StoredGroup } from '@flatline/ports';
import { type Claim, type CommitHeader, decodeBlock } from '../changelog/block-format.ts';
import type { Changelog } from '../changelog/changelog.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { BlockApplier, type ReadBlock } from './block-applier.ts';
import type { Checkpoints } from './checkpoints.ts';
import { RowLoader } from './row-loader.ts';
import { StoredAhead } from './stored-ahead.ts';
import { WrittenDigests } from './written-digests.ts';

export type RestoreStep =
  | { readonly kind: 'claim'; readonly claim: Claim }
  /** A part of a commit is kept until the rest is read. */
  | { readonly kind: 'part' }
  | { readonly kind: 'commit'; readonly header: CommitHeader }
  /** R3: the log is not what was written. */
  | { readonly kind: 'broken'; readonly why: string };

/** R1: what the last header says against what was rebuilt; undefined where they agree. */
export type Disagreement = string | undefined;

/** A commit whose parts have all been read. */
interface WholeCommit {
  readonly header: CommitHeader;
  readonly firstOrdinal: number;
  readonly parts: readonly ReadBlock[];
  /** Slots of entries, of each part that has been applied. */
  readonly blocks: Int32Array[];
  readonly removed: number[];
}

export class Restoration {
  readonly #table: EntryTable;
  readonly #changelog: Changelog;
  readonly #checkpoints: Checkpoints;
  #parts: ReadBlock[] = [];
  /** Header of the newest part of a commit that is not whole yet. */
  #pendingHeader: CommitHeader | undefined;
  /** The commit being applied. */
  #whole: WholeCommit | undefined;
  #last: CommitHeader | undefined;
  readonly #ahead = new StoredAhead();
  readonly #digests: WrittenDigests;
  readonly #rows: RowLoader;
  readonly #blocks: BlockApplier;
  /** Bytes of the newest commit's blocks. */
  #lastBytes = 0;

  /** Applied commits are noted in `checkpoints`, since the local store has to catch up with memory. */
  constructor(table: EntryTable, changelog: Changelog, checkpoints: Checkpoints) {
    this.#table = table;
    this.#changelog = changelog;
    this.#checkpoints = checkpoints;
    const digests = new WrittenDigests(table, changelog);
    const ahead = this.#ahead;
    this.#digests = digests;
    this.#rows = new RowLoader({ table, changelog, checkpoints, digests, ahead });
    this.#blocks = new BlockApplier({ table, changelog, digests, ahead });
  }

  /** Header of the newest commit applied, undefined before the first. */
  get last(): CommitHeader | undefined {
    return this.#last;
  }

  /**
   * True where the state is as `last` left it: no commit is applied in part, and the rows of the local store were no further,
   * which a flush that was cut short leaves. One whose entry has gone leaves no row, but is missed in the count.
   */
  get isWhole(): boolean {
    const last = this.#last;
    if (last === undefined || this.#whole !== undefined) return false;
    return this.#ahead.newest <= last.sequence && this.#table.size === last.liveEntries;
  }

  /** Where the log begins: without a commit, the floor of the first one. What was there before a reset is gone (K3). */
  beginAt(logStart: number): void {
    this.#changelog.ledger.restoreFloor(logStart);
  }

  /** Begins loading from the store that stands at `checkpoint`. @throws MalformedBytes */
  beginStored(checkpoint: StoreCheckpoint): void {
    const block = decodeBlock(checkpoint.commitHeader);
    if (block.kind !== 'state') throw new MalformedBytes('a checkpoint stands at a commit');
    this.#last = block.header;
    this.#changelog.settings.stored(block.header);
    this.#rows.begin(checkpoint.changelogPosition);
    this.#ahead.begin(block.header.sequence);
    this.#table.reserve(checkpoint.liveEntries);
  }

  /** Takes some rows of the local store, by ascending slot. @throws MalformedBytes */
  loadStored(group: StoredGroup): void {
    this.#rows.load(group);
  }

  /**
   * Ends loading from the store, looking at up to `limit` slots. True once it is done; reading goes on at the checkpoint.
   */
  finishStored(limit: number): boolean {
    return this.#rows.finish(limit);
  }

  /**
   * Takes the next block of the changelog. Where that makes a commit whole, it is applied by `applyNext`. `bytes` is kept:
   * pass a copy. @throws MalformedBytes
   */
  take(bytes: Uint8Array, offset: number): RestoreStep {
    // RS1
    assert(this.#whole === undefined, 'a commit is applied before the next is read');
    const block = decodeBlock(bytes);
    if (block.kind === 'claim') return { kind: 'claim', claim: block.claim };
    const { header } = block;
    // K3: a floor above its own commit was set in a log that went further, before an election took that from it.
    if (header.part === 0 && header.floor > offset)
      throw new MalformedBytes(`its floor is ${header.floor}: what the log held up to there was lost`);
    const broken = this.#whyBroken(header);
    if (broken !== undefined) return { kind: 'broken', why: broken };
    this.#parts.push({ bytes, bodyStart: block.bodyStart, offset });
    if (header.part + 1 < header.parts) {
      this.#pendingHeader = header;
      return { kind: 'part' };
    }
    this.#pendingHeader = undefined;
    this.#whole = { header, firstOrdinal: this.#changelog.ledger.end, parts: this.#parts, blocks: [], removed: [] };
    this.#parts = [];
    this.#checkpoints.beginApplying();
    return { kind: 'commit', header };
  }

  /** Applies the next block of a commit that is whole; returns how many bytes it has, 0 where none is left. @throws MalformedBytes */
  applyNext(): number {
    const whole = this.#whole;
    if (whole === undefined) return 0;
    const { parts, blocks } = whole;
    const part = parts[blocks.length]!;
    blocks.push(this.#blocks.apply(part, whole.header, whole.removed));
    if (blocks.length === parts.length) {
      this.#whole = undefined;
      this.#applied(whole);
    }
    return part.bytes.length;
  }

  /** Computes the digests of about `limit` more entries that were read; true once all are done. */
  digest(limit: number): boolean {
    return this.#digests.countChanged(limit);
  }

  /** Ends restoring and compares what was rebuilt with the last header (R1). */
  finish(): Disagreement {
    const header = this.#last;
    assert(header !== undefined, 'something was restored');
    this.digest(Infinity);
    this.#changelog.ledger.stretch(header.logBytes + this.#lastBytes);
    this.#changelog.ledger.restoreFloor(header.floor);
    if (this.#ahead.newest > header.sequence)
      return `the local store has rows of commit ${this.#ahead.newest}, the last in the log is ${header.sequence}`;
    if (this.#table.size !== header.liveEntries)
      return `${this.#table.size} entries restored, the last commit says ${header.liveEntries}`;
    if (this.#changelog.digest !== header.digest)
      return `digest ${this.#changelog.digest}, the last commit says ${header.digest}`;
    return undefined;
  }

  /** Lists faults of what is being read, in words. O(state), changes nothing. For checks. */
  inspect(): string[] {
    return this.#digests.inspect();
  }

  #whyBroken(header: CommitHeader): string | undefined {
    const pending = this.#pendingHeader;
    if (pending !== undefined) {
      const follows = header.commitId === pending.commitId && header.part === pending.part + 1;
      return follows ? undefined : `part ${pending.part + 1} of commit ${pending.commitId} is missing`;
    }
    const last = this.#last;
    if (last === undefined) return undefined;
    if (header.logId !== last.logId) return `log id ${header.logId} follows ${last.logId}`;
    if (header.part !== 0) return `commit ${header.commitId} begins with part ${header.part}`;
    if (header.sequence !== last.sequence + 1 || header.previousCommitId !== last.commitId)
      return `commit ${header.sequence} (after ${header.previousCommitId || 'none'}) follows ${last.sequence} (${last.commitId})`;
    return undefined;
  }

  #applied({ header, firstOrdinal, parts, blocks, removed }: WholeCommit): void {
    const bytes = parts.reduce((sum, part) => sum + part.bytes.length, 0);
    const offsets = parts.map(({ offset }) => offset);
    const { settings } = this.#changelog;
    settings.logged(header, offsets[0]!, bytes);
    const { stretches } = settings;
    this.#checkpoints.committed({ header, stretches, slots: blocks, removed, offsets, bytes });
    this.#changelog.ledger.beginCommit(firstOrdinal);
    // A standby reads on for months: blocks below the floor are forgotten here as a running task forgets them in `cut`.
    this.#changelog.ledger.floor();
    if (header.sequence >= this.#ahead.newest) this.#ahead.end();
    this.#last = header;
    this.#lastBytes = bytes;
  }
}
