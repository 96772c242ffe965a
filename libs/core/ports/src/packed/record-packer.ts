// Records on their way to a commit, as bytes from the moment they are decided: no object of a record waits for it, to be copied by
// the garbage collector again and again.
//
//   page    = record…, each whole
//   record  = place u16 · length u32 of its content, both little-endian · content
//   content = key · value · headers, as they lie in a record of a Kafka batch (KIP-98): each part a length, zigzag varint, −1: null,
//             and its bytes; the headers as `headerSection` writes them
//
// Deltas and lengths before the content are the batch writer's: it takes the content as one piece.
//
// Owns: the record being written, the pages until they are taken (PackedPages).
// Does not own: which place a number means, the order of what was written behind a mark (PackedRecords).
//
// Invariants
//   RKP1  A record lies in one page, and is there once `end` was called: what was begun before is overwritten.
import { assert, type ReusedMemory, writeDigits } from '@flatline/base';
import type { UntimedRecord } from '../transaction.ts';
import { nameBytes } from './header-names.ts';
import { PackedPages } from './packed-pages.ts';
import { HEAD_BYTES, PackedRecords, type RecordMark } from './packed-records.ts';
import type { Frame, RecordSink } from './record-sink.ts';

const PLACES_MAX = 0xffff;
/** A length takes up to five bytes, and so does the number of headers. */
const LENGTH_BYTES_MAX = 5;
/** A character takes up to three bytes. */
const NAME_UNIT_BYTES_MAX = 3;
/** Copying byte by byte beats `set()` on a fresh subarray below about this many bytes. */
const SHORT_COPY_MAX = 64;
/** zigzag(−1) */
const NULL_LENGTH = 1;
const NOTHING = new Uint8Array(0);

export class RecordPacker implements RecordSink {
  readonly #memory: ReusedMemory;
  #pages: PackedPages;
  /** The last of them. */
  #page: Uint8Array = NOTHING;
  /** Where the next record begins in the page, and where its next byte goes. */
  #next = 0;
  #at = 0;
  /** Behind what was said of the record's length. */
  #atMost = 0;
  #place = 0;
  /** Bytes of the record's parts, without their lengths. */
  #content = 0;
  #count = 0;

  constructor(memory: ReusedMemory) {
    this.#memory = memory;
    this.#pages = new PackedPages(memory);
  }

  get count(): number {
    return this.#count;
  }

  /** Behind the last record. */
  get mark(): RecordMark {
    return { page: Math.max(0, this.#pages.count - 1), at: this.#next, count: this.#count };
  }

  /** Begins a record, whose parts and headers have at most `bytes`, without lengths. */
  begin(place: number, bytes: number, headers: number): void {
    if (place > PLACES_MAX) refusePlace(place);
    const lengths = (3 + 2 * headers) * LENGTH_BYTES_MAX;
    const length = HEAD_BYTES + lengths + bytes;
    this.#reserve(length);
    this.#at = this.#next + HEAD_BYTES;
    this.#atMost = this.#next + length;
    this.#place = place;
    this.#content = 0;
  }

  /** Returns the bytes of its parts, without their lengths. */
  end(): number {
    const page = this.#page;
    const start = this.#next;
    const at = this.#at;
    if (at > this.#atMost) refuseLength(at - start);
    const length = at - start - HEAD_BYTES;
    page[start] = this.#place;
    page[start + 1] = this.#place >>> 8;
    page[start + 2] = length;
    page[start + 3] = length >>> 8;
    page[start + 4] = length >>> 16;
    page[start + 5] = length >>> 24;
    this.#next = at;
    this.#count += 1;
    return this.#content;
  }

  /** Writes a whole record. Returns the bytes of its parts, without their lengths. */
  add({ key, value, headers = [] }: UntimedRecord, place: number): number {
    let bytes = (key?.length ?? 0) + (value?.length ?? 0);
    for (const { name, value: of } of headers) bytes += name.length * NAME_UNIT_BYTES_MAX + (of?.length ?? 0);
    this.begin(place, bytes, headers.length);
    this.#partOrNone(key);
    this.#partOrNone(value);
    this.headers(headers.length);
    for (const { name, value: of } of headers) {
      const known = nameBytes(name);
      this.part(known, 0, known.length);
      this.#partOrNone(of);
    }
    return this.end();
  }

  part(bytes: Uint8Array, start: number, length: number): void {
    this.#varint(2 * length);
    this.#copy(bytes, start, length);
    this.#content += length;
  }

  none(): void {
    this.#varint(NULL_LENGTH);
  }

  headers(count: number): void {
    this.#varint(2 * count);
  }

  framed({ bytes, content }: Frame): void {
    this.#copy(bytes, 0, bytes.length);
    this.#content += content;
  }

  digits(value: number, prefix: Uint8Array): void {
    const page = this.#page;
    const start = this.#at + 1;
    this.#at = start;
    this.#copy(prefix, 0, prefix.length);
    this.#at = writeDigits(value, page, this.#at);
    const length = this.#at - start;
    page[start - 1] = 2 * length;
    this.#content += length;
  }

  ascii(text: string): void {
    const page = this.#page;
    const at = this.#at;
    const { length } = text;
    page[at] = 2 * length;
    for (let i = 0; i < length; i += 1) page[at + 1 + i] = text.charCodeAt(i);
    this.#at = at + 1 + length;
    this.#content += length;
  }

  /** All records since the last time, in the order in which they were written. What comes next is written to other pages. */
  takeAll(): PackedRecords {
    const all = this.peekAll();
    this.#pages = new PackedPages(this.#memory);
    this.#page = NOTHING;
    this.#next = 0;
    this.#count = 0;
    return all;
  }

  /** The same, and they stay. */
  peekAll(): PackedRecords {
    return new PackedRecords(this.#pages, [{ from: START, to: this.mark }]);
  }

  #partOrNone(bytes: Uint8Array | null): void {
    if (bytes === null) this.none();
    else this.part(bytes, 0, bytes.length);
  }

  #copy(bytes: Uint8Array, start: number, length: number): void {
    const page = this.#page;
    const at = this.#at;
    if (length < SHORT_COPY_MAX) for (let i = 0; i < length; i += 1) page[at + i] = bytes[start + i]!;
    else page.set(length === bytes.length ? bytes : bytes.subarray(start, start + length), at);
    this.#at = at + length;
  }

  #varint(value: number): void {
    let rest = value;
    let at = this.#at;
    const page = this.#page;
    while (rest >= 0x80) {
      page[at++] = rest | 0x80;
      rest >>>= 7;
    }
    page[at++] = rest;
    this.#at = at;
  }

  #reserve(bytes: number): void {
    if (this.#next + bytes <= this.#page.length) return;
    this.#page = this.#pages.take(bytes, this.#next);
    this.#next = 0;
  }
}

// Apart from the callers, which are hot.
function refusePlace(place: number): never {
  assert(false, 'a commit has so many places at most', { place });
}

function refuseLength(bytes: number): never {
  assert(false, 'a record is no longer than it was said to be', { bytes });
}

/** Before the first record. */
export const START: RecordMark = { page: 0, at: 0, count: 0 };
