// The primitive types of a changelog block, as docs/FORMATS.md describes them. Written apart from the reader that the tasks
// use, so that one mistake does not hide in both.

/** The bytes are not what FORMATS says. */
export class NotABlock extends Error {
  override readonly name = 'NotABlock';
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new NotABlock(`ends after ${this.#bytes.length} bytes, in the middle of a value`);
    this.#at += 1;
    return value;
  }

  /** Unsigned LEB128 up to 2⁵³ − 1. */
  varint(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte % 128) * unit;
      if (!Number.isSafeInteger(value)) throw new NotABlock('holds a number above 2^53 - 1');
      if (byte < 128) return value;
      unit *= 128;
    }
  }

  /** Zigzag. */
  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Little endian. */
  u32(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24;
  }

  text(): string {
    return utf8.decode(this.bytes(this.varint()));
  }

  /** A copy. */
  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new NotABlock(`ends after ${this.#bytes.length} bytes, ${end} are announced`);
    const bytes = Uint8Array.prototype.slice.call(this.#bytes, this.#at, end);
    this.#at = end;
    return bytes;
  }

  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.varint(); left > 0; left -= 1) items.push(read());
    return items;
  }
}
