// Rebuilds a task's state: rows out of the local store, then whole commits out of the changelog.
//
// Owns: what has been read but not yet applied (parts of a commit), the chain check.      Does not own: where to read from,
// when to stop (the runtime), what to do about a broken chain (it says so, the runtime decides).
//
// Invariants
//   RS1  Whole commits only, in order (K6). The one exception is the first commit read at the log's start: its first parts
//        may lie below the floor, and hold nothing that lives (K3). Between `take` and the last `applyNext` the state is
//        between two commits: the reader takes no more until then, and hands nothing over.
//   RS2  Sequence and previous id form an unbroken chain (K2).
//   RS3  What a commit says of an entry whose row is as of that commit, or a later one, is passed over.
import { assert, MalformedBytes } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import { type Claim, type CommitHeader, decodeBlock } from '../changelog/block-format.ts';
import { BodyReader, type OperationGroup } from '../changelog/body-reader.ts';
import type { Changelog } from '../changelog/changelog.ts';
import type { Checkpoints } from './checkpoints.ts';
import { StoredAhead } from './stored-ahead.ts';
import { digestOf } from '../changelog/digest.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { KeyView } from '../entries/key-view.ts';
import type { KeySpans, StoreCheckpoint, StoredGroup } from '@flatline/ports';

interface ReadBlock {
  readonly bytes: Uint8Array;
  readonly bodyStart: number;
  readonly offset: number;
}

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
  /** Slots with an image, of each part that has been applied. */
  readonly blocks: Int32Array[];
  readonly removed: number[];
}

interface ImageSpans extends KeySpans {
  readonly imageStarts: Int32Array;
  readonly imageEnds: Int32Array;
}

/** Images of the store being counted into the ledger: the ordinal of each provisional one, and the slot that is next. */
interface Settling {
  readonly ordinals: Int32Array;
  slot: number;
}

export class Restoration {
  readonly #table: EntryTable;
  readonly #changelog: Changelog;
  readonly #checkpoints: Checkpoints;
  readonly #view: EntryWindow;
  #parts: ReadBlock[] = [];
  /** Header of the newest part of a commit that is not whole yet. */
  #pendingHeader: CommitHeader | undefined;
  /** The commit being applied. */
  #whole: WholeCommit | undefined;
  #last: CommitHeader | undefined;
  /** Changelog offsets of images out of the store, by the provisional ordinal their entries carry meanwhile. */
  readonly #storedOffsets: number[] = [];
  readonly #storedBytes: number[] = [];
  readonly #ahead = new StoredAhead();
  readonly #provisional = new Map<number, number>();
  #settling: Settling | undefined;
  readonly #digested = new KeyView();
  /** Changelog offset of the store's checkpoint. */
  #storedEnd = 0;
  /** Bytes of the newest commit's blocks. */
  #lastBytes = 0;

  /** Commits applied go to `checkpoints` too: the local store must come to hold what memory holds. */
  constructor(table: EntryTable, changelog: Changelog, checkpoints: Checkpoints) {
    this.#table = table;
    this.#changelog = changelog;
    this.#checkpoints = checkpoints;
    this.#view = table.view();
  }

  /** Header of the newest commit applied, undefined before the first. */
  get last(): CommitHeader | undefined {
    return this.#last;
  }

  /** Begins loading from the store that stands at `checkpoint`. @throws MalformedBytes */
  beginStored(checkpoint: StoreCheckpoint): void {
    const block = decodeBlock(checkpoint.commitHeader);
    if (block.kind !== 'state') throw new MalformedBytes('a checkpoint stands at a commit');
    this.#last = block.header;
    this.#storedEnd = checkpoint.changelogPosition;
    this.#ahead.begin(block.header.sequence);
    this.#table.reserve(checkpoint.liveEntries);
  }

