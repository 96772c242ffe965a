// The items of a window as the bytes of its entry's state. The same bytes stand in the changelog.
//
//   state = opened at varint · items, in log order
//   item  = offset − first offset varint · timestamp varint · bytes in a batch − length varint · length varint · value
//
// An item is put at the end and never looked at again until the window fires: what that costs does not grow with the window.
import { ByteReader, ByteWriter, MalformedBytes, type Millis } from '@flatline/base';
import type { BatchItem } from '@flatline/ports/formats';
import type { StateBytes } from '../state-bytes.ts';

/** Scratch. */
const written = new ByteWriter(1_024);

export function beginItems(state: StateBytes, openedAt: Millis): void {
  written.clear();
  written.varint(openedAt);
  state.splice(0, state.length, written.peek(), written.length);
}

/** Where an item lies that is put into a window. */
export interface Arriving {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
  /** At most what it takes in a batch. */
  readonly batchBytes: number;
}

/** Returns by how many bytes the state has grown. */
export function appendItem(state: StateBytes, firstOffset: number, item: Arriving): number {
  const { offset, timestamp, bytes, start, length, batchBytes } = item;
  written.clear();
  written.varint(offset - firstOffset);
  written.varint(timestamp);
  written.varint(batchBytes - length);
  written.block(bytes, start, length);
  state.splice(state.length, 0, written.peek(), written.length);
  return written.length;
}

/** An item as it comes out of a window. */
export interface WaitingItem extends BatchItem {
  readonly batchBytes: number;
}

/** What a window holds, all of it. */
export interface WindowSum {
  readonly count: number;
  /** Bytes of the values. */
  readonly bytes: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}

/** Goes through a window once, over a copy of its state. */
export class WindowItems {
  readonly openedAt: Millis;
  readonly #input: ByteReader;
  readonly #firstOffset: number;
  #lastOffset = -1;

  /** `firstOffset`: of the window. @throws MalformedBytes, as all of them */
  constructor(state: Uint8Array, firstOffset: number) {
    this.#input = new ByteReader(state);
    this.#firstOffset = firstOffset;
    this.openedAt = this.#input.varint();
  }

  get isOver(): boolean {
    return this.#input.remaining === 0;
  }

  next(): WaitingItem {
    const input = this.#input;
    const offset = this.#offset();
    const timestamp = input.varint();
    const overheadBytes = input.varint();
    const value = input.block();
    return { offset, timestamp, value, batchBytes: overheadBytes + value.length };
  }

  /** Goes to the end. */
  sum(): WindowSum {
    const input = this.#input;
    let [count, bytes, firstOffset] = [0, 0, -1];
    for (; !this.isOver; count += 1) {
      const offset = this.#offset();
      if (count === 0) firstOffset = offset;
      input.varint();
      input.varint();
      const length = input.varint();
      input.skip(length);
      bytes += length;
    }
    return { count, bytes, firstOffset, lastOffset: this.#lastOffset };
  }

  #offset(): number {
    const offset = this.#firstOffset + this.#input.varint();
    if (offset <= this.#lastOffset) throw new MalformedBytes('items of a window are out of order');
    this.#lastOffset = offset;
    return offset;
  }
}
