// Records that are not applied: kept from the kind, or turned down by it. None of this is in a heartbeat's way.
//
// Owns: which records are refused beforehand.
// Does not own: which record comes next (RecordTaker), the letters (NextCommit), what is due or owed (Expiry).
import { asksEviction, firstPlaceOf, PROCESSING_FAILED, readEviction, type Refusal } from '@flatline/kinds';
import type { DeadLetterReason, RecordCursor } from '@flatline/ports';
import type { NextCommit } from '../commit/next-commit.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { fullness, type StateLimits } from '../entries/state-limits.ts';
import type { TaskCounters } from '../live/counters.ts';
import type { Expiry } from '../live/expiry.ts';
import type { LiveEntries } from '../live/live-entries.ts';
import { isClockRecord } from './record-class.ts';
import type { StepOutcome } from '../task-contract.ts';

const LIMIT: StepOutcome = { kind: 'limit' };
const FULL: StepOutcome = { kind: 'full' };
const DUE: StepOutcome = { kind: 'due' };

export interface RefusedRecordsParts {
  /** The input, counted from 0. */
  readonly number: number;
  readonly maxKeyBytes: number;
  readonly state: StateLimits;
  readonly table: EntryTable;
  readonly counters: TaskCounters;
  readonly entries: LiveEntries;
  readonly expiry: Expiry;
  readonly commit: NextCommit;
}

export class RefusedRecords {
  readonly #parts: RefusedRecordsParts;
  readonly #refusedAt = new Map<number, string>();

  constructor(parts: RefusedRecordsParts) {
    this.#parts = parts;
  }

  /** Offsets of records that are not applied, with why. */
  get beforehand(): ReadonlyMap<number, string> {
    return this.#refusedAt;
  }

  refuseAt(offset: number, why: string): void {
    this.#refusedAt.set(offset, why);
  }

  /** Why the record that the cursor stands on is kept from the kind; undefined: it is a clock record, or an eviction, which is taken. */
  unfit(cursor: RecordCursor): Refusal | undefined {
    const { keyLength, offset } = cursor;
    const { maxKeyBytes, entries, counters } = this.#parts;
    if (keyLength > maxKeyBytes) {
      const detail = `key of ${keyLength} bytes, maxKeyBytes is ${maxKeyBytes}`;
      return { kind: 'bad', reason: 'key-too-long', detail };
    }
    if (keyLength >= 0) {
      // Everything due for its key takes effect, whether the record is taken or not (S3).
      entries.find(cursor.groupIndex);
      return { kind: 'bad', reason: PROCESSING_FAILED, detail: this.#refusedAt.get(offset)! };
    }
    if (cursor.hasHeaders && asksEviction(cursor.headers())) return this.#evict(cursor);
    if (!isClockRecord(cursor)) return { kind: 'bad', reason: 'null-key', detail: 'an event needs a key' };
    counters.clockRecords += 1;
    return undefined;
  }

  /** Q4 */
  #evict({ bytes, valueStart: start, valueLength: length, offset }: RecordCursor): Refusal | undefined {
    const { entries, number } = this.#parts;
    if (!entries.mayEvict) {
      const detail = 'EVICT is of leases, and of sessions of one input: other entries have no attributes of theirs';
      return { kind: 'bad', reason: 'invalid-command', detail };
    }
    const asked = readEviction(bytes, { start, length, place: firstPlaceOf(number) + offset, at: entries.clock });
    if ('kind' in asked) return asked;
    return entries.evict(asked) ? undefined : { kind: 'due' };
  }

  /** How the step ends at the record that the cursor stands on; undefined: it is done with, and the step goes on. */
  outcome(cursor: RecordCursor, why: Refusal): StepOutcome | undefined {
    if (why.kind === 'unknownSchema') return why;
    if (why.kind === 'owing') return this.#sayOwed();
    if (why.kind === 'due') return this.#parts.expiry.demandAll() ? LIMIT : DUE;
    if (why.kind === 'noRoom') return this.#refuseFull(cursor);
    this.refuse(cursor, why.reason, why.detail);
    return undefined;
  }

  refuse(cursor: RecordCursor, reason: DeadLetterReason, detail: string): void {
    const { counters, commit, number } = this.#parts;
    counters.deadLetters += 1;
    if (reason === PROCESSING_FAILED) counters.failedRecords += 1;
    commit.addDeadLetter(cursor, reason, detail, number);
  }

  /** The record is taken again: at once, or once there is room for what comes before it. */
  #sayOwed(): StepOutcome {
    if (this.#parts.expiry.sayOwed()) return LIMIT;
    this.#parts.commit.await();
    return FULL;
  }

  /** I7. What is due at the clock, or owed, takes no room, ended or not: it takes effect and is said first, all of it (C5). */
  #refuseFull(cursor: RecordCursor): StepOutcome | undefined {
    const { expiry, counters, table, state } = this.#parts;
    if (!expiry.demandAll()) return DUE;
    if (expiry.hasOwed) return this.#sayOwed();
    counters.stateFull += 1;
    this.refuse(cursor, 'state-full', fullness(table, state));
    return undefined;
  }
}
