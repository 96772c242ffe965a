// Cuts operations into block bodies below a byte limit, and remembers which slots are in which.
//
// Owns: the bodies of the commit being cut.
// Does not own: headers, which need what only the whole cut knows.
import { ByteWriter, type ReusedMemory } from '@flatline/base';
import type { EntryWindow, TouchBase } from '@flatline/kinds';
import type { EntryTable } from '../entries/entry-table.ts';
import { PAGE_BYTES_MAX } from '../entries/page-arena.ts';
import {
  type CommitHeader,
  type CutHeader,
  encodeHeader,
  KIND_BITS,
  OP_APPEND,
  OP_BASED,
  OP_BIND,
  OP_PAGE,
  OP_REBIND,
  OP_REMOVE,
  OP_SHORT_TOUCH,
  OP_TOUCH,
  SHORT_TOUCH_MAX,
  SHORT_TOUCH_MIN,
  SLOT_SPACE,
} from './block-format.ts';
import { headDigest, pageDigest } from './digest.ts';

export interface BlockLimits {
  /**
   * A block's body is closed at this size, so a block is longer by one operation and a header at most: well below a topic's
   * max.message.bytes.
   */
  readonly blockBytesMax: number;
  /** K9. Default: the newest. */
  readonly format?: number | undefined;
}

/** One block of a cut. */
export interface CutBlock {
  readonly bytes: Uint8Array;
  /** Where the body begins in `bytes`. */
  readonly bodyStart: number;
  /** Slots of entries that are in this block, in order; and those with a bind. */
  readonly slots: Int32Array;
  readonly bound: Int32Array;
}

/** A body in the making: it lies behind room for its header, so that it is copied once. */
interface Body {
  readonly bytes: Uint8Array;
  readonly slots: Int32Array;
  readonly bound: Int32Array;
}

/** Slots noted before the notes grow. */
const SLOTS_FIRST = 1024;
/** Bytes that are copied sooner one by one. */
const FEW = 256;
/** Left free before a body. A longer header, of very long names, costs a second copy. */
const HEADER_ROOM = 512;

/** Pages of one entry that are written at once have so many bytes, and a page: half a millisecond. */
const PAGES_AT_ONCE_BYTES = 256 * 1024;

/** A bind but for its key and its head, and a page but for its bytes. */
const BIND_OVERHEAD_BYTES = 6;
const PAGE_OVERHEAD_BYTES = 6;

export class BlockBuilder {
  readonly #table: EntryTable;
  readonly #maxBytes: number;
  readonly #format: number | undefined;
  readonly #memory: ReusedMemory;
  readonly #body = new ByteWriter(64 * 1024);
  /** A head, then a touch. */
  readonly #scratch = new ByteWriter(256);
  readonly #slots = new SlotList();
  readonly #bound = new SlotList();
  /** The slot of the operation before, in this body. */
  #slot = 0;
  readonly #finished: Body[] = [];
  #writtenBytes = 0;
  /** The least version that has all entries of this cut. */
  #entriesNeed = 0;
  /** Rest of the entry written last: from which page on, whether all pages, and the digest so far. */
  #rest: { readonly page: number; readonly all: boolean; readonly digest: number } | undefined;

  constructor(table: EntryTable, { blockBytesMax, format }: BlockLimits, memory: ReusedMemory) {
    this.#table = table;
    this.#maxBytes = blockBytesMax;
    this.#format = format;
    this.#memory = memory;
  }

  /** Bytes of all bodies so far. */
  get writtenBytes(): number {
    return this.#writtenBytes + this.#body.length;
  }

  /** Number of the block in which the entry written last has its first operation. */
  part = 0;

  /** True if pages of the entry written last are to be written (`goOn`), before anything else is. */
  get isWithinEntry(): boolean {
    return this.#rest !== undefined;
  }

  /** Writes more pages of the entry written last. Leaves the digest in it once all are. */
  goOn(entry: EntryWindow): void {
    const { page, all, digest } = this.#rest!;
    this.#addPages(entry, all, digest, page);
  }

  addRemoval(slot: number): void {
    this.#begin(slot, OP_REMOVE);
  }

