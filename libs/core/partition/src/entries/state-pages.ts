// The pages of entries: of most none, of most others one.
//
// An entry's state is one string of bytes, cut into pages: all but the last are as long as a page can be. What is one page
// only (nearly every state) is read and edited where it lies. A longer one is gathered into memory of the reader, edited
// there, and what has changed is written back; its slot leads to a page of references.
//
// The way from a slot to its pages is an array by slot that is empty until the first page comes.
//
// Owns: which slot has which pages, which has fewer than were written down, the bytes of all.
// Does not own: places (PageArena), what the bytes mean (kinds), what is written down (Changelog).
//
// Invariants
//   PB1  A page belongs to one slot and has one number there: numbers go from 0 without a gap.
//   PB2  A page is dirty if its bytes are others than when it was last cleaned; its kept bytes are not.
//
// Checked
//   inspect   PB1, PB2
//             PB2 by Changelog, which has the digests: of clean pages. Kept bytes are as they were in a block that is gone.
import { assert, GrowingMemory } from '@flatline/base';
import type { SlotSet } from './slot-set.ts';
import { SLOTS_MAX } from './key-index.ts';
import { PAGE_BYTES_MAX, PageArena } from './page-arena.ts';

const REFERENCE_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Pages of one state: their references have a page. */
const PAGES_MAX = Math.floor(PAGE_BYTES_MAX / REFERENCE_BYTES);
/** A slot without pages; else the reference of its page, and one; or of the page of references, and one, negated. */
const NONE = 0;

/** Bytes of a page that lie in others. */
interface PageSpan {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

export class StatePages {
  readonly arena = new PageArena();
  readonly #reshaped: SlotSet;
  readonly #slotMemory = new GrowingMemory(SLOTS_MAX * REFERENCE_BYTES);
  #bySlot = new Int32Array(this.#slotMemory.buffer, 0, 0);
  /** Bytes of all states. */
  bytes = 0;
  /** Grows with each change of a state of several pages: what was gathered before may be another. */
  #changesOfMany = 0;

  /** `reshaped` is told of slots that have fewer pages than before: what is written of pages does not say it. */
  constructor(reshaped: SlotSet) {
    this.#reshaped = reshaped;
  }

  /** True if any slot ever had a page. */
  get isUsed(): boolean {
    return this.#bySlot.length > 0;
  }

  get changesOfMany(): number {
    return this.#changesOfMany;
  }

  /** The slot's page if it has just one, else −1. */
  onlyPage(slot: number): number {
    return slot < this.#bySlot.length ? Math.max(-1, this.#bySlot[slot]! - 1) : -1;
  }

  /** How many pages the slot has. */
  countOf(slot: number): number {
    const root = slot < this.#bySlot.length ? this.#bySlot[slot]! : NONE;
    return root >= NONE ? Math.min(root, 1) : this.arena.lengthOf(-root - 1) / REFERENCE_BYTES;
  }

