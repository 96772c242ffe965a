// The bytes behind a part of a state that says its own length, as if they were all of the state:
//
//   length of the part u32 · the part · the rest
import type { BytesSpan, StateBytes } from '../state-bytes.ts';

/** Bytes of the length. */
const LENGTH_BYTES = 4;

/** Bytes that come before the rest for the part; undefined: there is none. */
export function partLength(part: BytesSpan | undefined): number {
  return part === undefined ? 0 : LENGTH_BYTES + part.length;
}

/** Both, in memory of their own. */
export function withPart(part: BytesSpan | undefined, rest: BytesSpan): Uint8Array {
  const before = partLength(part);
  const bytes = new Uint8Array(before + rest.length);
  if (part !== undefined) {
    new DataView(bytes.buffer).setUint32(0, part.length, true);
    copy(part, bytes, LENGTH_BYTES);
  }
  copy(rest, bytes, before);
  return bytes;
}

function copy({ bytes, start, length }: BytesSpan, to: Uint8Array, at: number): void {
  to.set(bytes.subarray(start, start + length), at);
}

export class BehindPart implements StateBytes {
  readonly #state: StateBytes;

  constructor(state: StateBytes) {
    this.#state = state;
  }

  /** The part, without its length. */
  get part(): BytesSpan {
    const { bytes, start } = this.#state;
    return { bytes, start: start + LENGTH_BYTES, length: this.#before - LENGTH_BYTES };
  }

  /** Puts another in its place, or where there was none before the rest. */
  replace(part: Uint8Array, isThere: boolean): void {
    this.#state.splice(0, isThere ? this.#before : 0, part, part.length);
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
