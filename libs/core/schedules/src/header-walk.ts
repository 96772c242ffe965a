// Walks a record's headers where they lie, as Kafka writes them (`headerSection` of the ports).
//
// Owns: the place in the section, where the header it stands on lies.
// Does not own: the bytes, which it is given with each call: kept, they would keep a whole fetch answer.

/** Stands for a number that ends before its last byte, or is longer than any that a request needs. */
const NO_NUMBER = -2;
const LENGTH_BITS = 28;

export class HeaderWalk {
  name = 0;
  nameLength = 0;
  value = 0;
  /** −1: null. */
  valueLength = 0;
  #at = 0;
  #end = 0;

  /** Returns how many headers are said to follow. Less than 0: the section does not say. */
  begin(bytes: Uint8Array, start: number, end: number): number {
    this.#at = start;
    this.#end = end;
    return this.#number(bytes);
  }

  /** Moves to the next header. False: it is not whole. */
  next(bytes: Uint8Array): boolean {
    this.nameLength = this.#number(bytes);
    this.name = this.#at;
    if (!this.#pass(this.nameLength)) return false;
    this.valueLength = this.#number(bytes);
    this.value = this.#at;
    return this.valueLength === -1 || this.#pass(this.valueLength);
  }

  #pass(length: number): boolean {
    if (length < 0 || length > this.#end - this.#at) return false;
    this.#at += length;
    return true;
  }

  /** Zigzag. */
  #number(bytes: Uint8Array): number {
    let value = 0;
    for (let shift = 0; shift < LENGTH_BITS && this.#at < this.#end; shift += 7) {
      const byte = bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
    return NO_NUMBER;
  }
}
