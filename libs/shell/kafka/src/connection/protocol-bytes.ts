// Kafka's wire primitives: big-endian integers, length-prefixed strings and arrays, the compact forms of KIP-482.
import { MalformedBytes } from '@flatline/base';

const HIGH_WORD = 2 ** 32;

export function readInt32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

/** Exact within ±2^53; beyond, rounded as doubles are. */
export function readInt64(bytes: Uint8Array, at: number): number {
  return readInt32(bytes, at) * HIGH_WORD + (readInt32(bytes, at + 4) >>> 0);
}

/** Builds the body of a request. */
export class ProtocolWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(initialCapacity = 256) {
    this.#bytes = Buffer.allocUnsafe(initialCapacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the bytes written, without a copy: write no more afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  int8(value: number): this {
    const at = this.#advance(1);
    this.#bytes.writeInt8(value, at);
    return this;
  }

  bool(value: boolean): this {
    return this.int8(value ? 1 : 0);
  }

  int16(value: number): this {
    const at = this.#advance(2);
    this.#bytes.writeInt16BE(value, at);
    return this;
  }

  int32(value: number): this {
    const at = this.#advance(4);
    this.#bytes.writeInt32BE(value, at);
    return this;
  }

  /** Any safe integer. */
  int64(value: number): this {
    const at = this.#advance(8);
    this.#bytes.writeInt32BE(Math.floor(value / HIGH_WORD), at);
    this.#bytes.writeUInt32BE(((value % HIGH_WORD) + HIGH_WORD) % HIGH_WORD, at + 4);
    return this;
  }

  /** An int64 as it was read, for values that are only handed back (producer ids). */
  bigint64(value: bigint): this {
    const at = this.#advance(8);
    this.#bytes.writeBigInt64BE(value, at);
    return this;
  }

  uvarint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.int8(((rest & 0x7f) | 0x80) - 0x100);
      rest >>>= 7;
    }
    return this.int8(rest);
  }

  raw(bytes: Uint8Array): this {
    const at = this.#advance(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1);
    const bytes = Buffer.from(value, 'utf8');
    return this.int16(bytes.length).raw(bytes);
  }

  compactString(value: string): this {
    const bytes = Buffer.from(value, 'utf8');
    return this.uvarint(bytes.length + 1).raw(bytes);
  }

  /** int32 length, −1 for null: BYTES and RECORDS. */
  bytes(value: Uint8Array | null): this {
    return value === null ? this.int32(-1) : this.int32(value.length).raw(value);
  }

  array<T>(items: readonly T[], write: (item: T) => void): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }

  compactArray<T>(items: readonly T[], write: (item: T) => void): this {
    this.uvarint(items.length + 1);
    for (const item of items) write(item);
    return this;
  }

  /** The empty tagged-field section that ends each structure of a flexible version. */
  noTags(): this {
    return this.int8(0);
  }

  #advance(length: number): number {
    const at = this.#length;
    const need = at + length;
    if (need > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(need, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    this.#length = need;
    return at;
  }
}

/** Walks the payload of an answer. @throws MalformedBytes beyond its end. */
export class ProtocolReader {
  readonly bytes: Buffer;
  position: number;

  constructor(bytes: Buffer, position = 0) {
    this.bytes = bytes;
    this.position = position;
  }

  int8(): number {
    return this.bytes.readInt8(this.advance(1));
  }

  bool(): boolean {
    return this.int8() !== 0;
  }

  int16(): number {
    return this.bytes.readInt16BE(this.advance(2));
  }

  int32(): number {
    return readInt32(this.bytes, this.advance(4));
  }

  int64(): number {
    return readInt64(this.bytes, this.advance(8));
  }

  bigint64(): bigint {
    return this.bytes.readBigInt64BE(this.advance(8));
  }

  uvarint(): number {
    let result = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes[this.advance(1)]!;
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
    throw new MalformedBytes('unsigned varint longer than 5 bytes');
  }

  string(): string {
    const value = this.nullableString();
    if (value === null) throw new MalformedBytes('null where a string must be');
    return value;
  }

  nullableString(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.#text(length);
  }

  compactNullableString(): string | null {
    const length = this.uvarint() - 1;
    return length < 0 ? null : this.#text(length);
  }

  compactString(): string {
    return this.compactNullableString() ?? '';
  }

  /** A view, not a copy; null where the length is −1. */
  nullableBytes(): Buffer | null {
    const length = this.int32();
    if (length < 0) return null;
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  uuid(): string {
    const start = this.advance(16);
    return this.bytes.toString('hex', start, start + 16);
  }

  /** A null array reads as an empty one. */
  array<T>(read: (reader: this) => T): T[] {
    return this.#items(this.int32(), read);
  }

  compactArray<T>(read: (reader: this) => T): T[] {
    return this.#items(this.uvarint() - 1, read);
  }

  skipTags(): void {
    for (let left = this.uvarint(); left > 0; left -= 1) {
      this.uvarint();
      this.advance(this.uvarint());
    }
  }

  /** Passes over `length` bytes and returns where they start. */
  advance(length: number): number {
    const start = this.position;
    if (length < 0 || length > this.bytes.length - start)
      throw new MalformedBytes(`needs ${length} bytes, ${this.bytes.length - start} left`);
    this.position = start + length;
    return start;
  }

  #items<T>(count: number, read: (reader: this) => T): T[] {
    const items: T[] = [];
    for (let left = count; left > 0; left -= 1) items.push(read(this));
    return items;
  }

  #text(length: number): string {
    const start = this.advance(length);
    return this.bytes.toString('utf8', start, start + length);
  }
}
