import { copyBytes } from '@flatline/base';
import type { RecordHeader } from '../log-reader.ts';
import type { UntimedRecord } from '../transaction.ts';
import { nameText } from './header-names.ts';

/** The record whose content begins there (RecordPacker), as copies. */
export function contentOf(bytes: Uint8Array, start: number): UntimedRecord {
  const reader = new ContentReader(bytes, start);
  const key = reader.part();
  const value = reader.part();
  const headers: RecordHeader[] = [];
  for (let left = reader.number(); left > 0; left -= 1) headers.push({ name: reader.name(), value: reader.part() });
  return headers.length === 0 ? { key, value } : { key, value, headers };
}

/** Reads bytes that were written here: they are whole. */
class ContentReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  part(): Uint8Array | null {
    const length = this.number();
    if (length < 0) return null;
    this.#at += length;
    return copyBytes(this.#bytes, this.#at - length, this.#at);
  }

  name(): string {
    const length = this.number();
    this.#at += length;
    return nameText(this.#bytes, this.#at - length, this.#at);
  }

  /** A zigzag varint. */
  number(): number {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++]!;
      result |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (result >>> 1) ^ -(result & 1);
    }
  }
}