  /** Takes some rows of the local store, by ascending slot. @throws MalformedBytes */
  loadStored(group: StoredGroup): void {
    this.#table.lookAhead(group.bytes, group);
    for (let i = 0; i < group.count; i += 1) if (this.#isNewest(group, i)) this.#loadRow(group, i);
  }

  /**
   * Whether no row that is there already has this one's key as of a later commit. A key that has come back has another slot,
   * and a flush that was cut short has left the row of the former.
   */
  #isNewest(group: StoredGroup, index: number): boolean {
    const former = this.#table.findAhead(group.bytes, group, index);
    if (former < 0) return true;
    const isNewer = group.sequences[index]! > this.#ahead.sequenceOf(former);
    this.#checkpoints.markStale(isNewer ? former : group.slots[index]!);
    if (isNewer) this.#dropRow(former);
    return isNewer;
  }

  #dropRow(slot: number): void {
    const entry = this.#view.at(slot);
    this.#changelog.forgetImage(entry);
    if (entry.imageBlock >= 0) this.#storedBytes[entry.imageBlock]! -= entry.imageBytes;
    this.#table.remove(slot);
    this.#table.recycle();
    this.#ahead.forget(slot);
  }

  #loadRow(group: StoredGroup, index: number): void {
    const { bytes } = group;
    const changelogOffset = group.changelogOffsets[index]!;
    const slot = group.slots[index]!;
    const imageStart = group.imageStarts[index]!;
    const imageEnd = group.imageEnds[index]!;
    const entry = this.#view.at(this.#table.insertAt(slot, bytes, group, index));
    this.#table.format.decode(bytes, imageStart, imageEnd, entry);
    entry.imageDigest = this.#digestOf(bytes, group, index);
    entry.imageBytes = operationBytes(group.lengths[index]!, imageEnd - imageStart);
    this.#changelog.countImage(entry);
    this.#ahead.note(slot, group.sequences[index]!);
    // An image above the checkpoint lies in a block that is read yet.
    if (changelogOffset >= this.#storedEnd) return;
    entry.imageBlock = this.#provisionalOf(changelogOffset);
    this.#storedBytes[entry.imageBlock]! += entry.imageBytes;
  }

  #provisionalOf(changelogOffset: number): number {
    const known = this.#provisional.get(changelogOffset);
    if (known !== undefined) return known;
    const provisional = this.#storedOffsets.length;
    this.#provisional.set(changelogOffset, provisional);
    this.#storedOffsets.push(changelogOffset);
    this.#storedBytes.push(0);
    return provisional;
  }

  #digestOf(bytes: Uint8Array, { starts, lengths, imageStarts, imageEnds }: ImageSpans, index: number): number {
    const view = this.#digested.of(bytes);
    const imageStart = imageStarts[index]!;
    const keyDigest = digestOf(view, starts[index]!, lengths[index]!);
    return digestOf(view, imageStart, imageEnds[index]! - imageStart, keyDigest);
  }

  /**
   * Ends loading from the store, up to `limit` entries at a time: block offsets are put in order. True once it is done;
   * reading goes on at the checkpoint.
   */
  finishStored(limit: number): boolean {
    const settling = (this.#settling ??= { ordinals: this.#storedOrdinals(), slot: 0 });
    const { ordinals } = settling;
    const { ledger } = this.#changelog;
    const end = Math.min(this.#table.slotsEnd, settling.slot + limit);
    for (; settling.slot < end; settling.slot += 1) {
      if (!this.#table.isLive(settling.slot)) continue;
      const entry = this.#view.at(settling.slot);
      if (entry.imageBlock < 0) continue;
      const ordinal = ordinals[entry.imageBlock]!;
      entry.imageBlock = ordinal;
      ledger.gained(ordinal);
    }
    if (end < this.#table.slotsEnd) return false;
    this.#checkpoints.holdUntil(this.#ahead.newest);
    return true;
  }

  /** By provisional ordinal. */
  #storedOrdinals(): Int32Array {
    const ordinals = new Int32Array(this.#storedOffsets.length);
    for (const offset of Float64Array.from(this.#storedOffsets).sort()) {
      const provisional = this.#provisional.get(offset)!;
      ordinals[provisional] = this.#changelog.ledger.append(offset, this.#storedBytes[provisional]!);
    }
    this.#provisional.clear();
    return ordinals;
  }

  /**
   * Takes the next block of the changelog. Where that makes a commit whole, it is applied by `applyNext`. `bytes` is kept:
   * pass a copy. @throws MalformedBytes
   */
  take(bytes: Uint8Array, offset: number): RestoreStep {
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
    blocks.push(this.#applyBlock(part, whole));
    if (blocks.length === parts.length) {
      this.#whole = undefined;
      this.#applied(whole);
    }
    return part.bytes.length;
  }

  /** Ends restoring and compares what was rebuilt with the last header (R1). */
  finish(): Disagreement {
    const header = this.#last;
    assert(header !== undefined, 'something was restored');
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
    const last = parts.at(-1)!;
    const bytes = parts.reduce((sum, part) => sum + part.bytes.length, 0);
    const headerBytes = last.bytes.slice(0, last.bodyStart);
    const offsets = parts.map(({ offset }) => offset);
    this.#checkpoints.committed({ header, headerBytes, slots: blocks, removed, offsets, bytes });
    this.#changelog.ledger.beginCommit(firstOrdinal);
    // A standby reads on for months: blocks below the floor are forgotten here as a running task forgets them in `cut`.
    this.#changelog.ledger.floor();
    if (header.sequence >= this.#ahead.newest) this.#ahead.end();
    this.#last = header;
    this.#lastBytes = bytes;
  }

  /** Returns the slots with an image in it. */
  #applyBlock({ bytes, bodyStart, offset }: ReadBlock, { header: { sequence }, removed }: WholeCommit): Int32Array {
    const ordinal = this.#changelog.ledger.append(offset, bytes.length);
    const slots: number[] = [];
    const body = new BodyReader(bytes, bodyStart);
    const { group } = body;
    while (body.next()) {
      this.#table.lookAhead(bytes, group);
      for (let i = 0; i < group.count; i += 1) {
        const slot = this.#table.findAhead(bytes, group, i);
        const isImage = group.imageStarts[i]! >= 0;
        if (slot >= 0 && this.#ahead.covers(slot, sequence)) {
          if (isImage) this.#placeImage(this.#view.at(slot), ordinal);
        } else if (isImage) slots.push(this.#applyImage(bytes, group, i, ordinal, slot));
        else if (slot >= 0) {
          // Where it is not there its image lies below the log's start: truncation takes a prefix, and an older image goes
          // before its removal (K5).
          removed.push(slot);
          this.#remove(slot);
        }
      }
    }
    return Int32Array.from(slots);
  }

  #applyImage(bytes: Uint8Array, group: OperationGroup, index: number, ordinal: number, found: number): number {
    if (found >= 0) this.#changelog.forgetImage(this.#view.at(found));
    const slot = found >= 0 ? found : this.#table.insertAhead(bytes, group, index);
    const imageStart = group.imageStarts[index]!;
    const imageEnd = group.imageEnds[index]!;
    const entry = this.#view.at(slot);
    this.#table.format.decode(bytes, imageStart, imageEnd, entry);
    entry.imageDigest = this.#digestOf(bytes, group, index);
    entry.imageBytes = imageEnd - group.operations[index]!;
    this.#changelog.countImage(entry);
    this.#placeImage(entry, ordinal);
    return slot;
  }

  #placeImage(entry: EntryWindow, ordinal: number): void {
    const { ledger } = this.#changelog;
    if (entry.imageBlock >= 0) ledger.left(entry.imageBlock);
    entry.imageBlock = ordinal;
    ledger.gained(ordinal);
  }

  #remove(slot: number): void {
    const entry = this.#view.at(slot);
    this.#changelog.forgetImage(entry);
    if (entry.imageBlock >= 0) this.#changelog.ledger.left(entry.imageBlock);
    this.#table.remove(slot);
    this.#ahead.forget(slot);
    // Nothing is in flight while restoring.
    this.#table.recycle();
  }
}

/** Bytes an image takes in a block's body, as `BlockBuilder` counts them. */
function operationBytes(keyLength: number, imageLength: number): number {
  return 1 + varintBytes(keyLength) + keyLength + varintBytes(imageLength) + imageLength;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes += 1;
  return bytes;
}