  /** Writes all of the entry: its base, with `goOn`. Leaves digest and size in it. */
  addBind(entry: EntryWindow): void {
    const { slot } = entry;
    this.#encodeHead(entry);
    const head = this.#scratch.length;
    const digest = headDigest(slot, this.#scratch.view, 0, head);
    this.#begin(slot, OP_BIND);
    this.#addKeyAndHead(entry);
    this.#bound.add(slot);
    this.#addPages(entry, true, digest);
  }

  /** The same of key and head, how many pages there are, and what has changed of these. */
  addRebind(entry: EntryWindow): void {
    const { slot } = entry;
    this.#encodeHead(entry);
    const digest = headDigest(slot, this.#scratch.view, 0, this.#scratch.length);
    this.#begin(slot, OP_REBIND);
    this.#body.varint(this.#table.states.countOf(slot));
    this.#addKeyAndHead(entry);
    this.#addPages(entry, false, digest);
  }

  /** The head is in the scratch. */
  #addKeyAndHead({ slot, keyView, keyStart, keyLength }: EntryWindow): void {
    this.part = this.#finished.length;
    const body = this.#body;
    const head = this.#scratch;
    body.varint(keyLength);
    body.rawView(keyView, keyStart, keyLength);
    body.varint(head.length);
    body.rawView(head.view, 0, head.length);
    this.#slots.add(slot);
  }

  /** Writes a page from its first byte on. */
  addWholePage(slot: number, page: number): void {
    this.#addPage(slot, page, this.#table.states.pageAt(slot, page), true);
  }

  /** Writes where the base of an entry lies from now on. */
  addBased(slot: number, offset: number): void {
    this.#begin(slot, OP_BASED);
    this.#body.varint(offset);
    this.#slots.add(slot);
  }

  /** The same of what has changed since it was written last, which a touch and its pages say. */
  addTouch(entry: EntryWindow, base: TouchBase): void {
    const { slot } = entry;
    const shared = this.#encodeHead(entry);
    const scratch = this.#scratch;
    const head = scratch.length;
    const digest = headDigest(slot, scratch.view, 0, head);
    this.#table.format.encodeTouch(entry, base, scratch);
    const own = scratch.length - head;
    const length = own + shared;
    const isShort = length >= SHORT_TOUCH_MIN && length <= SHORT_TOUCH_MAX;
    this.#begin(slot, isShort ? OP_SHORT_TOUCH + length - SHORT_TOUCH_MIN : OP_TOUCH);
    this.part = this.#finished.length;
    if (!isShort) this.#body.varint(length);
    this.#body.rawView(scratch.view, head, own);
    if (shared > 0) this.#body.rawView(scratch.view, head - shared, shared);
    this.#slots.add(slot);
    this.#addPages(entry, false, digest);
  }

  /** Into the scratch; returns how many of its last bytes are a touch's, too. */
  #encodeHead(entry: EntryWindow): number {
    const scratch = this.#scratch;
    const { keyLength, stateLength } = entry;
    scratch.clear();
    const { format } = this.#table;
    const shared = format.encode(entry, scratch);
    if (format.leastVersion !== undefined) this.#entriesNeed = Math.max(this.#entriesNeed, format.leastVersion(entry));
    entry.baseBytes = baseBytes(keyLength, scratch.length, stateLength);
    return shared;
  }

