// Applies the operations of a block to entries (docs/FORMATS.md, Changelog).
//
// Invariants
//   BA1  What a commit says of an entry whose row is as of that commit, or a later one, is passed over, but for the place of
//        its base. So is what it says of a slot without an entry: its base lay below the log's start, and lives no more.
//   BA2  An entry that begins with a rebind is in `incomplete` until it is said to be based there: it has its first pages, and
//        what is said of those behind is passed over, since they come again. A base from before it began is not its.
//
// Checked
//   not  BA1, BA2: of what was read, which is not kept; what comes of it has the digest that the last header says (R1).
import { MalformedBytes } from '@flatline/base';
import type { EntryWindow, TouchBase } from '@flatline/kinds';
import { type CommitHeader, OP_BASED, OP_BIND, OP_REBIND, OP_REMOVE, OP_TOUCH } from '../changelog/block-format.ts';
import { BodyReader, type OperationGroup } from '../changelog/body-reader.ts';
import type { Changelog } from '../changelog/changelog.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import type { StoredAhead } from './stored-ahead.ts';
import type { WrittenDigests } from './written-digests.ts';

export interface BlockApplierParts {
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly digests: WrittenDigests;
  readonly ahead: StoredAhead;
}

export interface ReadBlock {
  readonly bytes: Uint8Array;
  readonly bodyStart: number;
  readonly offset: number;
}

/** A block being applied. */
interface Applying {
  readonly bytes: Uint8Array;
  readonly ordinal: number;
  readonly sequence: number;
  readonly base: TouchBase;
  readonly slots: number[];
  readonly removed: number[];
}

export class BlockApplier {
  readonly #parts: BlockApplierParts;
  readonly #table: EntryTable;
  readonly #view: EntryWindow;

  constructor(parts: BlockApplierParts) {
    this.#parts = parts;
    this.#table = parts.table;
    this.#view = parts.table.view();
  }

  /** Returns the slots of entries that it says something of; those that it removes go to `removed`. @throws MalformedBytes */
  apply({ bytes, bodyStart, offset }: ReadBlock, header: CommitHeader, removed: number[]): Int32Array {
    const ordinal = this.#parts.changelog.ledger.append(offset, bytes.length);
    const { sequence, clock, inputs } = header;
    const base = { clock, position: inputs[0]?.position ?? 0 };
    const applying: Applying = { bytes, ordinal, sequence, base, slots: [], removed };
    const body = new BodyReader(bytes, bodyStart);
    const { group } = body;
    while (body.next()) {
      if (group.binds > 0) this.#table.lookAhead(bytes, group);
      if (group.binds < group.count) this.#table.lookAtHeads(group.slots, group.count);
      for (let i = 0; i < group.count; i += 1) this.#apply(applying, group, i);
    }
    return Int32Array.from(applying.slots);
  }

