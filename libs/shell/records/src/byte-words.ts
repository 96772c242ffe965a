// Bytes four at a time: recognised, and read as decimal digits. One load and one comparison instead of four.

/** Bytes to be recognised, at least four. */
export class ByteWords {
  readonly length: number;
  /** The last one ends with the bytes, and so may overlap the one before. */
  readonly #words: readonly number[];

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const count = Math.ceil(bytes.length / 4);
    this.length = bytes.length;
    this.#words = Array.from({ length: count }, (_, i) => view.getInt32(Math.min(4 * i, bytes.length - 4), true));
  }

  /** `at + length` is within the view. */
  areAt(view: DataView, at: number): boolean {
    const words = this.#words;
    const last = words.length - 1;
    for (let i = 0; i < last; i += 1) if (view.getInt32(at + 4 * i, true) !== words[i]) return false;
    return view.getInt32(at + this.length - 4, true) === words[last];
  }
}

/** The number that four ASCII digits say, of which the low byte is the first; −1 where they are not all digits. */
export function fourDigits(word: number): number {
  // In each byte: the high half is 3, and stays 3 where 6 is added.
  if (((word & 0xf0f0f0f0) ^ 0x30303030) !== 0 || (((word + 0x06060606) & 0xf0f0f0f0) ^ 0x30303030) !== 0) return -1;
  const digits = word & 0x0f0f0f0f;
  // Two pairs, each in a byte of its own: nothing carries over, since no byte comes beyond 99.
  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
}