  /** Writes all pages, or those that have changed, as many as at once. Leaves the sum of all digests in the entry after the last. */
  #addPages(entry: EntryWindow, all: boolean, before: number, first = 0): void {
    const { slot } = entry;
    const { states } = this.#table;
    const count = states.countOf(slot);
    const end = count > 1 ? this.writtenBytes + PAGES_AT_ONCE_BYTES : Infinity;
    let digest = before;
    for (let page = first; page < count; page += 1) {
      if (this.writtenBytes >= end) {
        this.#rest = { page, all, digest };
        return;
      }
      const reference = states.pageAt(slot, page);
      if (all || states.arena.isDirty(reference)) this.#addPage(slot, page, reference, all);
      digest = (digest + states.arena.digestOf(reference)) | 0;
    }
    this.#rest = undefined;
    entry.writtenDigest = digest;
  }

  #addPage(slot: number, page: number, reference: number, whole: boolean): void {
    const { arena } = this.#table.states;
    const start = arena.startOf(reference);
    const length = arena.lengthOf(reference);
    const kept = whole ? 0 : arena.keptOf(reference);
    this.#begin(slot, kept > 0 ? OP_APPEND : OP_PAGE);
    const body = this.#body;
    body.varint(page);
    if (kept > 0) body.varint(kept);
    body.varint(length - kept);
    if (length - kept < FEW) body.rawView(arena.view, start + kept, length - kept);
    else body.raw(arena.bytes, start + kept, length - kept);
    if (arena.isDirty(reference)) arena.clean(reference, pageDigest(slot, page, arena.view, start, length));
  }

  /** Begins an operation, in another body where this one is full. */
  #begin(slot: number, kind: number): void {
    if (this.#body.length >= this.#maxBytes) this.#closeBody();
    const distance = (slot - this.#slot + SLOT_SPACE) % SLOT_SPACE;
    this.#slot = slot;
    this.#body.varint(distance * 2 ** KIND_BITS + kind);
  }

  /** Puts headers before the bodies and empties the builder. A cut has at least one block, empty if need be (K1). */
  finish(header: CutHeader): readonly CutBlock[] {
    if (this.#body.length > 0 || this.#finished.length === 0) this.#closeBody();
    const parts = this.#finished.length;
    const versions = { format: this.#format, entriesNeed: this.#entriesNeed };
    // The last block has what the kind keeps: a reader applies whole commits only.
    const blocks = this.#finished.map((body, part) => {
      const isLast = part + 1 === parts;
      const kept = isLast ? header.kept : undefined;
      const evictions = isLast ? header.evictions : undefined;
      return withHeader({ ...header, kept, evictions, part, parts }, body, versions);
    });
    this.#entriesNeed = 0;
    this.#finished.length = 0;
    this.#writtenBytes = 0;
    return blocks;
  }

  #closeBody(): void {
    this.#writtenBytes += this.#body.length;
    const bytes = this.#memory.take(HEADER_ROOM + this.#body.length);
    bytes.set(this.#body.peek(), HEADER_ROOM);
    this.#finished.push({ bytes, slots: this.#slots.takeAll(), bound: this.#bound.takeAll() });
    this.#body.clear();
    this.#slot = 0;
  }
}

/** Bytes that the base of an entry takes in blocks. */
export function baseBytes(keyLength: number, headLength: number, stateLength: number): number {
  const pages = Math.ceil(stateLength / PAGE_BYTES_MAX);
  return BIND_OVERHEAD_BYTES + keyLength + headLength + pages * PAGE_OVERHEAD_BYTES + stateLength;
}

/** The pinned version of the format (K9), and the least version that has the entries of the cut. */
interface Versions {
  readonly format: number | undefined;
  readonly entriesNeed: number;
}

function withHeader(header: CommitHeader, { bytes, slots, bound }: Body, { format, entriesNeed }: Versions): CutBlock {
  const out = new ByteWriter(HEADER_ROOM);
  encodeHeader(header, out, format, entriesNeed);
  const bodyStart = out.length;
  if (bodyStart <= HEADER_ROOM) {
    bytes.set(out.peek(), HEADER_ROOM - bodyStart);
    return { bytes: bytes.subarray(HEADER_ROOM - bodyStart), bodyStart, slots, bound };
  }
  out.raw(bytes, HEADER_ROOM);
  return { bytes: out.copy(), bodyStart, slots, bound };
}

/** Slots in the order in which they were added. */
class SlotList {
  #slots = new Int32Array(SLOTS_FIRST);
  #count = 0;

  add(slot: number): void {
    if (this.#count === this.#slots.length) this.#slots = doubled(this.#slots);
    this.#slots[this.#count] = slot;
    this.#count += 1;
  }

  /** All of them, and forgets them. */
  takeAll(): Int32Array {
    const all = this.#slots.slice(0, this.#count);
    this.#count = 0;
    return all;
  }
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}
