// The request that nearly all senders make: one message, at one instant, and perhaps a name. It is found in the record's bytes, and
// its message is written from there, without an object, a view or a text.
//
// Only what is surely such a request is found. Whatever else a record says, and all that may be wrong with it, is left to
// `request-reader.ts`, which reads every request, and has the words for what it refuses. What is found here, both read alike.
//
// Owns: what was found last.
// Does not own: the bytes, how far ahead a schedule may be due (ScheduleKind).
import { type ByteWriter, decimalIn, type DurationMs, type Millis, utf8Of } from '@flatline/base';
import {
  DELAY_HEADER,
  DUE_AT_HEADER,
  OWN_HEADERS,
  SCHEDULE_ID_HEADER,
  SCHEDULE_ID_LENGTH_MAX,
} from '@flatline/ports/formats';
import type { KeyGroup } from '@flatline/ports';
import { HeaderWalk } from './header-walk.ts';

const OWN = utf8Of(OWN_HEADERS);
const DUE_AT = utf8Of(DUE_AT_HEADER);
const DELAY = utf8Of(DELAY_HEADER);
const ID = utf8Of(SCHEDULE_ID_HEADER);
/** Most headers whose number takes one byte. */
const HEADERS_MAX = 0x7f;
const NOT_SAID = -1;

export class PlainRequest {
  /** Where its name lies; of length 0 where it has none. */
  idStart = 0;
  idLength = 0;
  /** Bytes of its message, as `messageOf` has it. */
  messageLength = 0;
  readonly #walk = new HeaderWalk();
  #dueAt: Millis = NOT_SAID;
  #delayMs: DurationMs = NOT_SAID;
  #foreign = 0;

  /** True if the record at `index` is one: it is what was found last. */
  find(bytes: Uint8Array, { headersStarts, headersEnds, valueLengths }: KeyGroup, index: number): boolean {
    const valueLength = valueLengths[index]!;
    const walk = this.#walk;
    const count = walk.begin(bytes, headersStarts[index]!, headersEnds[index]!);
    if (valueLength < 0 || count > HEADERS_MAX) return false;
    this.idLength = 0;
    this.#dueAt = NOT_SAID;
    this.#delayMs = NOT_SAID;
    this.#foreign = 0;
    this.messageLength = 1 + valueLength;
    for (let left = count; left > 0; left -= 1) if (!walk.next(bytes) || !this.#takes(bytes)) return false;
    return this.#dueAt !== NOT_SAID || this.#delayMs !== NOT_SAID;
  }

  /** When it is due, asked for at `clock`. */
  dueAt(clock: Millis): Millis {
    return this.#dueAt === NOT_SAID ? clock + this.#delayMs : this.#dueAt;
  }

  /** Writes its message as `messageOf` does. Arguments: those of `find`. */
  writeMessage(bytes: Uint8Array, group: KeyGroup, index: number, out: ByteWriter): void {
    out.u8(this.#foreign);
    if (this.#foreign > 0) this.#writeForeign(bytes, group, index, out);
    out.raw(bytes, group.valueStarts[index], group.valueLengths[index]);
  }

  #writeForeign(bytes: Uint8Array, { headersStarts, headersEnds }: KeyGroup, index: number, out: ByteWriter): void {
    const walk = this.#walk;
    const count = walk.begin(bytes, headersStarts[index]!, headersEnds[index]!);
    for (let left = count; left > 0; left -= 1) {
      walk.next(bytes);
      const { name, nameLength, value, valueLength } = walk;
      if (isOwn(bytes, name, nameLength)) continue;
      out.block(bytes, name, nameLength);
      out.varint(valueLength + 1);
      if (valueLength > 0) out.raw(bytes, value, valueLength);
    }
  }

  /** Looks at the header that the walk stands on. False: a request with such a header is not plain. */
  #takes(bytes: Uint8Array): boolean {
    const { name, nameLength, valueLength } = this.#walk;
    if (isOwn(bytes, name, nameLength)) return this.#takesOwn(bytes, name, nameLength);
    // A name that is no UTF-8 becomes another when it is read as a text.
    if (!isAscii(bytes, name, nameLength)) return false;
    this.#foreign += 1;
    this.messageLength +=
      varintBytes(nameLength) + nameLength + varintBytes(valueLength + 1) + Math.max(0, valueLength);
    return true;
  }

  #takesOwn(bytes: Uint8Array, name: number, nameLength: number): boolean {
    if (isNamed(DUE_AT, bytes, name, nameLength)) return (this.#dueAt = this.#numberIn(bytes)) !== NOT_SAID;
    if (isNamed(ID, bytes, name, nameLength)) return this.#takesId(bytes);
    if (isNamed(DELAY, bytes, name, nameLength)) return (this.#delayMs = this.#numberIn(bytes)) !== NOT_SAID;
    return false;
  }

  #takesId(bytes: Uint8Array): boolean {
    const { value, valueLength } = this.#walk;
    if (this.idLength > 0 || valueLength <= 0 || valueLength > SCHEDULE_ID_LENGTH_MAX) return false;
    this.idStart = value;
    this.idLength = valueLength;
    // Elsewhere than in ASCII it has other lengths in bytes and in characters.
    return isAscii(bytes, value, valueLength);
  }

  /** NOT_SAID: it is none, or not in digits, or another instant was said before. */
  #numberIn(bytes: Uint8Array): number {
    if (this.#dueAt !== NOT_SAID || this.#delayMs !== NOT_SAID) return NOT_SAID;
    const { value, valueLength } = this.#walk;
    return decimalIn(bytes, value, value + valueLength) ?? NOT_SAID;
  }
}

function isOwn(bytes: Uint8Array, start: number, length: number): boolean {
  return length >= OWN.length && isNamed(OWN, bytes, start, OWN.length);
}

function isNamed(wanted: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (length !== wanted.length) return false;
  for (let i = 0; i < length; i += 1) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}

function isAscii(bytes: Uint8Array, start: number, length: number): boolean {
  for (let i = start; i < start + length; i += 1) if (bytes[i]! >= 0x80) return false;
  return true;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) bytes += 1;
  return bytes;
}
