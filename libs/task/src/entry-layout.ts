// How an entry lies in a page: 64 bytes, one cache line, so that a heartbeat touches one line for all its fields.
//
// Each page is one ArrayBuffer seen as Float64Array and as Int32Array. Columns of one typed array per field would cost a
// cache miss per field; objects would cost the garbage collector.

export const PAGE_SHIFT = 14;
export const PAGE_ENTRIES = 1 << PAGE_SHIFT;
export const PAGE_MASK = PAGE_ENTRIES - 1;
const ENTRY_BYTES = 64;

/** Float64 fields, by index into the entry's eight. */
export const OPENED_AT = 0;
export const LAST_SEEN_AT = 1;
export const FIRST_OFFSET = 2;
export const LAST_OFFSET = 3;
export const TIMEOUT_MS = 4;

/** Int32 fields, by index into the entry's sixteen; the first ten are the floats above. */
export const EVENT_COUNT = 10;
export const KEY_REFERENCE = 11;
/** Key length in the low 16 bits, flags above. */
export const KEY_LENGTH_AND_FLAGS = 12;
/** Ordinal of the changelog block with the committed image; −1: none. */
export const IMAGE_BLOCK = 13;
/** Digest and byte length of the image last cut into a block. */
export const IMAGE_DIGEST = 14;
export const IMAGE_BYTES = 15;

export const LIVE = 1 << 16;
/** In a cut whose commit is not yet resolved. */
export const IN_FLIGHT = 1 << 18;
/** Has a detail record. */
export const DETAILED = 1 << 19;
/** An event chose the timeout (S7). */
export const TIMEOUT_CHOSEN = 1 << 20;

export interface Page {
  readonly f64: Float64Array;
  readonly i32: Int32Array;
}

export function newPage(): Page {
  const buffer = new ArrayBuffer(PAGE_ENTRIES * ENTRY_BYTES);
  return { f64: new Float64Array(buffer), i32: new Int32Array(buffer) };
}
