// Runs of records, out of the group that a cursor stands in, to the kind.
//
// Owns: which records are refused beforehand, whether the kind is taking.
// Does not own: entries, the position.
import { PROCESSING_FAILED, type Refusal, type Run } from '@flatline/kinds';
import type { KeyGroup, RecordCursor } from '@flatline/ports';
import type { TaskCounters } from '../live/counters.ts';
import type { LiveEntries } from '../live/live-entries.ts';
import { isClockRecord } from './record-class.ts';

export interface RunTakerParts {
  readonly maxKeyBytes: number;
  readonly entries: LiveEntries;
  readonly counters: TaskCounters;
}

export class RunTaker {
  readonly #parts: RunTakerParts;
  readonly #entries: LiveEntries;
  readonly #maxKeyBytes: number;
  /** Offsets of records that are not applied, with why. */
  readonly #refusedAt = new Map<number, string>();
  /** The kind is taking records, or has thrown while it did: only then does the run tell which record. */
  #isTaking = false;

  constructor(parts: RunTakerParts) {
    this.#parts = parts;
    this.#entries = parts.entries;
    this.#maxKeyBytes = parts.maxKeyBytes;
  }

  refuseAt(offset: number, why: string): void {
    this.#refusedAt.set(offset, why);
  }

  /** The offset of the record that the kind is taking, which the cursor has not moved to yet. */
  get takenOffset(): number | undefined {
    if (!this.#isTaking) return undefined;
    const { index, baseOffset, group } = this.#entries.run;
    return baseOffset + group.offsetDeltas[index]!;
  }

  /**
   * Takes the record the cursor stands on, and up to `limit` with it from its group; moves the cursor to the last of them. A
   * record that is not taken ends the run, and is refused when it comes first in the next.
   */
  take(cursor: RecordCursor, limit: number): Refusal | undefined {
    const first = cursor.groupIndex;
    const run = this.#runOf(cursor, limit);
    const why = run.end > first ? this.#takeRun() : this.#unfit(cursor);
    if (why !== undefined && run.index === first) return why;
    const more = run.index - 1 - first;
    if (more > 0) cursor.skip(more);
    return undefined;
  }

  #takeRun(): Refusal | undefined {
    this.#isTaking = true;
    const why = this.#entries.take();
    this.#isTaking = false;
    return why;
  }

  /** From the record that the cursor stands on, up to the first that is kept from the kind. */
  #runOf(cursor: RecordCursor, limit: number): Readonly<Run> {
    const { bytes, group, groupIndex: first, timestamp, logAppendTime } = cursor;
    const { run, clock } = this.#entries;
    run.bytes = bytes;
    run.group = group;
    run.headers = cursor;
    run.index = first;
    run.baseOffset = cursor.offset - group.offsetDeltas[first]!;
    run.timestamp = timestamp;
    run.effectiveAt = logAppendTime ? clock : timestamp;
    // Where the broker stamps, a batch has one timestamp: what it says and does to the clock is known from the first record.
    const end = logAppendTime && timestamp === clock ? Math.min(group.count, first + limit) : first + 1;
    run.end = this.#fitEnd(group, first, end, run.baseOffset);
    return run;
  }

  /** The index of the first record that is unfit, or `end`. */
  #fitEnd({ lengths, offsetDeltas }: KeyGroup, first: number, end: number, baseOffset: number): number {
    const maxKeyBytes = this.#maxKeyBytes;
    const refused = this.#refusedAt;
    for (let index = first; index < end; index += 1) {
      const length = lengths[index]!;
      if (length < 0 || length > maxKeyBytes) return index;
      if (refused.size > 0 && refused.has(baseOffset + offsetDeltas[index]!)) return index;
    }
    return end;
  }

  /** Why the record that the cursor stands on is kept from the kind; undefined: it is a clock record. */
  #unfit(cursor: RecordCursor): Refusal | undefined {
    const { keyLength, offset } = cursor;
    const maxKeyBytes = this.#maxKeyBytes;
    if (keyLength > maxKeyBytes) {
      const detail = `key of ${keyLength} bytes, maxKeyBytes is ${maxKeyBytes}`;
      return { kind: 'bad', reason: 'key-too-long', detail };
    }
    if (keyLength >= 0) {
      // Everything due for its key takes effect, whether the record is taken or not (S3).
      this.#entries.find(cursor.groupIndex);
      return { kind: 'bad', reason: PROCESSING_FAILED, detail: this.#refusedAt.get(offset)! };
    }
    if (!isClockRecord(cursor)) return { kind: 'bad', reason: 'null-key', detail: 'an event needs a key' };
    this.#parts.counters.clockRecords += 1;
    return undefined;
  }
}
