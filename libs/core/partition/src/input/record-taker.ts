// Records one after the other, as a step takes them: each applied, refused, or left to be taken again.
//
// Owns: the position in the input, the cursor looked ahead with.
// Does not own: runs (RunTaker), time (InputTime), what is due (Expiry), dead letters (NextCommit).
import { isConsequence, type Millis, type Mutable } from '@flatline/base';
import { PROCESSING_FAILED, type Refusal } from '@flatline/kinds';
import type { DeadLetterReason, RecordCursor } from '@flatline/ports';
import { type InputPosition, NO_BATCH } from '../changelog/block-format.ts';
import type { TaskCounters } from '../live/counters.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { fullness, type StateLimits } from '../entries/state-limits.ts';
import type { Expiry } from '../live/expiry.ts';
import type { InputTime } from './input-time.ts';
import type { NextCommit } from '../commit/next-commit.ts';
import { classifyStamp, type InputRules } from './record-class.ts';
import { RecordFailed } from './record-failed.ts';
import type { RunTaker } from './run-taker.ts';
import type { StepOutcome } from '../task-contract.ts';

const EXHAUSTED: StepOutcome = { kind: 'exhausted' };
const LIMIT: StepOutcome = { kind: 'limit' };
const FULL: StepOutcome = { kind: 'full' };
const DUE: StepOutcome = { kind: 'due' };

export interface RecordTakerParts {
  readonly rules: InputRules;
  /** PipelineKind.settlesFirst */
  readonly settlesFirst: boolean;
  readonly state: StateLimits;
  readonly table: EntryTable;
  readonly counters: TaskCounters;
  readonly time: InputTime;
  readonly expiry: Expiry;
  readonly commit: NextCommit;
  readonly runs: RunTaker;
}

