// The state of a session: what disorder has left (C7), what its reducer has come to (S10), its texts, each if there is any.
//
//   state = length of what disorder has left u32 · that (disorder-bytes.ts) · length of the reducer's state u32 · that
//           (reducing/state-reducer.ts) · texts (texts.ts)
import { type BytesSpan, HeapBytes, type StateBytes } from '../state-bytes.ts';
import { partLength, withPart } from './behind-part.ts';
import type { SessionDetail } from './detail.ts';

const NOTHING = new HeapBytes();

/** Bytes of the state of a session with this detail. */
export function stateLengthOf(detail: SessionDetail | undefined): number {
  return partLength(detail?.disorder) + partLength(detail?.reduced) + (detail?.texts?.state.length ?? 0);
}

/** A state of them, in memory of its own. */
export function stateOf(
  disorder: BytesSpan | undefined,
  reduced: BytesSpan | undefined,
  texts: BytesSpan = NOTHING,
): Uint8Array {
  if (reduced === undefined) return withPart(disorder, texts);
  const bytes = withPart(reduced, texts);
  return disorder === undefined ? bytes : withPart(disorder, { bytes, start: 0, length: bytes.length });
}

/** Makes `state` what `after` holds, and leaves alone what begins and ends alike: of long states only some pages change. */
export function setChanged(state: StateBytes, after: Uint8Array): void {
  const { bytes, start, length } = state;
  const common = Math.min(length, after.length);
  let head = 0;
  while (head < common && bytes[start + head] === after[head]) head += 1;
  let tail = 0;
  while (tail < common - head && bytes[start + length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const inserted = after.length - head - tail;
  const removed = length - head - tail;
  if (inserted > 0 || removed > 0) state.splice(head, removed, after.subarray(head), inserted);
}