  /** The reference of a page that the slot has. */
  pageAt(slot: number, page: number): number {
    const root = this.#bySlot[slot]!;
    return root > NONE ? root - 1 : this.arena.view.getInt32(this.#reference(root, page), true);
  }

  lengthOf(slot: number): number {
    const last = this.countOf(slot) - 1;
    return last < 0 ? 0 : last * PAGE_BYTES_MAX + this.arena.lengthOf(this.pageAt(slot, last));
  }

  /** How many of the slot's bytes are as they were last written down; beyond `most` it is not counted how many more. */
  writtenOf(slot: number, most: number): number {
    const count = this.countOf(slot);
    let bytes = 0;
    for (let page = 0; page < count && bytes <= most; page += 1) bytes += this.arena.keptOf(this.pageAt(slot, page));
    return bytes;
  }

  /** Copies the whole state to the beginning of `into`. */
  read(slot: number, into: Uint8Array): void {
    const { arena } = this;
    for (let page = this.countOf(slot) - 1; page >= 0; page -= 1) {
      const reference = this.pageAt(slot, page);
      const start = arena.startOf(reference);
      into.set(arena.bytes.subarray(start, start + arena.lengthOf(reference)), page * PAGE_BYTES_MAX);
    }
  }

  /** Makes the state the first `length` bytes of `from`, of which those before `begin` and from `end` on are there already. */
  write(slot: number, from: Uint8Array, length: number, begin = 0, end = length): void {
    this.#resize(slot, length);
    const { arena } = this;
    for (let page = Math.floor(begin / PAGE_BYTES_MAX); page * PAGE_BYTES_MAX < end; page += 1) {
      const first = page * PAGE_BYTES_MAX;
      const shown = part(from, Math.max(begin, first), Math.min(end, first + PAGE_BYTES_MAX));
      const reference = this.pageAt(slot, page);
      arena.bytes.set(shown, arena.startOf(reference) + Math.max(0, begin - first));
      arena.touch(reference, Math.max(0, begin - first));
    }
  }

  /** Puts the first `count` bytes of `from` behind the state: of its pages only the last is looked at. */
  append(slot: number, from: Uint8Array, count: number): void {
    const { arena } = this;
    const before = this.lengthOf(slot);
    this.#resize(slot, before + count);
    for (let done = 0; done < count;) {
      const page = Math.floor((before + done) / PAGE_BYTES_MAX);
      const at = before + done - page * PAGE_BYTES_MAX;
      const part = from.subarray(done, Math.min(count, done + PAGE_BYTES_MAX - at));
      arena.bytes.set(part, arena.startOf(this.pageAt(slot, page)) + at);
      done += part.length;
    }
  }

  /** To another length, of a slot that has one page and keeps one. Returns the page, which may be another. */
  splicePage(slot: number, at: number, removed: number, from: Uint8Array, count: number): number {
    const { arena } = this;
    const page = this.#bySlot[slot]! - 1;
    const length = arena.lengthOf(page);
    const rest = at + removed;
    const grown = length - removed + count;
    this.bytes += count - removed;
    const start = arena.startOf(page);
    if (arena.resize(page, grown, at)) {
      if (rest < length) arena.bytes.copyWithin(start + at + count, start + rest, start + length);
      put(from, count, arena.bytes, start + at);
      return page;
    }
    const moved = arena.take(grown);
    const { bytes } = arena;
    const to = arena.startOf(moved);
    bytes.copyWithin(to, start, start + at);
    put(from, count, bytes, to + at);
    bytes.copyWithin(to + at + count, start + rest, start + length);
    arena.inherit(moved, page, at);
    arena.release(page);
    this.#bySlot[slot] = moved + 1;
    return moved;
  }

  /** Takes what pages a slot has beyond so many. */
  restoreCount(slot: number, pages: number): void {
    if (this.countOf(slot) > pages) this.#resize(slot, pages * PAGE_BYTES_MAX);
  }

  /** Takes all pages of a slot; no harm where it has none. */
  clear(slot: number): void {
    if (this.countOf(slot) > 0) this.#resize(slot, 0);
  }

  /**
   * Makes a page, or one more, its first `at` bytes and what the span shows; where it is one more, `at` is 0. False, and
   * nothing has changed: there is no such page, it is shorter than that, or another that is not full would come before its end.
   */
  restorePage(slot: number, page: number, at: number, { bytes, start, end }: PageSpan): boolean {
    const count = this.countOf(slot);
    const length = at + end - start;
    if (page > count || page >= PAGES_MAX || length < 1 || length > PAGE_BYTES_MAX) return false;
    if (at > (page < count ? this.arena.lengthOf(this.pageAt(slot, page)) : 0)) return false;
    if (page === count && page > 0 && this.arena.lengthOf(this.pageAt(slot, page - 1)) < PAGE_BYTES_MAX) return false;
    if (page + 1 < count && length < PAGE_BYTES_MAX) return false;
    if (page + 1 >= count) this.#resize(slot, page * PAGE_BYTES_MAX + length);
    const reference = this.pageAt(slot, page);
    this.arena.bytes.set(bytes.subarray(start, end), this.arena.startOf(reference) + at);
    this.arena.touch(reference, at);
    this.#changesOfMany += 1;
    return true;
  }

  /** Lists violations of the invariants, in words. O(bytes of the lists), changes nothing. For checks. */
  inspect(slotsEnd: number, isLive: (slot: number) => boolean): string[] {
    const faults: string[] = [];
    const references: number[] = [];
    let bytes = 0;
    for (let slot = 0; slot < Math.min(slotsEnd, this.#bySlot.length); slot += 1) {
      const count = this.countOf(slot);
      if (count === 0) continue;
      if (!isLive(slot)) faults.push(`PB1: slot ${slot} has ${count} pages and no entry`);
      if (count > 1) references.push(-this.#bySlot[slot]! - 1);
      for (let page = 0; page < count; page += 1) {
        const reference = this.pageAt(slot, page);
        references.push(reference);
        const length = this.arena.lengthOf(reference);
        if (length === 0 || (page + 1 < count && length < PAGE_BYTES_MAX))
          faults.push(`PB1: page ${page} of ${count} of slot ${slot} has ${length} bytes`);
        bytes += length;
      }
    }
    if (bytes !== this.bytes) faults.push(`PB1: pages have ${bytes} bytes, ${this.bytes} are counted`);
    return [...faults, ...this.arena.inspect(references)];
  }

  /** Where the memory has that reference. */
  #reference(root: number, page: number): number {
    return this.arena.startOf(-root - 1) + page * REFERENCE_BYTES;
  }

  /** Changes the length of a state. Bytes added hold whatever stood there. */
  #resize(slot: number, length: number): void {
    if (slot >= this.#bySlot.length) this.#growSlots(slot + 1);
    const root = this.#bySlot[slot]!;
    this.bytes += length - this.lengthOf(slot);
    if (length <= (this.countOf(slot) - 1) * PAGE_BYTES_MAX) this.#reshaped.add(slot);
    if (root >= NONE && length <= PAGE_BYTES_MAX) this.#bySlot[slot] = this.#resizeOnly(root - 1, length) + 1;
    else this.#resizeMany(slot, length);
  }

  /** Takes and returns the one page, or −1 for none. */
  #resizeOnly(page: number, length: number): number {
    if (length > 0) return page < 0 ? this.arena.take(length) : this.#withLength(page, length);
    if (page >= 0) this.arena.release(page);
    return -1;
  }

  #resizeMany(slot: number, length: number): void {
    assert(length <= PAGES_MAX * PAGE_BYTES_MAX, 'a state has no more pages than their list can name', {
      slot,
      length,
    });
    const had = this.countOf(slot);
    this.#changesOfMany += 1;
    if (had > 1 && length > (had - 1) * PAGE_BYTES_MAX) {
      this.#resizeLast(slot, had, length);
      return;
    }
    const pages = Array.from({ length: had }, (_, page) => this.pageAt(slot, page));
    if (had > 1) this.arena.release(-this.#bySlot[slot]! - 1);
    const count = Math.ceil(length / PAGE_BYTES_MAX);
    for (const page of pages.splice(count)) this.arena.release(page);
    for (let page = 0; page < count; page += 1) {
      const bytes = Math.min(PAGE_BYTES_MAX, length - page * PAGE_BYTES_MAX);
      const root = pages[page];
      if (root === undefined) pages.push(this.arena.take(bytes));
      else if (this.arena.lengthOf(root) !== bytes) pages[page] = this.#withLength(root, bytes);
    }
    this.#bySlot[slot] = count > 1 ? this.#listed(pages) : (pages[0] ?? -1) + 1;
  }

  /** The slot has several pages and keeps them all: those before the last stay as they are. */
  #resizeLast(slot: number, had: number, length: number): void {
    const { arena } = this;
    const count = Math.ceil(length / PAGE_BYTES_MAX);
    const bytesOf = (page: number): number => Math.min(PAGE_BYTES_MAX, length - page * PAGE_BYTES_MAX);
    const last = this.pageAt(slot, had - 1);
    const pages = [arena.lengthOf(last) === bytesOf(had - 1) ? last : this.#withLength(last, bytesOf(had - 1))];
    for (let page = had; page < count; page += 1) pages.push(arena.take(bytesOf(page)));
    const root =
      count > had ? -this.#withLength(-this.#bySlot[slot]! - 1, count * REFERENCE_BYTES) - 1 : this.#bySlot[slot]!;
    this.#bySlot[slot] = root;
    pages.forEach((reference, i) => {
      arena.view.setInt32(this.#reference(root, had - 1 + i), reference, true);
    });
    this.#noteList(root);
  }

  /** The list is not written down: each slot's pages have their numbers there. */
  #noteList(root: number): void {
    this.arena.clean(-root - 1, 0);
  }

  /** The page, or another with as many of its bytes as fit. */
  #withLength(page: number, length: number): number {
    const { arena } = this;
    const kept = Math.min(length, arena.lengthOf(page));
    if (arena.resize(page, length, kept)) return page;
    const moved = arena.take(length);
    const start = arena.startOf(page);
    arena.bytes.copyWithin(arena.startOf(moved), start, start + kept);
    arena.inherit(moved, page, kept);
    arena.release(page);
    return moved;
  }

  #listed(pages: readonly number[]): number {
    const list = this.arena.take(pages.length * REFERENCE_BYTES);
    const root = -list - 1;
    pages.forEach((reference, page) => {
      this.arena.view.setInt32(this.#reference(root, page), reference, true);
    });
    this.#noteList(root);
    return root;
  }

  #growSlots(count: number): void {
    this.#slotMemory.grow(count * REFERENCE_BYTES);
    const { buffer } = this.#slotMemory;
    this.#bySlot = new Int32Array(buffer, 0, buffer.byteLength / REFERENCE_BYTES);
  }
}

/** A view of them, which costs as much as a short copy, only where they are not all there is. */
export function part(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** A call that copies costs more than a few bytes do. */
const FEW = 48;

/** Copies the first `count` bytes. */
export function put(from: Uint8Array, count: number, to: Uint8Array, at: number): void {
  if (count >= FEW) to.set(from.subarray(0, count), at);
  else for (let i = 0; i < count; i += 1) to[at + i] = from[i]!;
}
