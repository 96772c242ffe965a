// How rows lie in the store: a node key, and a value sealed with a checksum.
//
//   node key   1, slot u32 big-endian: LMDB's order is that of slots
//   value      sequence varint · changelog offset varint · key block · image · checksum u32
//
// The checksum is MurmurHash3 over node key and value: each of its steps is a bijection of the state, so damage inside
// one aligned word is always found, any other but for 1 in 2^32. In plain JS it costs a third of a call into native code.
import { ByteReader, ByteWriter, hashView, MalformedBytes } from '@flatline/base';
import type { RowPlace, StoredGroup } from '@flatline/ports';
import { Damaged } from './lmdb-page.ts';

export const CHECKPOINT_TAG = 0;
export const ROW_TAG = 1;
const ROW_KEY_BYTES = 5;
const CHECKSUM_BYTES = 4;
const CHECKSUM_SEED = 0x666c6174;
const NO_BYTES = new Uint8Array(0);
const NO_VIEW = new DataView(NO_BYTES.buffer);
/** From here on a copy by the engine, which begins with making a view, is faster than one by words. */
const WORDWISE_BYTES_MAX = 256;

/** The node key of one row after the other. */
export class RowKey {
  readonly bytes = new Uint8Array(ROW_KEY_BYTES);
  readonly view = new DataView(this.bytes.buffer);

  constructor() {
    this.bytes[0] = ROW_TAG;
  }

  set slot(slot: number) {
    this.view.setUint32(1, slot);
  }
}

/** Writes values of rows into one writer, each in the place of the one before. */
export class RowEncoder {
  readonly #value = new ByteWriter();
  /** Sequence, changelog offset, length of the key. */
  readonly #numbers = new Float64Array(3);
  /** Bytes of the last place, whose view is kept: places of one write mostly lie in the same bytes. */
  #bytes: Uint8Array = NO_BYTES;
  #view: DataView = NO_VIEW;

  /** The value of the row at `place`, valid until the next one. */
  encode(nodeKey: RowKey, place: RowPlace): Uint8Array {
    const value = this.#value;
    const numbers = this.#numbers;
    numbers[0] = place.sequence;
    numbers[1] = place.changelogOffset;
    numbers[2] = place.keyLength;
    value.clear();
    value.varints(numbers, numbers.length);
    this.#copy(place.bytes, place.keyStart, place.keyLength);
    this.#copy(place.bytes, place.imageStart, place.imageLength);
    seal(nodeKey.view, value);
    return value.peek();
  }

  /** Lets go of the last place: what it lay in may be large. */
  release(): void {
    this.#bytes = NO_BYTES;
    this.#view = NO_VIEW;
  }

  #copy(bytes: Uint8Array, start: number, length: number): void {
    if (length >= WORDWISE_BYTES_MAX) this.#value.raw(bytes, start, length);
    else this.#value.rawView(this.#viewOf(bytes), start, length);
  }

  #viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    return this.#view;
  }
}

/** Takes rows out of one stretch of bytes in which node keys are followed by their values: a page, or a copy of a node. */
export class RowReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #numbers: ByteReader;

  /** `view` shows the same bytes. */
  constructor(bytes: Uint8Array, view: DataView) {
    this.#bytes = bytes;
    this.#view = view;
    this.#numbers = new ByteReader(bytes);
  }

  /** Empties a group for rows out of these bytes. */
  begin(group: StoredGroup): void {
    group.bytes = this.#bytes;
    group.count = 0;
  }

  /** Adds a row to a group that has room, from the start of its node key on. @throws Damaged */
  add(group: StoredGroup, start: number, keyLength: number, valueLength: number): void {
    const view = this.#view;
    const valueStart = start + keyLength;
    const end = valueStart + valueLength - CHECKSUM_BYTES;
    if (end < valueStart || checksumOf(view, start, keyLength, end) !== view.getUint32(end, true)) throw broken();
    if (keyLength !== ROW_KEY_BYTES) throw new Damaged('format', `a node key of ${keyLength} bytes`);
    group.slots[group.count] = view.getUint32(start + 1);
    try {
      this.#readValue(group, valueStart, end);
    } catch (error) {
      throw asDamaged(error);
    }
    group.count += 1;
  }

  #readValue(group: StoredGroup, start: number, end: number): void {
    const numbers = this.#numbers;
    const at = group.count;
    numbers.position = start;
    group.sequences[at] = numbers.varint();
    group.changelogOffsets[at] = numbers.varint();
    const keyLength = numbers.varint();
    const keyStart = numbers.position;
    const imageStart = keyStart + keyLength;
    if (imageStart > end) throw new Damaged('format', 'a row that ends before its image');
    group.starts[at] = keyStart;
    group.lengths[at] = keyLength;
    group.imageStarts[at] = imageStart;
    group.imageEnds[at] = end;
  }
}

/** The checksum of a node key and of what lies behind it up to `end`. */
function checksumOf(view: DataView, keyStart: number, keyLength: number, end: number): number {
  const start = keyStart + keyLength;
  return hashView(view, start, end - start, hashView(view, keyStart, keyLength, CHECKSUM_SEED)) >>> 0;
}

/** Ends a value: everything in `value` so far, under `nodeKey`. */
export function seal(nodeKey: DataView, value: ByteWriter): void {
  const keyHash = hashView(nodeKey, 0, nodeKey.byteLength, CHECKSUM_SEED);
  value.u32(hashView(value.view, 0, value.length, keyHash));
}

/** Length of what was sealed. @throws Damaged where checksum and bytes disagree. */
export function unseal(nodeKey: DataView, value: DataView): number {
  const length = value.byteLength - CHECKSUM_BYTES;
  const keyHash = hashView(nodeKey, 0, nodeKey.byteLength, CHECKSUM_SEED);
  if (length < 0 || hashView(value, 0, length, keyHash) >>> 0 !== value.getUint32(length, true)) throw broken();
  return length;
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Bytes whose checksum holds and that still make no sense come from another version of this file. */
export function asDamaged(error: unknown): unknown {
  return error instanceof MalformedBytes ? new Damaged('format', error.message) : error;
}

function broken(): Damaged {
  return new Damaged('checksum', 'checksum of a value');
}
