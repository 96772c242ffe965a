// Primitive types of record batches (KIP-98) and of Avro: big-endian integers, and zigzag numbers in base 128. Plain, and written
// apart from the product's own readers.

/** Thrown if the bytes are not as their format says. */
export class BrokenBytes extends Error {
  override readonly name = 'BrokenBytes';
}

const INT_BYTES_MAX = 5;
const LONG_BYTES_MAX = 10;
/** Groups of seven bits that a double can hold exactly. */
const EXACT_GROUPS = 7;

export class ByteWalk {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    return this.#view.getUint8(this.#pass(1));
  }

  int16(): number {
    return this.#view.getInt16(this.#pass(2));
  }

  uint16(): number {
    return this.#view.getUint16(this.#pass(2));
  }

  int32(): number {
    return this.#view.getInt32(this.#pass(4));
  }

  uint32(): number {
    return this.#view.getUint32(this.#pass(4));
  }

  /** Beyond ±2^53, the nearest double. */
  int64(): number {
    return Number(this.#view.getBigInt64(this.#pass(8)));
  }

  /** A zigzag number of 32 bits. */
  varint(): number {
    return unzigzag(Number(this.#groups(INT_BYTES_MAX)) % 2 ** 32);
  }

  /** A zigzag number of 64 bits; beyond ±2^53, the nearest double. */
  varlong(): number {
    const unsigned = this.#groups(LONG_BYTES_MAX);
    if (typeof unsigned === 'number') return unzigzag(unsigned);
    return Number(BigInt.asIntN(64, unzigzagBig(BigInt.asUintN(64, unsigned))));
  }

  /** A zigzag number that must be exact. */
  exactLong(): number {
    const unsigned = this.#groups(LONG_BYTES_MAX);
    const value = typeof unsigned === 'number' ? unzigzag(unsigned) : Number(unzigzagBig(unsigned));
    if (!Number.isSafeInteger(value)) throw new BrokenBytes('holds a number beyond 2^53 - 1');
    return value;
  }

  /** Skips a number in base 128. */
  passNumber(): void {
    this.#groups(LONG_BYTES_MAX);
  }

  /** Returns a view. */
  bytes(length: number): Uint8Array {
    const start = this.#pass(length);
    return this.#bytes.subarray(start, start + length);
  }

  #groups(most: number): number | bigint {
    let sum = 0;
    let above = 0n;
    for (let count = 0; count < most; count += 1) {
      const byte = this.byte();
      if (count < EXACT_GROUPS) sum += (byte % 128) * 128 ** count;
      else above += BigInt(byte % 128) << BigInt(7 * count);
      if (byte < 128) return above === 0n ? sum : above + BigInt(sum);
    }
    throw new BrokenBytes(`holds a number of more than ${most} bytes`);
  }

  /** Skips `length` bytes; returns the position before them. */
  #pass(length: number): number {
    const start = this.#at;
    if (length < 0 || length > this.left) throw new BrokenBytes(`announces ${length} bytes, and has ${this.left} left`);
    this.#at = start + length;
    return start;
  }
}

function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function unzigzagBig(value: bigint): bigint {
  return value % 2n === 0n ? value / 2n : -(value + 1n) / 2n;
}
