// The rolling snapshot of one partition task: what changed since the last cut, the blocks a commit is made of, the floor.
//
// The problem. Millions of entries, of which each commit changes some thousands, must be there again after a crash, as of the
// very input position that the last commit names, and soon.
//
// Why the obvious fails. A snapshot at intervals writes everything, though little has changed, and what came after it has to
// be read again from the input. A compacted topic with a record per key writes key, headers and framing for a heartbeat that
// changed eight bytes; the broker's cleaner decides when old values go, so how much a restore reads is not ours to bound; and
// position and state are different records, which may disagree.
//
// The idea. A commit writes blocks: the slots that have changed, in order, a few bytes each, with the position in the header.
// An entry is bound to its slot and key once, by its base; later blocks only touch it:
//
//   block   1: bind a, bind b     2: touch a     3: touch b, remove a     4: bind b again (swept)
//           ▲ b's base until 4                                            ▲ b's base: the floor may move up to here
//
// Each commit also rewrites a share of the oldest bases, so that all live entries have theirs above a floor that keeps moving;
// below it the log is truncated. So the log stays within a factor of the live state, no commit writes much more than what has
// changed, and a restore reads from the floor to the end, once, front to back.
//
// Further reading: Rosenblum and Ousterhout, The Design and Implementation of a Log-Structured File System (SOSP 1991), whose
// cleaner is our sweep; KIP-107 (deleting records below an offset); ADR 4, 22, 29. Bytes: block-format.ts.
//
// Owns: the dirty set, removals, the digest and size of the live state, the block ledger, what is said of settings.
// Does not own: entries (EntryTable), which old bases are swept forward, and when (SweepPlan), sending blocks (the runtime), the
// local store's flush (Checkpoints).
//
// Invariants
//   CL1  An entry is in the dirty set at most once; `cut` empties it. Nothing is put back: a failed commit is resent byte
//        for byte until it is settled, and the next cut comes after.
//   CL2  Between cut and settle the entries of the cut are `inFlight`: if one goes meanwhile, its removal is owed (K1).
//   CL3  digest and liveBytes are the sums over live entries of what the last cut that held them wrote (R1, K8).
//   CL4  baseBlock changes only in `settle` (K4).
//   CL5  changedBytes sums up the dirty set, the removals, and what is not written of pages: key and numbers of each entry, and
//        all of the state of those in `whole`, whose base the cut writes.
//   CL6  Beyond what has changed a cut writes at most its share of the sweep, and a page. A base of more than a page is bound
//        within that, or with no page that has not changed, or it comes in parts (LongBases).
//
// Checked
//   inspect   CL1, CL2, CL3, CL5
//             CL5 where no entry has a state: what counts for states are lengths of before.
//   not       CL4: what a base was is not kept; `inspect` counts bases (BL1), and the oracle reads the log for them.
//             CL6: of a cut, not of a state; pending-bytes.test.ts and sliced-cut.test.ts measure cuts.
import { assert, CHANGELOG_FORMAT, CHANGELOG_FORMAT_WITH_SETTINGS, type ReusedMemory } from '@flatline/base';
import type { EntryWindow, TouchBase } from '@flatline/kinds';
import { BaseSizes } from './base-sizes.ts';
import { BlockBuilder, type BlockLimits, type CutBlock } from './block-builder.ts';
import type { CutContext, CutHeader } from './block-format.ts';
import { BlockLedger } from './block-ledger.ts';
import { changelogFaults } from './changelog-inspection.ts';
import { keyDigest } from './digest.ts';
import { LongBases } from './long-bases.ts';
import { Purge } from './purge.ts';
import type { RowTaker } from './row-taker.ts';
import { SettingsHistory } from './settings-history.ts';
import { SWEEP_RATIO, SWEPT_SLOT_BYTES, type SweepLimits, SweepPlan } from './sweep-plan.ts';
import { SlotSet } from '../entries/slot-set.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import { KEY_GROUP_MAX } from '@flatline/ports';

