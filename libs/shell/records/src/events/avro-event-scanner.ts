// The short way through events in Avro whose writer used our own schema, as the SDK does.
//
// It reads the fields where they lie, in our order, without a step per field. Like the short way through JSON it never
// decides that something is wrong: it leaves whatever is not plain to the plan of the schema (record-plan.ts), and reads the
// rest as the plan would. A property test holds the two against each other. The one exception, text that is
// not UTF-8, is thrown from here as it would be from there.
import { INSTANT_MAX } from '@flatline/base';
import { HEARTBEAT, type SessionEvent, SOURCE_BYTES_MAX } from '@flatline/ports/formats';
import { ByteWords } from '../byte-words.ts';
import { EVENT_ID_LENGTH_MAX, TYPE_LENGTH_MAX } from '../limits.ts';
import { decodeUtf8, type TextReader } from '../text-reader.ts';

/** Results for an absent number, and for one that is not plain. */
const ABSENT = -1;
const NOT_PLAIN = -2;
/** Bytes of the branch of a union: 0 is null, 1 the type. */
const IS_NULL = 0;
const IS_VALUE = 2;
/** Bytes of seven bits each that fill a half of a number: bit operations are 32-bit. */
const HALF_BYTES = 4;
/** Continuation bits of four bytes at once. */
const ALL_GO_ON = 0x80808080 | 0;
/** The type of most events, its length before it. */
const HEARTBEAT_TYPE = new ByteWords(Buffer.from(`${String.fromCharCode(2 * HEARTBEAT.length)}${HEARTBEAT}`, 'latin1'));

export class AvroEventScanner {
  readonly #texts: TextReader;
  #buffer: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;

  constructor(texts: TextReader) {
    this.#texts = texts;
  }

  /**
   * Reads a value without the header of the wire format. True: `target`, blank before, holds the event. False: not plain,
   * and `target` may be half filled.
   * @throws BadInput `invalid-utf8`.
   */
  scan(buffer: Buffer, start: number, end: number, target: SessionEvent): boolean {
    this.#buffer = buffer;
    this.#view = this.#texts.view(buffer);
    this.#at = start;
    this.#end = end;
    if (!this.#type(target)) return false;
    const occurredAt = this.#optionalLong();
    if (occurredAt > INSTANT_MAX) return false;
    if (occurredAt >= 0) target.occurredAt = occurredAt;
    else if (occurredAt !== ABSENT) return false;
    if (!this.#eventId(target)) return false;
    const sequence = this.#optionalLong();
    if (sequence >= 0) target.sequence = sequence;
    else if (sequence !== ABSENT) return false;
    const timeoutMs = this.#optionalLong();
    if (timeoutMs >= 1) target.timeoutMs = timeoutMs;
    else if (timeoutMs !== ABSENT) return false;
    return this.#attributes(target) && this.#source(target) && this.#at === end;
  }

  #type(event: SessionEvent): boolean {
    const at = this.#at;
    if (at + HEARTBEAT_TYPE.length <= this.#end && HEARTBEAT_TYPE.areAt(this.#view, at)) {
      this.#at = at + HEARTBEAT_TYPE.length;
      event.type = HEARTBEAT;
      return true;
    }
    const start = this.#text();
    if (start < 0) return false;
    event.type = this.#texts.recurring(this.#buffer, start, this.#at);
    return event.type.length >= 1 && event.type.length <= TYPE_LENGTH_MAX;
  }

  #eventId(event: SessionEvent): boolean {
    const branch = this.#byte();
    if (branch !== IS_VALUE) return branch === IS_NULL;
    const start = this.#text();
    if (start < 0) return false;
    event.eventId = decodeUtf8(this.#buffer, start, this.#at);
    return event.eventId.length >= 1 && event.eventId.length <= EVENT_ID_LENGTH_MAX;
  }

  #source(event: SessionEvent): boolean {
    const branch = this.#byte();
    if (branch !== IS_VALUE) return branch === IS_NULL;
    const start = this.#text();
    if (start < 0 || this.#at === start || this.#at - start > SOURCE_BYTES_MAX) return false;
    event.source = this.#texts.recurring(this.#buffer, start, this.#at);
    return true;
  }

  /** None, or all in one block without its size. */
  #attributes(event: SessionEvent): boolean {
    const count = this.#long();
    if (count <= 0) return count === 0;
    const attributes = new Map<string, string>();
    for (let rest = count; rest > 0; rest -= 1) {
      const keyStart = this.#text();
      if (keyStart < 0) return false;
      const key = this.#texts.recurring(this.#buffer, keyStart, this.#at);
      const start = this.#text();
      if (start < 0) return false;
      attributes.set(key, this.#texts.recurring(this.#buffer, start, this.#at));
    }
    event.attributes = attributes;
    return this.#byte() === 0;
  }

  /** Passes over a text: where it starts (it ends at `#at`), or NOT_PLAIN. */
  #text(): number {
    const length = this.#long();
    const start = this.#at;
    if (length < 0 || length > this.#end - start) return NOT_PLAIN;
    this.#at = start + length;
    return start;
  }

  #optionalLong(): number {
    const branch = this.#byte();
    if (branch === IS_NULL) return ABSENT;
    return branch === IS_VALUE ? this.#long() : NOT_PLAIN;
  }

  /** A number ≥ 0 of at most eight bytes, or NOT_PLAIN. */
  #long(): number {
    const buffer = this.#buffer;
    const end = this.#end;
    let at = this.#at;
    if (at + HALF_BYTES <= end) {
      const word = this.#view.getInt32(at, true);
      // Most are a small count, or a time, which goes on after four bytes.
      if ((word & 0x80) === 0) {
        this.#at = at + 1;
        return (word & 1) === 0 ? (word & 0x7f) >>> 1 : NOT_PLAIN;
      }
      if ((word & ALL_GO_ON) === ALL_GO_ON) {
        this.#at = at + HALF_BYTES;
        return (word & 1) === 0 ? this.#longFrom(sevenBitsEach(word)) : NOT_PLAIN;
      }
    }
    const most = Math.min(end, at + HALF_BYTES);
    let low = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80 && at < most; shift += 7, at += 1) {
      byte = buffer[at]!;
      low |= (byte & 0x7f) << shift;
    }
    this.#at = at;
    if ((low & 1) !== 0) return NOT_PLAIN;
    return byte < 0x80 ? low >>> 1 : this.#longFrom(low);
  }

  /** The rest of a number whose lowest 28 bits are `low`. */
  #longFrom(low: number): number {
    let at = this.#at;
    const most = Math.min(this.#end, at + HALF_BYTES);
    const buffer = this.#buffer;
    let high = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80 && at < most; shift += 7, at += 1) {
      byte = buffer[at]!;
      high |= (byte & 0x7f) << shift;
    }
    this.#at = at;
    const value = high * 2 ** 27 + (low >>> 1);
    return byte < 0x80 && value <= Number.MAX_SAFE_INTEGER ? value : NOT_PLAIN;
  }

  /** The next byte, or NOT_PLAIN at the end. */
  #byte(): number {
    const at = this.#at;
    if (at >= this.#end) return NOT_PLAIN;
    this.#at = at + 1;
    return this.#buffer[at]!;
  }
}

/** The lowest seven bits of each of four bytes, the low byte first. */
function sevenBitsEach(word: number): number {
  return (word & 0x7f) | ((word >>> 1) & 0x3f80) | ((word >>> 2) & 0x1fc000) | ((word >>> 3) & 0xfe00000);
}
