// Makes plain runs: the only schedule of a key has come due, runs once and is over. What it says goes from the state's bytes to where
// the record goes out from, with the outcome that `ScheduleKind` has for it by way of a schedule, its headers and an output.
//
// Owns: nothing that outlives a call.
// Does not own: schedules that recur, expire, are paused, or have others beside them: they are left to ScheduleKind.
import { type Millis, utf8Of } from '@flatline/base';
import { framesOf, headerFrame, nameFrame, type RecordSink } from '@flatline/ports';
import { DUE_AT_HEADER, LAST_HEADER, RUN_HEADER, SCHEDULE_HEADER, SCHEDULE_ID_HEADER } from '@flatline/ports/formats';
import type { Effects } from '../contract.ts';
import type { BytesSpan } from '../state-bytes.ts';

const DUE_AT = nameFrame(DUE_AT_HEADER);
const SCHEDULE = nameFrame(SCHEDULE_HEADER);
const SCHEDULE_ID = nameFrame(SCHEDULE_ID_HEADER);
const FIRST_AND_LAST = framesOf(headerFrame(RUN_HEADER, utf8Of('1')), headerFrame(LAST_HEADER, utf8Of('true')));
const NOTHING = new Uint8Array(0);
/** Bytes of the headers that each run has: their names, and digits. */
const OWN_BYTES = 256;
/** A run has four, and one more where its schedule has an id. */
const OWN_HEADERS = 4;
/** Runs, missed, made up, flags: a byte of zero each. */
const ZEROS = 4;

export class PlainRuns {
  /** Before the offset in the name of a schedule. */
  readonly #prefix: Uint8Array;
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  #end = 0;

  constructor(partition: number) {
    this.#prefix = utf8Of(`${partition}-`);
  }

  /** Makes the run of an entry with this state. False: it is none that is plain and due, and nothing was said. */
  make({ bytes, start, length }: BytesSpan, at: Millis, effects: Effects): boolean {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = start + length;
    // A missing number is NaN, of which no comparison holds.
    const end = this.#varint() + this.#at;
    if (end !== this.#end) return false;
    const idLength = this.#varint();
    const idStart = this.#at;
    this.#at += idLength;
    const offset = this.#varint();
    const dueAt = this.#varint();
    if (!(dueAt <= at) || !this.#skipsZeros()) return false;
    const foreign = this.#varint();
    const foreignStart = this.#at;
    for (let left = foreign; left > 0 && this.#at <= end; left -= 1) this.#skipHeader();
    const valueStart = this.#at;
    if (!(foreign >= 0 && valueStart <= end)) return false;
    const own = idLength === 0 ? OWN_HEADERS : OWN_HEADERS + 1;
    const sink = effects.record(length + OWN_BYTES, foreign + own);
    sink.part(bytes, valueStart, end - valueStart);
    sink.headers(foreign + own);
    this.#at = foreignStart;
    for (let left = foreign; left > 0; left -= 1) this.#sayHeader(sink);
    sink.framed(DUE_AT);
    sink.digits(dueAt, NOTHING);
    sink.framed(SCHEDULE);
    sink.digits(offset, this.#prefix);
    if (idLength > 0) {
      sink.framed(SCHEDULE_ID);
      sink.part(bytes, idStart, idLength);
    }
    sink.framed(FIRST_AND_LAST);
    effects.recorded();
    return true;
  }

  /** True where it has not run yet, has nothing to make up for, and says nothing else of itself. */
  #skipsZeros(): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    this.#at = at + ZEROS;
    for (let i = 0; i < ZEROS; i += 1) if (bytes[at + i] !== 0) return false;
    return true;
  }

  #skipHeader(): void {
    const nameLength = this.#varint();
    this.#at += nameLength;
    const valueLength = this.#varint();
    this.#at += Math.max(0, valueLength - 1);
  }

  #sayHeader(sink: RecordSink): void {
    const nameLength = this.#varint();
    sink.part(this.#bytes, this.#at, nameLength);
    this.#at += nameLength;
    const valueLength = this.#varint() - 1;
    if (valueLength < 0) {
      sink.none();
      return;
    }
    sink.part(this.#bytes, this.#at, valueLength);
    this.#at += valueLength;
  }

  /** NaN beyond the end. */
  #varint(): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let scale = 1; this.#at < this.#end; scale *= 128) {
      const byte = bytes[this.#at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    return NaN;
  }
}
