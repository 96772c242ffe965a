// The rolling snapshot of one partition task: what changed since the last cut, the blocks a commit is made of, the floor.
//
// Owns: the dirty set, removals, the digest and size of the live state, the block ledger, the sweep's hand.
// Does not own: entries (EntryTable), sending blocks (the runtime), the local store's flush (Checkpoints).
//
// Invariants
//   CL1  An entry is in the dirty set at most once; `cut` empties it. Nothing is put back: a failed commit is resent byte
//        for byte until it is settled, and the next cut comes after.
//   CL2  Between cut and settle the entries of the cut are `inFlight`: if one goes meanwhile, its removal is owed (K1).
//   CL3  digest and liveBytes are the sums over live entries of what the last cut that held them wrote (R1, K8).
//   CL4  imageBlock changes only in `settle` (K4).
//   CL5  changedBytes is the sum of `entryBytes` over the dirty set, and of the removals.
import { assert, type ReusedMemory } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import { BlockBuilder, type CutBlock } from './block-builder.ts';
import type { CommitHeader } from './block-format.ts';
import { BlockLedger } from './block-ledger.ts';
import { SlotSet } from './slot-set.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { KEY_GROUP_MAX } from '@flatline/ports';

export interface ChangelogLimits {
  /** A block's body is closed at this size: well below a topic's max.message.bytes. */
  readonly blockBytesMax: number;
  /** Log bytes from floor to end are kept below this many times the live bytes (K8). */
  readonly changelogFactor: number;
  /** A log shorter than this is not worth sweeping, whatever the factor says. */
  readonly unsweptLogBytes: number;
}

/** What the task knows of a commit; the rest of the header the changelog fills in. */
export type CutContext = Pick<
  CommitHeader,
  | 'logId'
  | 'owner'
  | 'commitId'
  | 'sequence'
  | 'previousCommitId'
  | 'inputPartitions'
  | 'inputs'
  | 'clock'
  | 'heldMs'
  | 'holds'
>;

export interface ChangelogCut {
  readonly blocks: readonly CutBlock[];
  /** Slots of the entries that it removes. */
  readonly removed: readonly number[];
  readonly header: Omit<CommitHeader, 'part' | 'parts'>;
  /** `changedBytes` as it was, and the bytes of images swept forward. */
  readonly blockBytes: number;
}

/** What of a cut the local store waits for. */
export interface RowTaker {
  wants(slot: number): boolean;
  /** The entry has been written into that block of the cut. */
  take(entry: EntryWindow, part: number): void;
  /** The cut says that the slot's entry has gone. */
  takeGone(slot: number): void;
}

/** A cut of which a part is written. */
interface CutInMaking {
  readonly removed: readonly number[];
  /** Where entries lie side by side, the processor fetches the next ones by itself (LookAhead). */
  readonly isSparse: boolean;
  /** Once all changes are written. */
  sweep: Sweep | undefined;
}

/** The bytes written when the sweep of one cut began, and those at which it ends, if it has not looked at all slots before. */
interface Sweep {
  readonly bytesBegin: number;
  readonly bytesEnd: number;
}

/** Image of a session with a key of 36 bytes: how many fit into what is left of a slice. */
const BARE_IMAGE_BYTES = 55;
/** All of an image but its key and its state, and all of a removal but its key. */
const IMAGE_NUMBERS_BYTES = 64;
const REMOVAL_OVERHEAD_BYTES = 4;
/** Sweeping writes at most this many times the bytes that traffic wrote, per cut. */
const SWEEP_RATIO = 2;
const SWEEP_BYTES_MIN = 16 * 1024;
/** To look at a slot takes as long as to write so many bytes: that is what it counts in a slice. */
const SWEPT_SLOT_BYTES = 4;
/** Shares of the allowed log: at which a round begins, and the newest part, which it leaves alone. */
const SWEEP_FROM = 5 / 8;
const SWEEP_TO = 1 / 2;

