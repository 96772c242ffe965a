// Primitive types of a changelog block, as docs/FORMATS.md describes them. Written apart from the tasks' own reader, so that one
// mistake cannot hide in both.

/** Thrown if the bytes are not as FORMATS says. */
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
    const value = this.#groups(this.byte(), 1, 128);
    if (!Number.isSafeInteger(value)) throw new NotABlock('holds a number above 2^53 - 1');
    return value;
  }

  /** Zigzag, up to 2⁵³ − 1: the lowest bit is the sign, the bits above it are the magnitude. */
  signed(): number {
    const value = this.stamp();
    if (!Number.isSafeInteger(value)) throw new NotABlock('holds a number beyond 2^53 - 1');
    return value;
  }

  /** The same, unbounded. */
  stamp(): number {
    const first = this.byte();
    const magnitude = this.#groups(first - (first % 2), 0.5, 64);
    return first % 2 === 0 ? magnitude : -magnitude - 1;
  }

  /** Sum of a group and those that follow it; `next` is the value of the second one's lowest bit. */
  #groups(first: number, unit: number, next: number): number {
    let sum = (first % 128) * unit;
    let byte = first;
    for (let scale = next; byte >= 128; scale *= 128) {
      if (scale > 2 ** 63) throw new NotABlock('holds a number of more than ten bytes');
      byte = this.byte();
      sum += (byte % 128) * scale;
    }
    return sum;
  }

  /** Little endian. */
  u32(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24;
  }

  text(): string {
    return utf8.decode(this.bytes(this.varint()));
  }

  /** Returns a copy. */
  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new NotABlock(`ends after ${this.#bytes.length} bytes, ${end} are announced`);
    const bytes = Uint8Array.prototype.slice.call(this.#bytes, this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** Returns a copy of the bytes that are left. */
  rest(): Uint8Array {
    return this.bytes(this.#bytes.length - this.#at);
  }

  /** Number of bytes read. */
  get position(): number {
    return this.#at;
  }

  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.varint(); left > 0; left -= 1) items.push(read());
    return items;
  }
}
