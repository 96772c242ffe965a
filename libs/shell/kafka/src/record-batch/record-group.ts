// Records of one batch, unpacked some at a time into columns: what looks ahead at them wants their keys side by side.
//
// Owns: the columns, the place in the batch's records.
// Does not own: the bytes, which batch it is (BatchCursor).
//
// Invariants
//   RG1  The columns point within the batch's bytes. A record that does not fit ends the group before it, and is an error
//        only when it would be the first: the records before it are shown first.
//   RG2  Offsets grow from record to record and stay within those of the batch: one that goes back does not fit.
import { MalformedBytes } from '@flatline/base';
import { KEY_GROUP_MAX, type KeyGroup } from '@flatline/ports';

const NO_BYTES = Buffer.alloc(0);

/** Behind every record: where a number goes on for more bytes than it may. */
const NOWHERE = 2 ** 52;

/** The scale of a number's seventh byte: 49 bits are exact in a double. */
const EXACT_SCALE_MAX = 128 ** 6;

export class RecordGroup implements KeyGroup {
  count = 0;
  readonly starts = new Int32Array(KEY_GROUP_MAX);
  /** −1: null. */
  readonly lengths = new Int32Array(KEY_GROUP_MAX);
  readonly valueStarts = new Int32Array(KEY_GROUP_MAX);
  readonly valueLengths = new Int32Array(KEY_GROUP_MAX);
  readonly headersStarts = new Int32Array(KEY_GROUP_MAX);
  readonly headersEnds = new Int32Array(KEY_GROUP_MAX);
  /** Both relative to the batch's base. */
  readonly offsetDeltas = new Int32Array(KEY_GROUP_MAX);
  readonly timestampDeltas = new Float64Array(KEY_GROUP_MAX);
  #bytes: Buffer = NO_BYTES;
  /** Where the next record begins, and where the batch's records end. */
  #at = 0;
  #end = 0;
  #left = 0;
  /** Offset delta of the record unpacked last, and that of the batch's last. */
  #delta = -1;
  #deltaMax = -1;

  /** Begins a batch of `records` records that lie from `start` to `end`, whose greatest offset delta is `deltaMax`. */
  open(bytes: Buffer, start: number, end: number, records: number, deltaMax: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#left = records;
    this.#delta = -1;
    this.#deltaMax = deltaMax;
    this.count = 0;
  }

  /** Leaves the batch, whatever is left of it. */
  close(): void {
    this.open(NO_BYTES, 0, 0, 0, -1);
  }

  /** Records not unpacked yet, by the batch's own count. */
  get left(): number {
    return this.#left;
  }

  /**
   * Unpacks the next records, those with an offset delta below `fromDelta` left out. An empty group: there are no more.
   * @throws MalformedBytes
   */
  fill(fromDelta: number): void {
    this.count = 0;
    while (this.#left > 0 && this.count < KEY_GROUP_MAX) {
      const start = this.#at;
      if (!this.#unpack(this.count)) {
        this.#at = start;
        if (this.count > 0) return;
        throw new MalformedBytes(`a record does not fit its length or the batch, ${this.#left} before its end`);
      }
      this.#left -= 1;
      if (this.#delta >= fromDelta) this.count += 1;
    }
  }

  /** Takes one record into the columns at `index`. False if it does not fit into its length, or that into the batch. */
  #unpack(index: number): boolean {
    const length = this.#varint();
    const end = this.#at + length;
    if (length < 0 || end > this.#end) return false;
    // Attributes of records are not used in format 2.
    this.#at += 1;
    this.timestampDeltas[index] = this.#varlong();
    const delta = this.#varint();
    if (delta <= this.#delta || delta > this.#deltaMax) return false;
    this.#delta = delta;
    this.offsetDeltas[index] = delta;
    const keyLength = this.#varint();
    this.starts[index] = this.#at;
    this.lengths[index] = keyLength;
    if (keyLength > 0) this.#at += keyLength;
    const valueLength = this.#varint();
    this.valueStarts[index] = this.#at;
    this.valueLengths[index] = valueLength;
    if (valueLength > 0) this.#at += valueLength;
    this.headersStarts[index] = this.#at;
    this.headersEnds[index] = end;
    // A length that leads out of the record leads here too: nothing of it has been shown yet.
    if (this.#at >= end || keyLength < -1 || valueLength < -1) return false;
    this.#at = end;
    return true;
  }

  /** Zigzag, up to five bytes. */
  #varint(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    this.#at = byte < 0x80 ? at : NOWHERE;
    return (value >>> 1) ^ -(value & 1);
  }

  /** Zigzag, up to ten bytes; beyond ±2^53 the nearest double. */
  #varlong(): number {
    const bytes = this.#bytes;
    const at = this.#at;
    const first = bytes[at]!;
    if (first < 0x80) {
      this.#at = at + 1;
      return (first >>> 1) ^ -(first & 1);
    }
    return this.#longVarlong();
  }

  #longVarlong(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let scale = 128; byte >= 0x80 && scale <= EXACT_SCALE_MAX; scale *= 128) {
      byte = bytes[at++]!;
      value += (byte & 0x7f) * scale;
    }
    if (byte >= 0x80) return this.#widestVarlong();
    this.#at = at;
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Eight to ten bytes: a double would lose the lowest bit, which is the sign. */
  #widestVarlong(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let byte = 0x80;
    let value = 0n;
    for (let shift = 0n; byte >= 0x80 && shift <= 63n; shift += 7n) {
      byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
    }
    this.#at = byte < 0x80 ? at : NOWHERE;
    return Number(BigInt.asIntN(64, (BigInt.asUintN(64, value) >> 1n) ^ -(value & 1n)));
  }
}
