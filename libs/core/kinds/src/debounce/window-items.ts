// The items of a window as the bytes of its entry's state. The same bytes stand in the changelog.
//
//   state  = opened at varint · items, in log order
//          | opened at varint · [offsets of the first and the last item taken · the item kept, if any] where it keeps one at most
//   offset = offset − first offset varint
//   item   = offset · timestamp varint · 2 × (bytes in a batch − length) varint, and 1 where an identity follows ·
//            [identity's length varint · identity] · length varint · value
//
// Where all are kept an item is put at the end and never looked at again until the window fires: what that costs does not grow
// with the window.
import { ByteReader, ByteWriter, MalformedBytes, type Millis } from '@flatline/base';
import type { BatchItem } from '@flatline/ports/formats';
import type { BytesSpan, StateBytes } from '../state-bytes.ts';
import type { Reducer } from './debounce-rules.ts';
import type { WindowForm } from './window-form.ts';

/** Most that an item takes in the state beside its value and its identity. */
export const ITEM_STATE_BYTES = 32;

/** Scratch. */
const written = new ByteWriter(1_024);

/** `from`: where in the state the window begins; here and below. */
export function beginItems(state: StateBytes, from: number, openedAt: Millis): void {
  written.clear();
  written.varint(openedAt);
  state.splice(from, state.length - from, written.peek(), written.length);
}

/** Where an item lies that is put into a window. */
export interface Arriving {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
  /** Upper bound on its bytes in a batch. */
  readonly batchBytes: number;
  /** Identity that items alike have in common. */
  readonly identity: Uint8Array | undefined;
  /** Bytes of the original value: a reducer puts another in its place. */
  readonly takenBytes: number;
}

export function appendItem(state: StateBytes, firstOffset: number, item: Arriving): void {
  written.clear();
  writeItem(firstOffset, item);
  state.splice(state.length, 0, written.peek(), written.length);
}

/** As `appendItem`, where one is kept at most. */
export function reduceItem(
  state: StateBytes,
  from: number,
  firstOffset: number,
  item: Arriving,
  reducer: Reducer,
): void {
  state.splice(from, writeReduced(state, from, firstOffset, item, reducer) - from, written.peek(), written.length);
}

/** By how many bytes the state would grow with the item. */
export function itemGrowth(
  state: StateBytes,
  from: number,
  firstOffset: number,
  item: Arriving,
  { keepsAll, reducer }: WindowForm,
): number {
  if (!keepsAll) {
    const end = writeReduced(state, from, firstOffset, item, reducer);
    return written.length - (end - from);
  }
  written.clear();
  writeNumbers(firstOffset, item);
  return written.length + item.length;
}

/** Writes what takes the place of the beginning of the window, up to where is returned. */
function writeReduced(state: StateBytes, from: number, firstOffset: number, item: Arriving, reducer: Reducer): number {
  const before = state.length;
  const input = new ByteReader(state.bytes, state.start + from, state.start + before);
  const openedAt = input.varint();
  const isFirst = input.remaining === 0;
  const offset = item.offset - firstOffset;
  const first = isFirst ? offset : input.varint();
  if (!isFirst) input.varint();
  const numbersEnd = input.position - state.start;
  written.clear();
  for (const number of [openedAt, first, offset]) written.varint(number);
  if (reducer === 'last' || reducer === 'custom' || (reducer === 'first' && isFirst)) writeItem(firstOffset, item);
  const isItemLeft = reducer === 'first' && !isFirst;
  return isItemLeft ? numbersEnd : before;
}

function writeItem(firstOffset: number, item: Arriving): void {
  writeNumbers(firstOffset, item);
  written.raw(item.bytes, item.start, item.length);
}

/** All of an item but its value. */
function writeNumbers(firstOffset: number, { offset, timestamp, length, batchBytes, identity }: Arriving): void {
  written.varint(offset - firstOffset);
  written.varint(timestamp);
  written.varint(2 * (batchBytes - length) + (identity === undefined ? 0 : 1));
  if (identity !== undefined) written.block(identity);
  written.varint(length);
}

/** The value that a window keeps which keeps one; undefined before its first. @throws MalformedBytes */
export function keptValue(state: StateBytes, from: number): Uint8Array | undefined {
  const { bytes, start, length } = state;
  const input = new ByteReader(bytes, start + from, start + length);
  input.varint();
  if (input.remaining === 0) return undefined;
  for (let number = 0; number < 4; number += 1) input.varint();
  if (input.varint() % 2 === 1) input.block();
  return input.block();
}

/** The identity of the value that a window keeps which keeps one; undefined: it has none. @throws MalformedBytes */
export function keptIdentity(state: StateBytes, from: number): BytesSpan | undefined {
  const { bytes, start, length } = state;
  const input = new ByteReader(bytes, start + from, start + length);
  input.varint();
  if (input.remaining === 0) return undefined;
  for (let number = 0; number < 4; number += 1) input.varint();
  if (input.varint() % 2 === 0) return undefined;
  const identity = input.varint();
  return { bytes, start: input.position, length: identity };
}

/** An item as it comes out of a window. */
export interface WaitingItem extends BatchItem {
  readonly batchBytes: number;
}

/** Goes through a window once, over a copy of its state. All of it throws MalformedBytes. */
export class WindowItems {
  readonly openedAt: Millis;
  /** Offset of the first item that was taken, known beforehand where not all are kept; and that of the last. */
  readonly taken: readonly [first: number, last: number] | undefined;
  readonly #input: ByteReader;
  readonly #firstOffset: number;
  #lastOffset = -1;

  /** `firstOffset`: of the window. */
  constructor(state: Uint8Array, firstOffset: number, { keepsAll }: WindowForm) {
    const input = new ByteReader(state);
    this.#input = input;
    this.#firstOffset = firstOffset;
    this.openedAt = input.varint();
    this.taken = keepsAll ? undefined : [firstOffset + input.varint(), firstOffset + input.varint()];
  }

  get isOver(): boolean {
    return this.#input.remaining === 0;
  }

  next(): WaitingItem {
    const input = this.#input;
    const offset = this.#offset();
    const timestamp = input.varint();
    const overhead = input.varint();
    if (overhead % 2 === 1) input.block();
    const value = input.block();
    return { offset, timestamp, value, batchBytes: Math.floor(overhead / 2) + value.length };
  }

  /** Passes over an item; returns its offset. `identified` gets its identity, if it has one. */
  skip(identified?: (identity: Uint8Array) => void): number {
    const input = this.#input;
    const offset = this.#offset();
    input.varint();
    if (input.varint() % 2 === 1) {
      const identity = input.block();
      identified?.(identity);
    }
    input.skip(input.varint());
    return offset;
  }

  #offset(): number {
    const offset = this.#firstOffset + this.#input.varint();
    if (offset <= this.#lastOffset) throw new MalformedBytes('items of a window are out of order');
    this.#lastOffset = offset;
    return offset;
  }
}