export class Changelog {
  readonly ledger = new BlockLedger();
  readonly #table: EntryTable;
  readonly #view: EntryWindow;
  readonly #limits: ChangelogLimits;
  readonly #builder: BlockBuilder;
  readonly #dirty = new SlotSet();
  /** Slots whose entries have gone, and no commit says so yet. */
  readonly #leaving = new SlotSet();
  /** Scratch, of some slots. */
  readonly #imageBlocks = new Int32Array(KEY_GROUP_MAX);
  readonly #group = new Int32Array(KEY_GROUP_MAX);
  #removals: Uint8Array[] = [];
  /** Their entries, by slot. */
  #removed: number[] = [];
  #rows: RowTaker | undefined;
  #changedBytes = 0;
  /** The `changedBytes` from which on `changed` tells. */
  changedMax = Infinity;
  #digest = 0;
  #liveBytes = 0;
  #cutting: CutInMaking | undefined;
  #inFlight: ChangelogCut | undefined;
  /** Next slot the sweep looks at, and the ordinal below which a round finds images old; undefined between rounds. */
  #hand = 0;
  #roundBefore: number | undefined;
  /** Bytes of the blocks that the round still has to empty: no sweep writes more. */
  #sweepableBytes = 0;

  /** `memory`: what blocks lie in; a block that is done with may be given back to it. */
  constructor(table: EntryTable, limits: ChangelogLimits, memory: ReusedMemory) {
    this.#table = table;
    this.#view = table.view();
    this.#limits = limits;
    this.#builder = new BlockBuilder(table.format, limits.blockBytesMax, memory);
  }

  /** Has each cut give the local store what that waits for. */
  giveRowsTo(rows: RowTaker): void {
    this.#rows = rows;
  }

