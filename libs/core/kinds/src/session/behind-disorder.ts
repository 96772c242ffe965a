// Where the texts of a session lie whose state begins with what disorder has left (C7):
//
//   state = length of what disorder has left u32 · that (disorder-bytes.ts) · the reducer's state (behind-reduced.ts) and texts
//           (texts.ts), if there are any
import { type BytesSpan, HeapBytes, type StateBytes } from '../state-bytes.ts';
import { reducedLength } from './behind-reduced.ts';
import type { SessionDetail } from './detail.ts';

const LENGTH_BYTES = 4;
const NOTHING = new HeapBytes();

/** Bytes of the state that come before the texts. */
function disorderLength(disorder: BytesSpan | undefined): number {
  return disorder === undefined ? 0 : LENGTH_BYTES + disorder.length;
}

/** Bytes of the state of a session with this detail. */
export function stateLengthOf(detail: SessionDetail | undefined): number {
  return disorderLength(detail?.disorder) + reducedLength(detail?.reduced) + (detail?.texts?.state.length ?? 0);
}

/** A state of both, in memory of its own. */
export function stateWithDisorder(disorder: BytesSpan | undefined, texts: BytesSpan = NOTHING): Uint8Array {
  const before = disorderLength(disorder);
  const state = new Uint8Array(before + texts.length);
  if (disorder !== undefined) {
    new DataView(state.buffer).setUint32(0, disorder.length, true);
    copy(disorder, state, LENGTH_BYTES);
  }
  copy(texts, state, before);
  return state;
}

function copy({ bytes, start, length }: BytesSpan, to: Uint8Array, at: number): void {
  to.set(bytes.subarray(start, start + length), at);
}

/** What comes behind it, as if that were all of the state. */
export class BehindDisorder implements StateBytes {
  readonly #state: StateBytes;

  constructor(state: StateBytes) {
    this.#state = state;
  }

  /** What comes before the texts, without its length. */
  get disorder(): BytesSpan {
    const { bytes, start } = this.#state;
    return { bytes, start: start + LENGTH_BYTES, length: this.#before - LENGTH_BYTES };
  }

  get #before(): number {
    const { view, start } = this.#state;
    return LENGTH_BYTES + view.getUint32(start, true);
  }

  get bytes(): Uint8Array {
    return this.#state.bytes;
  }
  get view(): DataView {
    return this.#state.view;
  }
  get start(): number {
    return this.#state.start + this.#before;
  }
  get length(): number {
    return this.#state.length - this.#before;
  }

  setUint8(at: number, value: number): void {
    this.#state.setUint8(this.#before + at, value);
  }

  setUint32(at: number, value: number): void {
    this.#state.setUint32(this.#before + at, value);
  }

  splice(at: number, removed: number, from: Uint8Array, count: number): void {
    this.#state.splice(this.#before + at, removed, from, count);
  }

  copy(): Uint8Array {
    return this.#state.copy().slice(this.#before);
  }
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
