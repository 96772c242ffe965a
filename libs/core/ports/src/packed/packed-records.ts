// Records as a RecordPacker has written them, in the order in which they go out.
//
// Owns: the pages, until they are given back.
// Does not own: what a place is (whoever packed them).
//
// Invariants
//   PKR1  What was packed stays, byte for byte, until `giveBack`: a commit of unknown outcome is sent again (CM2).
import { assert, type ReusedMemory } from '@flatline/base';
import type { OutgoingRecord } from '../transaction.ts';
import { contentOf } from './content.ts';

/** Place and length of a record, before its content. */
export const HEAD_BYTES = 6;

export interface PackedPage {
  readonly bytes: Uint8Array;
  /** Behind its last record. */
  readonly end: number;
}

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

interface Parts {
  readonly pages: readonly PackedPage[];
  /** One after the other. */
  readonly ranges: readonly RecordRange[];
  readonly memory: ReusedMemory;
}

/** A record as it was packed: copies. */
export interface PackedRecord extends OutgoingRecord {
  readonly place: number;
}

export class PackedRecords {
  readonly #parts: Parts;
  readonly length: number;
  #isGivenBack = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.length = parts.ranges.reduce((sum, { from, to }) => sum + to.count - from.count, 0);
  }

  /** The same in another order. */
  inOrder(ranges: readonly RecordRange[]): PackedRecords {
    return new PackedRecords({ ...this.#parts, ranges });
  }

  /** On the first record of a place; undefined: of any. Valid until the memory is given back. */
  cursor(place?: number): PackedCursor {
    assert(!this.#isGivenBack, 'records are read before their memory is given back');
    const { pages, ranges } = this.#parts;
    return new PackedCursor(pages, ranges, place);
  }

  /** Those of a place. */
  of(place: number): readonly OutgoingRecord[] {
    const records: OutgoingRecord[] = [];
    const cursor = this.cursor(place);
    while (cursor.isOn) {
      records.push(contentOf(cursor.bytes, cursor.start));
      cursor.next();
    }
    return records;
  }

  *[Symbol.iterator](): Generator<PackedRecord> {
    const cursor = this.cursor();
    while (cursor.isOn) {
      yield { place: cursor.place, ...contentOf(cursor.bytes, cursor.start) };
      cursor.next();
    }
  }

  /** They are not read again. */
  giveBack(): void {
    assert(!this.#isGivenBack, 'memory is given back once');
    this.#isGivenBack = true;
    for (const { bytes } of this.#parts.pages) this.#parts.memory.giveBack(bytes);
  }
}

/** Stands on a record of some, or behind the last. */
export class PackedCursor {
  readonly #pages: readonly PackedPage[];
  readonly #ranges: readonly RecordRange[];
  readonly #wanted: number | undefined;
  #range = 0;
  /** Records of the range behind the one shown. */
  #left = 0;
  #page = 0;
  #end = 0;
  /** Behind the record shown. */
  #at = 0;
  isOn = true;
  place = 0;
  /** Where its content lies. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  length = 0;

  constructor(pages: readonly PackedPage[], ranges: readonly RecordRange[], wanted: number | undefined) {
    this.#pages = pages;
    this.#ranges = ranges;
    this.#wanted = wanted;
    if (ranges.length > 0) this.#begin(ranges[0]!);
    this.next();
  }

  next(): void {
    while (this.#step()) if (this.#wanted === undefined || this.place === this.#wanted) return;
  }

  #step(): boolean {
    while (this.#left === 0) {
      this.#range += 1;
      const range = this.#ranges[this.#range];
      this.isOn = range !== undefined;
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
    const { bytes, end } = this.#pages[page]!;
    this.#page = page;
    this.bytes = bytes;
    this.#end = end;
    this.#at = at;
  }
}
