// The bytes of an entry beyond its head; a kind reads and edits them in place, wherever their owner has them lie.
const NOTHING = new Uint8Array(0);

/** Most that starts and holder of a lease take (L4), and the messages of a key (D1): of these, three million bytes are left for numbers and names. */
export const STATE_BYTES_MAX = 64_000_000;

/** Bytes that lie in others. */
export interface BytesSpan {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
}

/** All of `bytes`. */
export function spanOf(bytes: Uint8Array): BytesSpan {
  return { bytes, start: 0, length: bytes.length };
}

/**
 * The state of one entry. Positions count from the first byte. Every edit may move the bytes: after one, read `bytes`, `view`
 * and `start` again.
 */
export interface StateBytes extends BytesSpan {
  /** The memory they lie in from `start` on as a view. */
  readonly view: DataView;
  setUint8(at: number, value: number): void;
  /** Little-endian. */
  setUint32(at: number, value: number): void;
  /** Puts the first `count` bytes of `from`, which lies elsewhere, in place of `removed` bytes at `at`. */
  splice(at: number, removed: number, from: Uint8Array, count: number): void;
  /** All of them, in memory of their own. */
  copy(): Uint8Array;
}

/** In memory of their own: where no arena is. */
export class HeapBytes implements StateBytes {
  bytes: Uint8Array;
  view: DataView;
  readonly start = 0;
  length: number;

  /** `bytes` is handed over. */
  constructor(bytes: Uint8Array = NOTHING) {
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.length = bytes.length;
  }

  setUint8(at: number, value: number): void {
    this.bytes[at] = value;
  }

  setUint32(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  splice(at: number, removed: number, from: Uint8Array, count: number): void {
    const length = this.length - removed + count;
    if (length > this.bytes.length) this.#grow(length);
    this.bytes.copyWithin(at + count, at + removed, this.length);
    this.bytes.set(from.subarray(0, count), at);
    this.length = length;
  }

  copy(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(length, 2 * this.length));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = viewOf(grown);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