  /** Whether an entry, or the want of one, is as the last commit has it. */
  standsAsCommitted(slot: number): boolean {
    if (!this.#table.isLive(slot)) return !this.#leaving.has(slot);
    return !this.#dirty.has(slot) && !this.#view.at(slot).inFlight;
  }

  /** Entries and removals that wait for a cut. */
  get pendingChanges(): number {
    return this.#dirty.size + this.#removals.length;
  }

  /** About how many bytes the changes are that wait for a cut. */
  get changedBytes(): number {
    return this.#changedBytes;
  }

  /** About how many bytes a cut would write at most, if it were made now: what changed, and what is swept forward with it. */
  get pendingBytes(): number {
    return this.#changedBytes + Math.min(this.#changedBytes * SWEEP_RATIO, this.#sweepableBytes);
  }

  /** The least `changedBytes` by which `pendingBytes` are so many. */
  changedFor(pendingBytes: number): number {
    return Math.max(pendingBytes / (1 + SWEEP_RATIO), pendingBytes - this.#sweepableBytes);
  }

  get digest(): number {
    return this.#digest >>> 0;
  }

  get liveBytes(): number {
    return this.#liveBytes;
  }

  get logBytes(): number {
    return this.ledger.logBytes;
  }

  /** True where more waits for a cut than before, and `changedMax` is reached. */
  changed(entry: EntryWindow): boolean {
    if (!this.#dirty.add(entry.slot)) return false;
    this.#changedBytes += entryBytes(entry);
    return this.#changedBytes >= this.changedMax;
  }

  /** Says that the entry's state has grown by so many bytes; less than 0: shrunk. Comes before `changed`. */
  grew(entry: EntryWindow, bytes: number): void {
    if (this.#dirty.has(entry.slot)) this.#changedBytes += bytes;
  }

  /** Says that `entry` is about to be removed from the table. `key` is kept, not copied. */
  removed(entry: EntryWindow, key: Uint8Array): void {
    this.forgetImage(entry);
    if (this.#dirty.delete(entry.slot)) this.#changedBytes -= entryBytes(entry);
    if (entry.imageBlock >= 0 || entry.inFlight) this.#owe(entry.slot, key);
    if (entry.imageBlock >= 0) this.ledger.left(entry.imageBlock);
  }

  #owe(slot: number, key: Uint8Array): void {
    this.#removals.push(key);
    this.#removed.push(slot);
    this.#leaving.add(slot);
    this.#changedBytes += key.length + REMOVAL_OVERHEAD_BYTES;
  }

  /** Takes the entry's image out of digest and size. For restoring: an image is about to be replaced or removed. */
  forgetImage(entry: EntryWindow): void {
    this.#digest = (this.#digest - entry.imageDigest) | 0;
    this.#liveBytes -= entry.imageBytes;
  }

  /** Counts the image an entry now has. For restoring; a cut does it by itself. */
  countImage(entry: EntryWindow): void {
    this.#digest = (this.#digest + entry.imageDigest) | 0;
    this.#liveBytes += entry.imageBytes;
  }

  /** Whether a cut has begun: from then on until `cut` nothing may change, or it would be no state that ever was. */
  get isCutting(): boolean {
    return this.#cutting !== undefined;
  }

  /**
   * Begins a cut, or goes on with it, for as long as images of some `bytes` take to be written. True once all that changed is
   * written, and some old images that are swept forward: what is left for `cut` takes no time.
   */
  prepareCut(bytes: number): boolean {
    assert(this.#inFlight === undefined, 'a commit is cut after the one before is settled');
    const cutting = (this.#cutting ??= this.#beginCut());
    const end = this.#builder.writtenBytes + bytes;
    while (this.#dirty.size > 0) {
      const left = end - this.#builder.writtenBytes;
      if (left <= 0) return false;
      const count = this.#dirty.take(this.#group, Math.min(KEY_GROUP_MAX, Math.ceil(left / BARE_IMAGE_BYTES)));
      if (cutting.isSparse) this.#table.lookAtSlots(this.#group, count);
      this.#writeImages(count);
    }
    cutting.sweep ??= this.#beginSweep();
    return this.#sweep(cutting.sweep, end - this.#builder.writtenBytes);
  }

  #beginCut(): CutInMaking {
    const removed = this.#removed;
    for (const key of this.#removals) this.#builder.addRemoval(key);
    this.#removals = [];
    this.#removed = [];
    for (const slot of removed) if (this.#rows?.wants(slot) === true) this.#rows.takeGone(slot);
    const isSparse = this.#dirty.size < this.#table.slotsEnd / 2;
    return { removed, isSparse, sweep: undefined };
  }

  /** Makes the blocks of one commit of everything changed, after `prepareCut` of what that has left. */
  cut(context: CutContext): ChangelogCut {
    while (!this.prepareCut(Infinity));
    const { removed, sweep } = this.#cutting!;
    this.#cutting = undefined;
    const blockBytes = this.#changedBytes + this.#builder.writtenBytes - sweep!.bytesBegin;
    this.#changedBytes = 0;
    const header = {
      ...context,
      floor: this.ledger.floor(),
      liveEntries: this.#table.size,
      digest: this.digest,
      liveBytes: this.#liveBytes,
      logBytes: this.ledger.logBytes,
    };
    this.#inFlight = { blocks: this.#builder.finish(header), removed, header, blockBytes };
    this.#table.recycle();
    return this.#inFlight;
  }

  /** The commit of `cut` is known to be in the log, its blocks at `offsets`. */
  settle(cut: ChangelogCut, offsets: readonly number[]): void {
    assert(cut === this.#inFlight, 'the cut in flight is the one settled');
    assert(offsets.length === cut.blocks.length, 'each block has an offset', { blocks: cut.blocks.length });
    this.#inFlight = undefined;
    const first = this.ledger.end;
    cut.blocks.forEach((block, part) => {
      const ordinal = this.ledger.append(offsets[part]!, block.bytes.length);
      this.#placeImages(block.slots, ordinal);
    });
    for (const slot of cut.removed) this.#leaving.delete(slot);
    this.ledger.beginCommit(first);
    this.#planSweep(cut.blocks.reduce((sum, { bytes }) => sum + bytes.length, 0));
  }

  /** Those of the first `count` slots of `#group`. */
  #writeImages(count: number): void {
    for (let i = 0; i < count; i += 1) this.#writeImage(this.#view.at(this.#group[i]!));
  }

  #writeImage(entry: EntryWindow): void {
    this.forgetImage(entry);
    this.#builder.addImage(entry);
    this.countImage(entry);
    entry.inFlight = true;
    if (this.#rows?.wants(entry.slot) === true) this.#rows.take(entry, this.#builder.part);
  }

  #placeImages(slots: Int32Array, ordinal: number): void {
    for (let first = 0; first < slots.length; first += KEY_GROUP_MAX) {
      const end = Math.min(first + KEY_GROUP_MAX, slots.length);
      // Asked for before the first is looked at, so that the waits for memory overlap (LookAhead).
      this.#table.imageBlocksOf(slots, first, end - first, this.#imageBlocks);
      for (let i = first; i < end; i += 1) this.#placeImage(slots[i]!, ordinal);
    }
  }

  #placeImage(slot: number, ordinal: number): void {
    if (!this.#table.isLive(slot)) return;
    const entry = this.#view.at(slot);
    if (!entry.inFlight) return;
    entry.inFlight = false;
    if (entry.imageBlock >= 0) this.ledger.left(entry.imageBlock);
    entry.imageBlock = ordinal;
    this.ledger.gained(ordinal);
  }

  /**
   * Whether the next cut sweeps, and how much it may find; the next commit is taken for as large as the last one. Decided
   * before its changes come, so that stepping knows what they will weigh. A round begins at five eighths of the allowed log, and leaves
   * alone what lies in its newest half: most of what is younger is soon written again by its own traffic. A round rewrites
   * at most the live bytes while traffic writes at most half of that, which keeps the log below four times the live bytes
   * at the default factor.
   */
  #planSweep(commitBytes: number): void {
    if (this.#roundBefore === undefined && this.ledger.logBytes + commitBytes >= this.#allowedBytes * SWEEP_FROM) {
      this.#roundBefore = this.ledger.newest(this.#allowedBytes * SWEEP_TO);
      this.#hand = 0;
    }
    this.#sweepableBytes = this.#roundBefore === undefined ? 0 : this.ledger.heldBelow(this.#roundBefore);
    if (this.#sweepableBytes === 0) this.#roundBefore = undefined;
  }

  /** Rewrites the oldest images, so many bytes per cut. */
  #beginSweep(): Sweep {
    const { writtenBytes } = this.#builder;
    const bytesEnd = writtenBytes + Math.max(writtenBytes * SWEEP_RATIO, SWEEP_BYTES_MIN);
    return { bytesBegin: writtenBytes, bytesEnd };
  }

  /**
   * Sweeps for as long as `bytes` take to be written. True once the cut's sweep is done, or the round. How many slots a cut
   * looks at has no other bound: traffic that goes on while a round only looks for old images would count against K8.
   */
  #sweep({ bytesEnd }: Sweep, bytes: number): boolean {
    if (this.#roundBefore === undefined) return true;
    const { slotsEnd } = this.#table;
    for (let left = bytes; this.#hand < slotsEnd && this.#builder.writtenBytes < bytesEnd;) {
      if (left <= 0) return false;
      const { writtenBytes } = this.#builder;
      const first = this.#hand;
      const end = Math.min(slotsEnd, first + Math.ceil(left / SWEPT_SLOT_BYTES));
      const count = this.#gatherOld(end, this.#roundBefore, Math.min(bytesEnd - writtenBytes, left));
      this.#table.lookAtSlots(this.#group, count);
      this.#writeImages(count);
      left -= this.#builder.writtenBytes - writtenBytes + (this.#hand - first) * SWEPT_SLOT_BYTES;
    }
    if (this.#hand >= slotsEnd) this.#roundBefore = undefined;
    return true;
  }

  /** The next slots below `end` whose image is older than the round into `#group`, of up to so many bytes; returns how many. */
  #gatherOld(end: number, before: number, bytes: number): number {
    const group = this.#group;
    let count = 0;
    for (let left = bytes; count < group.length && left > 0; this.#hand += 1) {
      this.#hand = this.#table.nextOlder(this.#hand, end, before);
      if (this.#hand === end) break;
      group[count] = this.#hand;
      count += 1;
      left -= this.#view.at(this.#hand).imageBytes;
    }
    return count;
  }

  /** Bytes that the log from floor to end may have (K8). */
  get #allowedBytes(): number {
    const { changelogFactor, unsweptLogBytes } = this.#limits;
    return Math.max(this.#liveBytes * changelogFactor, 2 * unsweptLogBytes);
  }
}

function entryBytes({ keyLength, stateLength }: EntryWindow): number {
  return IMAGE_NUMBERS_BYTES + keyLength + stateLength;
}
