// Reuses memory of large byte strings that live for some milliseconds. If it were allocated each time, the kernel would clear
// hundreds of megabytes a second page by page, and V8, which counts them, would collect garbage many times a second on all its
// helper threads.
//
// Owns: memory that is free.
// Does not own: memory handed out; what is never given back is the garbage collector's.
//
// Invariants
//   RM1  Memory is handed out again only after it was given back, and it is given back at most once each time.

/** Bytes of one piece. Smaller ones are cheap to allocate, larger ones too rare to keep. */
const PIECE_BYTES_MIN = 32 * 1024;
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
/** Sizes per power of two: a piece is at most a quarter larger than asked for. */
const SIZE_STEPS = 4;

export class ReusedMemory {
  readonly #freeBytesMax: number;
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #lent = new WeakSet<ArrayBufferLike>();
  #freeBytes = 0;

  /** @param freeBytesMax upper bound on memory kept for reuse */
  constructor(freeBytesMax: number) {
    this.#freeBytesMax = freeBytesMax;
  }

  /** `length` bytes, their content anything. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (length < PIECE_BYTES_MIN || length > PIECE_BYTES_MAX) return new Uint8Array(length);
    const size = pieceSize(length);
    const used = this.#free.get(size)?.pop();
    if (used !== undefined) this.#freeBytes -= size;
    const piece = used ?? new ArrayBuffer(size);
    this.#lent.add(piece);
    return new Uint8Array(piece, 0, length);
  }

  /** The caller promises that no part of what came with `bytes` is read again. Foreign memory is left alone. */
  giveBack({ buffer }: Uint8Array): void {
    if (!this.#lent.delete(buffer) || !(buffer instanceof ArrayBuffer)) return;
    const size = buffer.byteLength;
    if (this.#freeBytes + size > this.#freeBytesMax) return;
    this.#freeBytes += size;
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [buffer]);
    else free.push(buffer);
  }
}

function pieceSize(length: number): number {
  const step = 2 ** Math.floor(Math.log2(length)) / SIZE_STEPS;
  return Math.ceil(length / step) * step;
}
