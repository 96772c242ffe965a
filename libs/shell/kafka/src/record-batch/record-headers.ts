import { MalformedBytes } from '@flatline/base';
import { nameText, type RecordHeader } from '@flatline/ports';

/** Each takes two lengths at least. A count above what that leaves room for is damage, and must not make objects first. */
const HEADER_BYTES_MIN = 2;

/** Decodes the header section between `start` and `end`. Values are views, not copies. @throws MalformedBytes. */
export function readHeaders(bytes: Buffer, start: number, end: number): readonly RecordHeader[] {
  const section = new HeaderSection(bytes, start, end);
  const count = section.varint();
  if (count < 0 || count > (end - start) / HEADER_BYTES_MIN)
    throw new MalformedBytes(`a record claims ${count} headers`);
  const headers: RecordHeader[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = section.name();
    headers.push({ name, value: section.block() });
  }
  return headers;
}

class HeaderSection {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      if (this.#at >= this.#end) throw new MalformedBytes('the headers are cut off');
      const byte = this.#bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    throw new MalformedBytes('a length in the headers is longer than 5 bytes');
  }

  name(): string {
    const length = this.#length();
    if (length === -1) throw new MalformedBytes('a header has no name');
    return nameText(this.#bytes, this.#at - length, this.#at);
  }

  /** null where the length is −1. */
  block(): Buffer | null {
    const length = this.#length();
    return length === -1 ? null : this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** The length of the next field, which is passed. */
  #length(): number {
    const length = this.varint();
    if (length === -1) return length;
    if (length < -1 || this.#at + length > this.#end) throw new MalformedBytes('a header does not fit its record');
    this.#at += length;
    return length;
  }
}