export interface ChangelogLimits extends SweepLimits, BlockLimits {
  /** The settings by which commits are made, for a checker (SettingsHistory). Default: they do not say. */
  readonly settings?: string | undefined;
}

export interface ChangelogCut {
  readonly blocks: readonly CutBlock[];
  /** Slots of the entries that it removes. */
  readonly removed: readonly number[];
  readonly header: CutHeader;
  /** Bytes of all blocks. */
  readonly blockBytes: number;
}

/** A cut of which a part is written. */
interface CutInMaking {
  readonly base: TouchBase;
  readonly removed: readonly number[];
  /** Where entries lie side by side, the processor fetches the next ones by itself (LookAhead). */
  readonly isSparse: boolean;
  /** How many bytes it may sweep; less what has been since, with what changed. */
  readonly share: number;
  shareLeft: number;
  /** The written bytes at which its sweep ends, if that has not looked at all slots before; set once all changes are written. */
  sweepEnd: number | undefined;
}

/** An entry that is written takes as long as so many bytes at least: how many fit into what is left of a slice. */
const WRITTEN_ENTRY_BYTES = 32;
/** All of an entry's base, or of a touch, but key and state; and all of a removal. About, as long as they usually get. */
const NUMBERS_BYTES = 64;
const REMOVAL_BYTES = 6;

export class Changelog {
  readonly ledger = new BlockLedger();
  readonly settings: SettingsHistory;
  readonly purge = new Purge();
  readonly #table: EntryTable;
  readonly #view: EntryWindow;
  readonly #builder: BlockBuilder;
  readonly #sweep: SweepPlan;
  readonly #long: LongBases;
  readonly #dirty = new SlotSet();
  /** Slots whose base the next cut writes, and which are counted with all of their state. */
  readonly #whole = new SlotSet();
  /** Entries of which restoring has not read all pages yet (BlockApplier). */
  readonly incomplete = new SlotSet();
  /** Slots whose entries have gone, and no commit says so yet. */
  readonly #leaving = new SlotSet();
  /** Scratch, of some slots. */
  readonly #baseBlocks = new Int32Array(KEY_GROUP_MAX);
  readonly #group = new Int32Array(KEY_GROUP_MAX);
  /** How many of `#leaving` are in no cut. */
  #removals = 0;
  #rows: RowTaker | undefined;
  /** But for pages. */
  #changedBytes = 0;
  /** The `changedBytes` from which on `changed` tells. */
  changedMax = Infinity;
  #digest = 0;
  readonly #sizes = new BaseSizes();
  #cutting: CutInMaking | undefined;
  /** An entry of many pages of which some are written into the cut; `part` is that of its base, −1: it is none. */
  #within: { readonly slot: number; readonly part: number; readonly isNew: boolean } | undefined;
  #inFlight: ChangelogCut | undefined;
  /**
   * Bytes of what the kind kept in the last cut, and of evictions under way (Q4): they lengthen the log as changes do (K8). They are
   * not counted as pending: each commit has them, and one that may hold fewer would hold no record.
   */
  #keptBytes = 0;

