// The items of a window as the bytes of its entry's state. The same bytes stand in the changelog.
//
//   state = opened at varint · items, in log order
//   item  = offset − first offset varint · timestamp varint · length varint · value
//
// An item is put at the end and never looked at again until the window fires: what that costs does not grow with the window.
import { ByteReader, ByteWriter, MalformedBytes, type Millis } from '@flatline/base';
import type { BatchItem } from '@flatline/ports/formats';
import type { StateBytes } from '../state-bytes.ts';

export interface WindowItems {
  readonly openedAt: Millis;
  readonly items: readonly BatchItem[];
}

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
}

/** Returns by how many bytes the state has grown. */
export function appendItem(state: StateBytes, firstOffset: number, item: Arriving): number {
  const { offset, timestamp, bytes, start, length } = item;
  written.clear();
  written.varint(offset - firstOffset);
  written.varint(timestamp);
  written.block(bytes, start, length);
  state.splice(state.length, 0, written.peek(), written.length);
  return written.length;
}

/** A copy: the state may be in memory that others write to. @throws MalformedBytes */
export function windowItems(state: StateBytes, firstOffset: number): WindowItems {
  const { bytes, start, length } = state;
  const input = new ByteReader(bytes.slice(start, start + length));
  const openedAt = input.varint();
  const items: BatchItem[] = [];
  while (input.remaining > 0) items.push(readItem(input, firstOffset, items.at(-1)));
  return { openedAt, items };
}

function readItem(input: ByteReader, firstOffset: number, before: BatchItem | undefined): BatchItem {
  const offset = firstOffset + input.varint();
  if (before !== undefined && offset <= before.offset) throw new MalformedBytes('items of a window are out of order');
  return { offset, timestamp: input.varint(), value: input.block() };
}