export class RecordTaker {
  readonly #parts: RecordTakerParts;
  readonly #rules: InputRules;
  readonly #table: EntryTable;
  readonly #counters: TaskCounters;
  readonly #time: InputTime;
  readonly #commit: NextCommit;
  readonly #runs: RunTaker;
  readonly #input: Mutable<InputPosition> = {
    position: 0,
    checksum: 0,
    leaderEpoch: NO_BATCH,
    batchTimestamp: 0,
    live: false,
    origin: 0,
  };
  /** The record the cursor stands on has been looked at but not applied. */
  #again = false;
  #lookedAt: RecordCursor | undefined;

  constructor(parts: RecordTakerParts) {
    this.#parts = parts;
    this.#rules = parts.rules;
    this.#table = parts.table;
    this.#counters = parts.counters;
    this.#time = parts.time;
    this.#commit = parts.commit;
    this.#runs = parts.runs;
  }

  resume(input: InputPosition): void {
    Object.assign(this.#input, input);
  }

  /** A copy. */
  get input(): InputPosition {
    return { ...this.#input };
  }

  get position(): number {
    return this.#input.position;
  }

  restartReading(): void {
    this.#again = false;
  }

  /** @throws RecordFailed; what the cursor throws. */
  step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    try {
      return this.#step(cursor, limit, wallNow);
    } catch (error) {
      const offset = this.#runs.takenOffset ?? cursor.offset;
      throw isConsequence(error) || offset < this.#input.position ? error : new RecordFailed(offset, error);
    }
  }

  /**
   * Takes records. Asks before each group, of 32 records at most, whether the commit is full; its bytes are weighed with each
   * record.
   */
  #step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    for (let left = limit; left > 0;) {
      if (this.#commit.isFull) return FULL;
      if (!this.#again && !cursor.next()) return this.#exhausted(cursor);
      if (cursor.groupIndex === 0 || cursor !== this.#lookedAt) this.#lookAhead(cursor);
      const first = cursor.groupIndex;
      const stop = this.#take(cursor, left, wallNow);
      this.#again = stop !== undefined;
      if (stop !== undefined) return stop;
      const taken = cursor.groupIndex - first + 1;
      left -= taken;
      this.#counters.recordsRead += taken;
      this.#passed(cursor, cursor.position);
    }
    return LIMIT;
  }

  #exhausted(cursor: RecordCursor): StepOutcome {
    this.#passed(cursor, cursor.position);
    this.#lookedAt = undefined;
    this.#table.releaseBytes();
    return EXHAUSTED;
  }

  /** Also for a cursor that comes here in the middle of a group: only what was looked at may be found that way. */
  #lookAhead(cursor: RecordCursor): void {
    this.#lookedAt = cursor;
    this.#table.lookAhead(cursor.bytes, cursor.group);
  }

  /** Takes the record the cursor stands on, and up to `limit` with it from its group; moves the cursor to the last of them. */
  #take(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome | undefined {
    const rules = this.#rules;
    const { timestamp } = cursor;
    const stamp = classifyStamp(cursor, rules, wallNow);
    if (stamp === 'future') return { kind: 'futureStamp', timestamp, offset: cursor.offset };
    if (stamp === 'wrongTimestampType') return this.#time.otherType(cursor.offset);
    if (stamp === 'bad-timestamp') {
      this.#refuse(cursor, stamp, `timestamp ${timestamp} while the present is ${wallNow}`);
      return undefined;
    }
    const lead = rules.timestampType === 'CreateTime' ? wallNow + rules.maxLeadMs : Infinity;
    const evidence = Math.min(timestamp, lead);
    if (this.#leavesDue(evidence)) return DUE;
    this.#time.advance(evidence, this.#again);
    if (this.#parts.settlesFirst && !this.#parts.expiry.isSettled()) return DUE;
    this.#input.live = wallNow - timestamp <= rules.liveWithinMs;
    if (cursor.unreadable === undefined) return this.#takeRun(cursor, limit);
    this.#refuse(cursor, cursor.unreadable.reason, cursor.unreadable.detail);
    return undefined;
  }

  /**
   * True if time would be held for what is due and not closed yet: that is no longer a live session, and where two holds are
   * joined its own instants would move (C5).
   */
  #leavesDue(evidence: Millis): boolean {
    return this.#time.watchesStamps && this.#time.holds(evidence) && !this.#parts.expiry.isSettled();
  }

  #takeRun(cursor: RecordCursor, limit: number): StepOutcome | undefined {
    const why = this.#runs.take(cursor, limit);
    if (!cursor.logAppendTime) this.#parts.expiry.noteArrivals();
    return why === undefined ? undefined : this.#refused(cursor, why);
  }

  /** The record the cursor stands on. */
  #refused(cursor: RecordCursor, why: Refusal): StepOutcome | undefined {
    if (why.kind === 'unknownSchema') return why;
    if (why.kind === 'owing') return this.#sayOwed();
    if (why.kind === 'noRoom') return this.#refuseFull(cursor);
    this.#refuse(cursor, why.reason, why.detail);
    return undefined;
  }

  /** The record is taken again: at once, or once there is room for what comes before it. */
  #sayOwed(): StepOutcome {
    if (this.#parts.expiry.sayOwed()) return LIMIT;
    this.#commit.await();
    return FULL;
  }

  /** I7. What is due at the clock, or owed, takes no room, ended or not: it takes effect and is said first, all of it (C5). */
  #refuseFull(cursor: RecordCursor): StepOutcome | undefined {
    if (!this.#parts.expiry.demandAll()) return DUE;
    if (this.#parts.expiry.hasOwed) return this.#sayOwed();
    this.#counters.stateFull += 1;
    this.#refuse(cursor, 'state-full', fullness(this.#table, this.#parts.state));
    return undefined;
  }

  #refuse(cursor: RecordCursor, reason: DeadLetterReason, detail: string): void {
    this.#counters.deadLetters += 1;
    if (reason === PROCESSING_FAILED) this.#counters.failedRecords += 1;
    this.#commit.addDeadLetter(cursor, reason, detail);
  }

  /** Notes how far the input is applied, and by which batch to recognise the place (R3). */
  #passed(cursor: RecordCursor, position: number): void {
    const input = this.#input;
    if (position === input.position) return;
    input.position = position;
    input.checksum = cursor.batchChecksum;
    input.leaderEpoch = cursor.batchLeaderEpoch;
    input.batchTimestamp = cursor.batchTimestamp;
  }
}
