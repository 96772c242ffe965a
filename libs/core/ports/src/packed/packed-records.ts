// Records as a RecordPacker has written them, in the order in which they go out.
//
// Owns: the order.
// Does not own: the bytes (PackedPages), what a place is (whoever packed them).
import type { UntimedRecord } from '../transaction.ts';
import { contentOf } from './content.ts';
import type { PackedPages } from './packed-pages.ts';

/** Place and length of a record, before its content. */
export const HEAD_BYTES = 6;

/** A place between two records. */
export interface RecordMark {
  readonly page: number;
  readonly at: number;
  /** Records before it. */
  readonly count: number;
}

export interface RecordRange {
  readonly from: RecordMark;
  readonly to: RecordMark;
}

/** A record as it was packed: copies. */
export interface PackedRecord extends UntimedRecord {
  readonly place: number;
}

export class PackedRecords {
  readonly #pages: PackedPages;
  readonly #ranges: readonly RecordRange[];
  readonly length: number;

  /** `ranges`: one after the other. */
  constructor(pages: PackedPages, ranges: readonly RecordRange[]) {
    this.#pages = pages;
    this.#ranges = ranges;
    this.length = ranges.reduce((sum, { from, to }) => sum + to.count - from.count, 0);
  }

  /** The same in another order. */
  inOrder(ranges: readonly RecordRange[]): PackedRecords {
    return new PackedRecords(this.#pages, ranges);
  }

  /** On the first record of a place; undefined: of any. Valid until the memory is given back. */
  cursor(place?: number): PackedCursor {
    return new PackedCursor(this.#pages, this.#ranges, place);
  }

  /** Records of a place. */
  of(place: number): readonly UntimedRecord[] {
    const records: UntimedRecord[] = [];
    const cursor = this.cursor(place);
    while (cursor.isOn) {
      records.push(contentOf(cursor.bytes, cursor.start));
      cursor.next();
    }
    return records;
  }

  [Symbol.iterator](): Generator<PackedRecord> {
    return this.among(() => true);
  }

  /** Records of some places, in their order. */
  *among(isWanted: (place: number) => boolean): Generator<PackedRecord> {
    const cursor = this.cursor();
    while (cursor.isOn) {
      const { place } = cursor;
      if (isWanted(place)) yield { place, ...contentOf(cursor.bytes, cursor.start) };
      cursor.next();
    }
  }

  /** They are not read again. */
  giveBack(): void {
    this.#pages.giveBack();
  }
}

/** Stands on a record of some, or behind the last. */
export class PackedCursor {
  readonly #pages: PackedPages;
  readonly #ranges: readonly RecordRange[];
  readonly #wanted: number | undefined;
  #range = 0;
  /** Records of the range behind the one shown. */
  #left = 0;
  #page = 0;
  #end = 0;
  /** Behind the record shown. */
  #at = 0;
  #isOn = true;
  place = 0;
  /** Where its content lies. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  length = 0;

  constructor(pages: PackedPages, ranges: readonly RecordRange[], wanted: number | undefined) {
    this.#pages = pages;
    this.#ranges = ranges;
    this.#wanted = wanted;
    if (ranges.length > 0) this.#begin(ranges[0]!);
    this.next();
  }

  /** True if it shows a record. */
  get isOn(): boolean {
    this.#pages.expectKept();
    return this.#isOn;
  }

  next(): void {
    this.#pages.expectKept();
    while (this.#step()) if (this.#wanted === undefined || this.place === this.#wanted) return;
  }

  #step(): boolean {
    while (this.#left === 0) {
      this.#range += 1;
      const range = this.#ranges[this.#range];
      this.#isOn = range !== undefined;
      if (range === undefined) return false;
      this.#begin(range);
    }
    while (this.#at === this.#end) this.#open(this.#page + 1, 0);
    const { bytes } = this;
    const at = this.#at;
    this.place = bytes[at]! | (bytes[at + 1]! << 8);
    this.length = bytes[at + 2]! | (bytes[at + 3]! << 8) | (bytes[at + 4]! << 16) | (bytes[at + 5]! << 24);
    this.start = at + HEAD_BYTES;
    this.#at = this.start + this.length;
    this.#left -= 1;
    return true;
  }

  #begin({ from, to }: RecordRange): void {
    this.#left = to.count - from.count;
    if (this.#left > 0) this.#open(from.page, from.at);
  }

  #open(page: number, at: number): void {
    this.#page = page;
    this.bytes = this.#pages.page(page);
    this.#end = this.#pages.endOf(page);
    this.#at = at;
  }
}