  #apply(applying: Applying, group: OperationGroup, index: number): void {
    const slot = group.slots[index]!;
    const kind = group.kinds[index]!;
    const isLive = this.#table.isLive(slot);
    if (kind === OP_BASED && isLive) this.#moveBase(slot, group.ats[index]!);
    if (this.#parts.ahead.covers(slot, applying.sequence)) {
      // The base of a row may lie behind the store, and be a rebind: until that is said the floor must not pass it.
      if (isLive && (kind === OP_BIND || (kind === OP_REBIND && this.#view.at(slot).baseBlock < 0)))
        this.#placeBase(this.#view.at(slot), applying.ordinal);
      // Its row is to name that.
      if (isLive && kind === OP_BASED) applying.slots.push(slot);
      return;
    }
    if (kind === OP_BIND || kind === OP_REBIND) {
      if (!this.#bind(applying, group, index, isLive)) return;
    } else if (!isLive) return;
    else if (kind === OP_REMOVE) {
      this.#remove(slot);
      applying.removed.push(slot);
      return;
    } else if (kind === OP_TOUCH) this.#touch(applying, group, index);
    else if (kind !== OP_BASED) this.#putPage(applying.bytes, group, index);
    if (applying.slots.at(-1) !== slot) applying.slots.push(slot);
  }

  /** False where the key is in another slot as of a later commit: what this one did was undone since. */
  #bind(applying: Applying, group: OperationGroup, index: number, isLive: boolean): boolean {
    const { bytes, sequence, ordinal } = applying;
    const slot = group.slots[index]!;
    const found = this.#table.findAhead(bytes, group, index);
    if (found !== slot) {
      if (isLive) throw new MalformedBytes(`slot ${slot} is bound to another key, and its entry was not removed`);
      if (found >= 0 && this.#parts.ahead.covers(found, sequence)) return false;
      if (found >= 0) throw new MalformedBytes(`the key of slot ${found} is bound to slot ${slot}, too`);
      this.#parts.changelog.countKey(this.#view.at(this.#table.insertAt(slot, bytes, group, index)));
    }
    this.#parts.digests.willChange(slot);
    const entry = this.#view.at(slot);
    const [start, end] = [group.dataStarts[index]!, group.dataEnds[index]!];
    const rest = end - this.#table.format.decode(bytes, start, end, entry);
    if (rest !== 0) throw new MalformedBytes(`${rest} bytes after the head of slot ${slot}`);
    const isWhole = group.kinds[index] === OP_BIND;
    this.#table.states.restoreCount(slot, isWhole ? 0 : group.pages[index]!);
    this.#table.reshaped.delete(slot);
    const { incomplete } = this.#parts.changelog;
    if (isWhole) incomplete.delete(slot);
    else if (!isLive) incomplete.add(slot);
    if (isWhole || !isLive) this.#placeBase(entry, ordinal);
    return true;
  }

  /** Where the block there is known only by older ones, the nearest of these: the floor that commits have stated stands all the same. */
  #moveBase(slot: number, offset: number): void {
    const { ledger, incomplete } = this.#parts.changelog;
    const entry = this.#view.at(slot);
    if (entry.baseBlock >= 0 && ledger.offsetOf(entry.baseBlock) > offset) return;
    incomplete.delete(slot);
    const ordinal = ledger.ordinalAt(offset);
    if (ordinal >= 0 && ordinal !== entry.baseBlock) this.#placeBase(entry, ordinal);
  }

  #touch({ bytes, base }: Applying, group: OperationGroup, index: number): void {
    const slot = group.slots[index]!;
    this.#parts.digests.willChange(slot);
    const [start, end] = [group.dataStarts[index]!, group.dataEnds[index]!];
    this.#table.format.decodeTouch(bytes, start, end, base, this.#view.at(slot));
  }

  #putPage(bytes: Uint8Array, group: OperationGroup, index: number): void {
    const slot = group.slots[index]!;
    const [page, at] = [group.pages[index]!, group.ats[index]!];
    const [start, end] = [group.dataStarts[index]!, group.dataEnds[index]!];
    this.#parts.digests.willChange(slot);
    if (this.#table.states.restorePage(slot, page, at, { bytes, start, end })) return;
    if (this.#parts.changelog.incomplete.has(slot)) return;
    throw new MalformedBytes(
      `page ${page} of slot ${slot} goes on at byte ${at}, where it cannot: it is not what it was`,
    );
  }

  #placeBase(entry: EntryWindow, ordinal: number): void {
    const { ledger } = this.#parts.changelog;
    if (entry.baseBlock >= 0) ledger.left(entry.baseBlock);
    entry.baseBlock = ordinal;
    ledger.gained(ordinal);
  }

  #remove(slot: number): void {
    const entry = this.#view.at(slot);
    this.#parts.digests.forget(slot);
    this.#parts.changelog.incomplete.delete(slot);
    if (entry.baseBlock >= 0) this.#parts.changelog.ledger.left(entry.baseBlock);
    this.#table.vacate(slot);
  }
}