  /** `memory`: what blocks lie in; a block that is done with may be given back to it. */
  constructor(table: EntryTable, limits: ChangelogLimits, memory: ReusedMemory) {
    const { settings, format = CHANGELOG_FORMAT } = limits;
    this.settings = new SettingsHistory(
      format < CHANGELOG_FORMAT_WITH_SETTINGS ? undefined : settings,
      limits.unsweptLogBytes,
    );
    this.#table = table;
    this.#view = table.view();
    this.#builder = new BlockBuilder(table, limits, memory);
    const long = new LongBases(table, this.#builder, (slot) => this.#rows?.rebased(slot));
    this.#long = long;
    this.#sweep = new SweepPlan(limits, {
      table,
      ledger: this.ledger,
      sizes: this.#sizes,
      longBytes: () => long.bytes,
    });
  }

  /** Has each cut give the local store what that waits for. */
  giveRowsTo(rows: RowTaker): void {
    this.#rows = rows;
  }

  /** True if the slot, occupied or empty, matches the last commit. */
  standsAsCommitted(slot: number): boolean {
    if (!this.#table.isLive(slot)) return !this.#leaving.has(slot);
    if (this.incomplete.size > 0 && this.incomplete.has(slot)) return false;
    return slot !== this.#within?.slot && !this.#dirty.has(slot) && !this.#view.at(slot).inFlight;
  }

  /** How many cuts are to be settled until all that has changed is committed, removals included: the one in flight, and the next. */
  get unsettledCuts(): number {
    const waits = this.pendingChanges > 0 || this.isCutting;
    return this.cutsInFlight + (waits ? 1 : 0);
  }

  get cutsInFlight(): 0 | 1 {
    return this.#inFlight === undefined ? 0 : 1;
  }

  /** True if entries have gone, and no settled commit says so. */
  get hasUnsettledRemovals(): boolean {
    return this.#leaving.size > 0;
  }

  /** Entries and removals that wait for a cut. */
  get pendingChanges(): number {
    return this.#dirty.size + this.#removals;
  }

  /** About how many bytes the changes are that wait for a cut. */
  get changedBytes(): number {
    return this.#changedBytes + this.#table.states.arena.unwrittenBytes;
  }

  /** About how many bytes a cut would write at most, if it were made now: what changed, and what is swept forward with it. */
  get pendingBytes(): number {
    const { changedBytes } = this;
    const share = Math.max(changedBytes * SWEEP_RATIO, this.purge.shareBytes);
    return changedBytes + Math.min(share, this.#sweep.bytes);
  }

  /** The least `changedBytes` by which `pendingBytes` are so many. */
  changedFor(pendingBytes: number): number {
    const byShare = Math.min(pendingBytes / (1 + SWEEP_RATIO), pendingBytes - this.purge.shareBytes);
    return Math.max(byShare, pendingBytes - this.#sweep.bytes);
  }

  /** Slots whose entries have gone since the last cut. */
  get uncutRemovals(): readonly number[] {
    const removed = new Set(this.#inFlight?.removed);
    return this.#leaving.from(0).filter((slot) => !removed.has(slot));
  }

  get digest(): number {
    return this.#digest >>> 0;
  }

  get liveBytes(): number {
    return this.#sizes.bytes;
  }

  get logBytes(): number {
    return this.ledger.logBytes;
  }

  /** True where more waits for a cut than before, and `changedMax` is reached. */
  changed(entry: EntryWindow): boolean {
    const { slot } = entry;
    if (this.#dirty.add(slot)) this.#changedBytes += NUMBERS_BYTES + entry.keyLength;
    else if (!this.#isReshaped(slot) || this.#whole.has(slot)) return false;
    // A touch is less than a bind, but a round may have made of any a bind. Where the base is due all of the state comes with it,
    // if it is no more than a page.
    const isDue = entry.baseBlock < this.#sweep.before || this.#isReshaped(slot);
    const isBound = entry.isWritten && isDue && !isLong(entry);
    if (isBound) {
      this.#whole.add(slot);
      this.#changedBytes += entry.stateLength;
    }
    return this.changedBytes >= this.changedMax;
  }

  #isReshaped(slot: number): boolean {
    const { reshaped } = this.#table;
    return reshaped.size > 0 && reshaped.has(slot);
  }

  /** Says that `entry` is about to be removed from the table. */
  removed(entry: EntryWindow): void {
    if (this.#dirty.delete(entry.slot)) this.#uncount(entry);
    if (!entry.isWritten) return;
    this.forget(entry);
    this.#long.forget(entry.slot);
    this.#leaving.add(entry.slot);
    this.#removals += 1;
    this.#changedBytes += REMOVAL_BYTES;
    if (entry.baseBlock >= 0) this.ledger.left(entry.baseBlock);
  }

  #uncount({ slot, keyLength, stateLength }: EntryWindow): void {
    const bytes = NUMBERS_BYTES + keyLength + (this.#whole.delete(slot) ? stateLength : 0);
    // Its state may have grown since.
    this.#changedBytes = Math.max(0, this.#changedBytes - bytes);
  }

  /** Takes an entry that was written out of digest and size. */
  forget(entry: EntryWindow): void {
    this.discount(entry);
    this.#digest = (this.#digest - keyDigestOf(entry)) | 0;
  }

  /** Counts the key of an entry that is written for the first time. */
  countKey(entry: EntryWindow): void {
    this.#digest = (this.#digest + keyDigestOf(entry)) | 0;
  }

  /** Takes what was written of head and state out, before something else is. */
  discount(entry: EntryWindow): void {
    this.#digest = (this.#digest - entry.writtenDigest) | 0;
    this.#sizes.remove(entry.baseBytes);
  }

  /** Counts what is written of head and state now. */
  recount(entry: EntryWindow): void {
    this.#digest = (this.#digest + entry.writtenDigest) | 0;
    this.#sizes.add(entry.baseBytes);
  }

  /** Lists violations of the invariants, its own and those of its parts, in words. O(state), changes nothing. For checks. */
  inspect(isRestored: boolean): string[] {
    const [table, view, ledger, long, sizes] = [this.#table, this.#view, this.ledger, this.#long, this.#sizes];
    const [dirty, whole, leaving, incomplete] = [this.#dirty, this.#whole, this.#leaving, this.incomplete];
    const [changedBytes, removals, inFlight, within] = [
      this.#changedBytes,
      this.#removals,
      this.#inFlight,
      this.#within,
    ];
    const { digest, isCutting, settings, uncutRemovals } = this;
    const weights = { change: NUMBERS_BYTES, removal: REMOVAL_BYTES };
    const parts = { table, view, ledger, long, sizes, settings, dirty, whole, leaving, incomplete };
    const cut = { isCutting, within, inFlight };
    return changelogFaults({ ...parts, ...cut, isRestored, changedBytes, removals, uncutRemovals, digest, weights });
  }

  /** True once a cut has begun: from then on until `cut` nothing may change, or it would be no state that ever was. */
  get isCutting(): boolean {
    return this.#cutting !== undefined;
  }

  /**
   * Begins a cut at `base`, or goes on with it, for as long as some `bytes` take to be written. True once all that changed is
   * written, and some old bases that are swept forward: what is left for `cut` takes no time.
   */
  prepareCut(bytes: number, base: TouchBase): boolean {
    assert(this.#inFlight === undefined, 'a commit is cut after the one before is settled');
    const cutting = (this.#cutting ??= this.#beginCut(base));
    let left = this.#finishEntry(bytes);
    while (this.#dirty.size > 0 || this.#within !== undefined) {
      if (left <= 0) return false;
      const { writtenBytes } = this.#builder;
      const count = this.#dirty.take(this.#group, Math.min(KEY_GROUP_MAX, Math.ceil(left / WRITTEN_ENTRY_BYTES)));
      if (cutting.isSparse) this.#table.lookAtHeads(this.#group, count);
      // As long as the last one may be, the others wait for the next slice.
      let written = 0;
      for (
        ;
        written < count && this.#builder.writtenBytes - writtenBytes < left && this.#within === undefined;
        written += 1
      )
        this.#write(this.#view.at(this.#group[written]!), cutting.base);
      this.#dirty.putBack(this.#group, written, count);
      left -= Math.max(written * WRITTEN_ENTRY_BYTES, this.#builder.writtenBytes - writtenBytes);
      left = this.#finishEntry(left);
    }
    cutting.sweepEnd ??= this.#sweepEndOf(cutting);
    return this.#sweepTo(cutting.sweepEnd, left);
  }

  /** Goes on with the entry whose pages are being written, for as long as some `bytes` take. Returns what is left of them. */
  #finishEntry(bytes: number): number {
    let left = bytes;
    while (this.#within !== undefined && left > 0) {
      const { writtenBytes } = this.#builder;
      const { slot, part, isNew } = this.#within;
      const entry = this.#view.at(slot);
      this.#builder.goOn(entry);
      this.#wrote(entry, part, isNew);
      left -= this.#builder.writtenBytes - writtenBytes;
    }
    return left;
  }

  #sweepEndOf({ share, shareLeft }: CutInMaking): number {
    const { writtenBytes } = this.#builder;
    this.#sweep.paced(writtenBytes - (share - shareLeft), share);
    return writtenBytes + shareLeft;
  }

  #beginCut(base: TouchBase): CutInMaking {
    const removed: number[] = [];
    for (let slot = this.#leaving.next(0); slot >= 0; slot = this.#leaving.next(slot + 1)) {
      this.#builder.addRemoval(slot);
      removed.push(slot);
      if (this.#rows?.wants(slot) === true) this.#rows.takeGone(slot);
    }
    this.#removals = 0;
    const isSparse = this.#dirty.size < this.#table.slotsEnd / 2;
    const share = Math.max(this.#sweep.shareOf(this.changedBytes + this.#keptBytes), this.purge.shareBytes);
    return { base, removed, isSparse, share, shareLeft: share, sweepEnd: undefined };
  }

  /** Makes the blocks of one commit of everything changed, after `prepareCut` of what that has left. */
  cut(context: CutContext): ChangelogCut {
    const base = { clock: context.clock, position: context.inputs[0]?.position ?? 0 };
    while (!this.prepareCut(Infinity, base));
    const { removed, base: begun } = this.#cutting!;
    assert(begun.position === base.position, 'PT3: a cut is made at one position', { begun: begun.position, ...base });
    this.#cutting = undefined;
    this.#changedBytes = 0;
    if (this.#whole.size > 0) this.#whole.clear();
    this.#sweep.changesAreCut();
    if (this.purge.begins()) this.settings.sayAgain();
    const floor = this.settings.keptFloor(this.ledger.floor());
    const header = {
      ...context,
      clock: begun.clock,
      floor,
      settings: this.settings.toSay(context, floor),
      liveEntries: this.#table.size,
      digest: this.digest,
      liveBytes: this.liveBytes,
      logBytes: this.ledger.logBytes,
    };
    this.#keptBytes = (context.kept?.bytes.length ?? 0) + (context.evictions?.length ?? 0);
    const blocks = this.#builder.finish(header);
    const blockBytes = blocks.reduce((sum, block) => sum + block.bytes.length, 0);
    this.#inFlight = { blocks, removed, header, blockBytes };
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
      this.#place(block.bound, ordinal);
      for (const slot of block.slots) if (this.#table.isLive(slot)) this.#view.at(slot).inFlight = false;
    });
    for (const { slot, ordinal } of this.#long.settle(first, offsets)) this.#moveBase(this.#view.at(slot), ordinal);
    for (const slot of cut.removed) this.#leaving.delete(slot);
    this.ledger.beginCommit(first);
    this.settings.logged(cut.header, offsets[0]!, cut.blockBytes);
    this.#sweep.plan(cut.blockBytes, this.#keptBytes);
    if (this.purge.settled(cut.header.floor, offsets[0]!)) this.#sweep.demand(first);
  }

  /** Writes the entry's changes, or all of it where they do not suffice, or would leave a base behind that a round sweeps. */
  #write(entry: EntryWindow, base: TouchBase): void {
    const isReshaped = this.#table.reshaped.delete(entry.slot);
    // A new entry has none: −1.
    const isDue = entry.baseBlock < this.#sweep.before;
    if (isLong(entry) && entry.isWritten ? this.#sharesSweep(entry, isDue) : isReshaped || isDue) {
      this.#writeBase(entry);
      return;
    }
    if (isDue) this.#long.add(entry.slot);
    this.discount(entry);
    if (isReshaped) this.#builder.addRebind(entry);
    else this.#builder.addTouch(entry, base);
    this.#wrote(entry, -1, false);
  }

  /**
   * True if the entry gets a new base with its changes. The bytes beyond those of the changes come out of the cut's share, where
   * the old base is due; else none may: all of its pages have changed, as where a window goes and leaves the next one. An entry
   * that is due and has no share comes in parts.
   */
  #sharesSweep({ slot }: EntryWindow, isDue: boolean): boolean {
    const cutting = this.#cutting!;
    const most = isDue && !this.#long.has(slot) ? cutting.shareLeft : 0;
    const beyond = this.#table.states.writtenOf(slot, most);
    if (beyond > most) return false;
    cutting.shareLeft -= beyond;
    return true;
  }

  #writeBase(entry: EntryWindow): void {
    const isNew = !entry.isWritten;
    this.#long.forget(entry.slot);
    if (!isNew) this.discount(entry);
    this.#builder.addBind(entry);
    this.#wrote(entry, this.#builder.part, isNew);
  }

  /** It counts once all that is to be written of it is. */
  #wrote(entry: EntryWindow, part: number, isNew: boolean): void {
    this.#within = this.#builder.isWithinEntry ? { slot: entry.slot, part, isNew } : undefined;
    if (this.#within !== undefined) return;
    if (isNew) this.countKey(entry);
    this.recount(entry);
    entry.inFlight = true;
    if (this.#rows?.wants(entry.slot) === true) this.#rows.take(entry, part);
  }

  #place(bound: Int32Array, ordinal: number): void {
    for (let first = 0; first < bound.length; first += KEY_GROUP_MAX) {
      const end = Math.min(first + KEY_GROUP_MAX, bound.length);
      // Asked for before the first is looked at, so that the waits for memory overlap (LookAhead).
      this.#table.baseBlocksOf(bound, first, end - first, this.#baseBlocks);
      for (let i = first; i < end; i += 1) this.#placeBase(bound[i]!, ordinal);
    }
  }

  #placeBase(slot: number, ordinal: number): void {
    if (!this.#table.isLive(slot)) return;
    const entry = this.#view.at(slot);
    if (entry.inFlight) this.#moveBase(entry, ordinal);
  }

  #moveBase(entry: EntryWindow, ordinal: number): void {
    if (entry.baseBlock >= 0) this.ledger.left(entry.baseBlock);
    entry.baseBlock = ordinal;
    this.ledger.gained(ordinal);
  }

  /** Sweeps for as long as `bytes` take to be written. True once the cut's sweep is done, or the round. */
  #sweepTo(end: number, bytes: number): boolean {
    const sweep = this.#sweep;
    const group = this.#group;
    for (let left = bytes; this.#within !== undefined || this.#sweepsBelow(end);) {
      if (left <= 0) return false;
      if (this.#within !== undefined) {
        left = this.#finishEntry(left);
        continue;
      }
      const { writtenBytes } = this.#builder;
      if (this.#long.goOn()) {
        left -= this.#builder.writtenBytes - writtenBytes;
        continue;
      }
      const { count, looked } = sweep.gather(
        group,
        Math.min(end - writtenBytes, left),
        Math.ceil(left / SWEPT_SLOT_BYTES),
      );
      // All are looked at, and what is left waits for a commit.
      if (looked === 0) return true;
      this.#table.lookAtSlots(group, count);
      for (let i = 0; i < count; i += 1) this.#sweepBase(this.#view.at(group[i]!), end);
      left -= this.#builder.writtenBytes - writtenBytes + looked * SWEPT_SLOT_BYTES;
    }
    return true;
  }

  #sweepsBelow(end: number): boolean {
    return (this.#sweep.before > 0 || this.#long.mayGoOn) && this.#builder.writtenBytes < end;
  }

  #sweepBase(entry: EntryWindow, end: number): void {
    const { slot, baseBytes } = entry;
    if (isLong(entry) && (this.#long.has(slot) || this.#builder.writtenBytes + baseBytes > end)) this.#long.add(slot);
    else this.#writeBase(entry);
  }
}

/** True if its base is worth being written in parts. */
function isLong({ stateLength }: EntryWindow): boolean {
  return stateLength > PAGE_BYTES_MAX;
}

function keyDigestOf({ slot, keyView, keyStart, keyLength }: EntryWindow): number {
  return keyDigest(slot, keyView, keyStart, keyLength);
}
