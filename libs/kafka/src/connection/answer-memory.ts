// Memory for large answers, used again once their records are read. Without it a fast reader asks for hundreds of megabytes
// a second, which the kernel clears page by page and for which V8 collects garbage many times a second.
//
// Owns: memory that is free.      Does not own: memory handed out; what is never given back is the garbage collector's.
//
// Invariants
//   AM1  Memory is handed out again only after it was given back, and it is given back at most once each time.
const PIECE_BYTES_MIN = 64 * 1024;
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
const FREE_BYTES_MAX = 32 * 1024 * 1024;

export class AnswerMemory {
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #lent = new WeakSet<ArrayBufferLike>();
  #freeBytes = 0;

  /** Memory of `length` bytes, its content anything. */
  take(length: number): Buffer {
    if (length < PIECE_BYTES_MIN || length > PIECE_BYTES_MAX) return Buffer.allocUnsafeSlow(length);
    const size = 2 ** Math.ceil(Math.log2(length));
    const used = this.#free.get(size)?.pop();
    if (used !== undefined) this.#freeBytes -= size;
    const piece = used ?? Buffer.allocUnsafeSlow(size).buffer;
    this.#lent.add(piece);
    return Buffer.from(piece, 0, length);
  }

  /** Nobody will look at `answer`, or any part of what was taken for it, again. */
  giveBack({ buffer }: Buffer): void {
    if (!this.#lent.delete(buffer) || !(buffer instanceof ArrayBuffer)) return;
    const size = buffer.byteLength;
    if (this.#freeBytes + size > FREE_BYTES_MAX) return;
    this.#freeBytes += size;
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [buffer]);
    else free.push(buffer);
  }
}
