// Where the texts of a session lie whose state holds what its reducer has come to (S10), behind what disorder has left, if
// anything:
//
//   length of the reducer's state u32 · that (reducing/state-reducer.ts) · texts, if there are any (texts.ts)
import { type BytesSpan, HeapBytes, type StateBytes } from '../state-bytes.ts';

const LENGTH_BYTES = 4;
const NOTHING = new HeapBytes();

/** Bytes that come before the texts for it. */
export function reducedLength(reduced: BytesSpan | undefined): number {
  return reduced === undefined ? 0 : LENGTH_BYTES + reduced.length;
}

/** Both, in memory of their own. */
export function textsWithReduced(reduced: BytesSpan | undefined, texts: BytesSpan = NOTHING): BytesSpan {
  if (reduced === undefined) return texts;
  const before = reducedLength(reduced);
  const bytes = new Uint8Array(before + texts.length);
  new DataView(bytes.buffer).setUint32(0, reduced.length, true);
  put(reduced, bytes, LENGTH_BYTES);
  put(texts, bytes, before);
  return { bytes, start: 0, length: bytes.length };
}

function put({ bytes, start, length }: BytesSpan, to: Uint8Array, at: number): void {
  to.set(bytes.subarray(start, start + length), at);
}

/** The texts behind it, as if they were all of a state. */
export class BehindReduced implements StateBytes {
  readonly #state: StateBytes;

  constructor(state: StateBytes) {
    this.#state = state;
  }

  /** What comes before the texts, without its length. */
  get reduced(): BytesSpan {
    const { bytes, start } = this.#state;
    return { bytes, start: start + LENGTH_BYTES, length: this.#before - LENGTH_BYTES };
  }

  /** Puts another in its place, or where there was none before the texts. */
  replace(reduced: BytesSpan, isThere: boolean): void {
    const { bytes, length } = textsWithReduced(reduced);
    this.#state.splice(0, isThere ? this.#before : 0, bytes, length);
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
