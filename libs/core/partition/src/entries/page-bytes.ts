// A slot's state as the bytes that a kind edits: where they lie while they are one page, gathered here where they are more and
// are looked at. What is only appended is written where it belongs, and gathers nothing.
import type { BytesSpan, StateBytes } from '@flatline/kinds';
import { PAGE_BYTES_MAX, type PageArena } from './page-arena.ts';
import { part, put, type StatePages } from './state-pages.ts';

/** A window on one slot's pages, moved with `at`; valid until another edits or clears them. */
export class PageBytes implements StateBytes {
  readonly #pages: StatePages;
  readonly #arena: PageArena;
  #slot = -1;
  /** The only page; −1: there are more or none, and `#gathered` is what they say. */
  #page = -1;
  #gathered = new Uint8Array(0);
  #gatheredView = new DataView(this.#gathered.buffer);
  /** Whose and which state was gathered last. */
  #gatheredSlot = -1;
  #gatheredAt = -1;
  start = 0;
  length = 0;

  constructor(pages: StatePages) {
    this.#pages = pages;
    this.#arena = pages.arena;
  }

  at(slot: number): this {
    this.#slot = slot;
    const page = this.#pages.onlyPage(slot);
    if (page >= 0) this.#show(page);
    else this.#showMany();
    return this;
  }

  get bytes(): Uint8Array {
    if (this.#page >= 0) return this.#arena.bytes;
    this.#gather();
    return this.#gathered;
  }

  get view(): DataView {
    if (this.#page >= 0) return this.#arena.view;
    this.#gather();
    return this.#gatheredView;
  }

  setUint8(at: number, value: number): void {
    this.bytes[this.start + at] = value;
    this.#overwritten(at, 1);
  }

  setUint32(at: number, value: number): void {
    this.view.setUint32(this.start + at, value, true);
    this.#overwritten(at, 4);
  }

  splice(at: number, removed: number, from: Uint8Array, count: number): void {
    const length = this.length - removed + count;
    if (this.#page >= 0 && length > 0 && length <= PAGE_BYTES_MAX) {
      if (removed === count) this.#overwrite(this.#page, at, from, count);
      else this.#show(this.#pages.splicePage(this.#slot, at, removed, from, count));
      return;
    }
    if (removed === 0 && at === this.length) {
      this.#pages.append(this.#slot, from, count);
      this.at(this.#slot);
      return;
    }
    // A single page is changed where it lies: a copy of it may be out of date.
    if (this.#page >= 0) this.#gatheredSlot = -1;
    this.#showMany();
    this.#gather();
    this.#makeRoom(length);
    this.#gathered.copyWithin(at + count, at + removed, this.length);
    this.#gathered.set(from.subarray(0, count), at);
    this.length = length;
    this.#writeBack(at, removed === count ? at + count : length);
    const page = this.#pages.onlyPage(this.#slot);
    if (page >= 0) this.#show(page);
  }

  copy(): Uint8Array {
    const { start, length } = this;
    if (this.#page >= 0) return this.#arena.bytes.slice(start, start + length);
    const copy = new Uint8Array(length);
    this.#pages.read(this.#slot, copy);
    return copy;
  }

  /** Makes them a copy of what lies elsewhere. */
  set({ bytes, start, length }: BytesSpan): void {
    this.#pages.write(this.#slot, part(bytes, start, start + length), length);
    this.at(this.#slot);
  }

  #show(page: number): void {
    this.#page = page;
    this.start = this.#arena.startOf(page);
    this.length = this.#arena.lengthOf(page);
  }

  /** Copies the state here, unless it is: it has several pages, or one and is about to have another number. */
  #gather(): void {
    if (this.#gatheredSlot === this.#slot && this.#gatheredAt === this.#pages.changesOfMany) return;
    this.#makeRoom(this.length);
    this.#pages.read(this.#slot, this.#gathered);
    this.#gatheredSlot = this.#slot;
    this.#gatheredAt = this.#pages.changesOfMany;
  }

  #showMany(): void {
    this.#page = -1;
    this.start = 0;
    this.length = this.#pages.lengthOf(this.#slot);
  }

  #overwrite(page: number, at: number, from: Uint8Array, count: number): void {
    put(from, count, this.#arena.bytes, this.start + at);
    this.#arena.touch(page, at);
  }

  #overwritten(at: number, count: number): void {
    if (this.#page >= 0) this.#arena.touch(this.#page, at);
    else this.#writeBack(at, at + count);
  }

  #writeBack(begin: number, end: number): void {
    this.#pages.write(this.#slot, this.#gathered, this.length, begin, end);
    this.#gatheredSlot = this.#slot;
    this.#gatheredAt = this.#pages.changesOfMany;
  }

  #makeRoom(length: number): void {
    if (length <= this.#gathered.length) return;
    const grown = new Uint8Array(Math.max(length, 2 * this.#gathered.length));
    grown.set(this.#gathered);
    this.#gathered = grown;
    this.#gatheredView = new DataView(grown.buffer);
  }
}
