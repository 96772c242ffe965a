// Loads the rows of the local store.
//
// Owns: the blocks that rows name, until they are in the ledger.
// Does not own: what commits say of them (Restoration).
import type { EntryWindow } from '@flatline/kinds';
import type { StoredGroup } from '@flatline/ports';
import type { Changelog } from '../changelog/changelog.ts';
import { headDigest } from '../changelog/digest.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { KeyView } from '../entries/key-view.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { StoredAhead } from './stored-ahead.ts';
import type { WrittenDigests } from './written-digests.ts';

export interface RowLoaderParts {
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly checkpoints: Checkpoints;
  readonly digests: WrittenDigests;
  readonly ahead: StoredAhead;
}

/** Bases of the store being counted into the ledger: the ordinal of each provisional one, and the slot that is next. */
interface Counting {
  readonly ordinals: Int32Array;
  slot: number;
}

export class RowLoader {
  readonly #parts: RowLoaderParts;
  readonly #table: EntryTable;
  readonly #view: EntryWindow;
  readonly #digested = new KeyView();
  /** Changelog offsets of their bases, by the provisional ordinal that entries carry meanwhile. */
  readonly #offsets: number[] = [];
  readonly #bytes: number[] = [];
  readonly #provisional = new Map<number, number>();
  #counting: Counting | undefined;
  /** Changelog offset of the store's checkpoint. */
  #storedEnd = 0;

  constructor(parts: RowLoaderParts) {
    this.#parts = parts;
    this.#table = parts.table;
    this.#view = parts.table.view();
  }

  /** The store's checkpoint stands there. */
  begin(changelogPosition: number): void {
    this.#storedEnd = changelogPosition;
  }

  /** Takes some rows, by ascending slot. @throws MalformedBytes */
  load(group: StoredGroup): void {
    this.#table.lookAhead(group.bytes, group);
    for (let i = 0; i < group.count; i += 1) if (this.#isNewest(group, i)) this.#loadRow(group, i);
  }

  /**
   * True if no row loaded before has this row's key as of a later commit. A key that has come back has another slot, and a flush
   * that was cut short has left the row of the former.
   */
  #isNewest(group: StoredGroup, index: number): boolean {
    const former = this.#table.findAhead(group.bytes, group, index);
    if (former < 0) return true;
    const isNewer = group.sequences[index]! > this.#parts.ahead.sequenceOf(former);
    this.#parts.checkpoints.markStale(isNewer ? former : group.slots[index]!);
    if (isNewer) this.#dropRow(former);
    return isNewer;
  }

  #dropRow(slot: number): void {
    const entry = this.#view.at(slot);
    if (entry.baseBlock >= 0) this.#bytes[entry.baseBlock]! -= entry.baseBytes;
    this.#parts.digests.forget(slot);
    this.#table.vacate(slot);
    this.#parts.ahead.forget(slot);
  }

  #loadRow(group: StoredGroup, index: number): void {
    const { bytes } = group;
    const changelogOffset = group.changelogOffsets[index]!;
    const slot = group.slots[index]!;
    const imageStart = group.imageStarts[index]!;
    const imageEnd = group.imageEnds[index]!;
    const entry = this.#view.at(this.#table.insertAt(slot, bytes, group, index));
    const stateStart = this.#table.format.decode(bytes, imageStart, imageEnd, entry);
    this.#restoreState(slot, bytes, stateStart, imageEnd);
    const headLength = stateStart - imageStart;
    const { changelog, digests } = this.#parts;
    changelog.countKey(entry);
    digests.count(entry, headDigest(slot, this.#digested.of(bytes), imageStart, headLength), headLength);
    this.#parts.ahead.note(slot, group.sequences[index]!);
    // A base above the checkpoint lies in a block that is read yet.
    if (changelogOffset >= this.#storedEnd) return;
    entry.baseBlock = this.#provisionalOf(changelogOffset);
    this.#bytes[entry.baseBlock]! += entry.baseBytes;
  }

  #restoreState(slot: number, bytes: Uint8Array, start: number, end: number): void {
    const { states } = this.#table;
    for (let page = 0, at = start; at < end; page += 1, at += PAGE_BYTES_MAX)
      states.restorePage(slot, page, 0, { bytes, start: at, end: Math.min(end, at + PAGE_BYTES_MAX) });
  }

  #provisionalOf(changelogOffset: number): number {
    const known = this.#provisional.get(changelogOffset);
    if (known !== undefined) return known;
    const provisional = this.#offsets.length;
    this.#provisional.set(changelogOffset, provisional);
    this.#offsets.push(changelogOffset);
    this.#bytes.push(0);
    return provisional;
  }

  /**
   * Ends loading from the store, up to `limit` entries at a time: block offsets are put in order. True once it is done;
   * reading goes on at the checkpoint.
   */
  finish(limit: number): boolean {
    const counting = (this.#counting ??= { ordinals: this.#storedOrdinals(), slot: 0 });
    const { ordinals } = counting;
    const { ledger } = this.#parts.changelog;
    const end = Math.min(this.#table.slotsEnd, counting.slot + limit);
    for (; counting.slot < end; counting.slot += 1) {
      if (!this.#table.isLive(counting.slot)) continue;
      const entry = this.#view.at(counting.slot);
      if (entry.baseBlock < 0) continue;
      const ordinal = ordinals[entry.baseBlock]!;
      entry.baseBlock = ordinal;
      ledger.gained(ordinal);
    }
    if (end < this.#table.slotsEnd) return false;
    this.#parts.checkpoints.holdUntil(this.#parts.ahead.newest);
    return true;
  }

  /** By provisional ordinal. */
  #storedOrdinals(): Int32Array {
    const ordinals = new Int32Array(this.#offsets.length);
    for (const offset of Float64Array.from(this.#offsets).sort()) {
      const provisional = this.#provisional.get(offset)!;
      ordinals[provisional] = this.#parts.changelog.ledger.append(offset, this.#bytes[provisional]!);
    }
    this.#provisional.clear();
    return ordinals;
  }
}
