// Records one after the other, as a step takes them: each applied, refused, or left to be taken again.
//
// Owns: the position in the input, the cursor looked ahead with, which records of a group the kind is shown at once.
// Does not own: time (InputTime), what is due (Expiry), entries (LiveEntries), what becomes of the others (RefusedRecords, its part).
import { type DurationHistogram, isConsequence, type Millis, type Mutable } from '@flatline/base';
import { firstPlaceOf, type GroupRecords, offsetAt, type Refusal } from '@flatline/kinds';
import type { KeyGroup, RecordCursor } from '@flatline/ports';
import { type InputPosition, NO_BATCH } from '../changelog/block-format.ts';
import type { TaskCounters } from '../live/counters.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { hasRoomFor, type StateLimits } from '../entries/state-limits.ts';
import type { Expiry } from '../live/expiry.ts';
import type { LiveEntries } from '../live/live-entries.ts';
import type { PartitionClock } from '../live/partition-clock.ts';
import type { InputTime } from './input-time.ts';
import type { NextCommit } from '../commit/next-commit.ts';
import { latenessHistogram } from './lateness.ts';
import { classifyStamp, type InputRules } from './record-class.ts';
import { RecordFailed } from './record-failed.ts';
import { RefusedRecords } from './refused-records.ts';
import type { StepOutcome } from '../task-contract.ts';

const EXHAUSTED: StepOutcome = { kind: 'exhausted' };
const LIMIT: StepOutcome = { kind: 'limit' };
const FULL: StepOutcome = { kind: 'full' };
const DUE: StepOutcome = { kind: 'due' };

/** Upper bounds on the state that records need: for each byte, and for what none of them says. */
const STATE_PER_BYTE_MAX = 16;
const STATE_PER_RECORD_MAX = 1_024;

export interface RecordTakerParts {
  /** The input, counted from 0. */
  readonly number: number;
  readonly rules: InputRules;
  readonly state: StateLimits;
  /** PipelineKind.dueGrowthMax */
  readonly dueGrowthMax: number;
  readonly table: EntryTable;
  readonly counters: TaskCounters;
  readonly clock: PartitionClock;
  readonly time: InputTime;
  readonly expiry: Expiry;
  readonly commit: NextCommit;
  readonly entries: LiveEntries;
}

export class RecordTaker {
  readonly #parts: RecordTakerParts;
  readonly #rules: InputRules;
  readonly #table: EntryTable;
  readonly #counters: TaskCounters;
  readonly #time: InputTime;
  readonly #commit: NextCommit;
  readonly #entries: LiveEntries;
  readonly #refused: RefusedRecords;
  readonly #maxKeyBytes: number;
  readonly #firstPlace: number;
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
  /** The kind is taking records, or has thrown while it did: only then do they tell which one. */
  #isTaking = false;
  /** undefined: the broker stamps records, in their order. */
  readonly lateness: DurationHistogram | undefined;

  constructor(parts: RecordTakerParts) {
    this.#parts = parts;
    this.#rules = parts.rules;
    this.lateness = parts.rules.timestampType === 'CreateTime' ? latenessHistogram() : undefined;
    this.#table = parts.table;
    this.#counters = parts.counters;
    this.#time = parts.time;
    this.#commit = parts.commit;
    this.#entries = parts.entries;
    this.#refused = new RefusedRecords({ ...parts, maxKeyBytes: parts.rules.maxKeyBytes });
    this.#maxKeyBytes = parts.rules.maxKeyBytes;
    this.#firstPlace = firstPlaceOf(parts.number);
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

  /** As PartitionTask. */
  allowFormerType(offset: number): void {
    this.#time.allowFormerType(offset);
  }

  /** As PartitionTask. */
  refuseAt(offset: number, why: string): void {
    this.#refused.refuseAt(offset, why);
  }

  restartReading(): void {
    this.#again = false;
  }

  /** The record that the cursor stands on is still to be taken. */
  get isHolding(): boolean {
    return this.#again;
  }

  /** Says that another input's cursor was looked ahead with. */
  lookAgain(): void {
    this.#lookedAt = undefined;
  }

  /** Has the cursor stand on the record that comes next; false: it is used up. */
  look(cursor: RecordCursor): boolean {
    if (!this.#again && !cursor.next()) {
      this.#exhausted(cursor);
      return false;
    }
    this.#again = true;
    return true;
  }

  /** True if the record that the cursor stands on has a stamp that the broker cannot have given yet (C6). */
  isFuture(cursor: RecordCursor, wallNow: Millis): boolean {
    return classifyStamp(cursor, this.#rules, wallNow) === 'future';
  }

  /** Returns the effect of the record that the cursor stands on upon the clock of its input: 0 where it has none. */
  stampOf(cursor: RecordCursor, wallNow: Millis): Millis {
    const rules = this.#rules;
    const stamp = classifyStamp(cursor, rules, wallNow);
    return stamp === 'sound' || stamp === 'future' ? evidenceOf(cursor.timestamp, rules, wallNow) : 0;
  }

  /** @throws RecordFailed; what the cursor throws. */
  step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    try {
      return this.#step(cursor, limit, wallNow);
    } catch (error) {
      const offset = this.#takenOffset ?? cursor.offset;
      if (isConsequence(error) || offset < this.#input.position) throw error;
      throw new RecordFailed(offset, error, this.#parts.number);
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
      this.#refused.refuse(cursor, stamp, `timestamp ${timestamp} while the present is ${wallNow}`);
      return undefined;
    }
    const evidence = evidenceOf(timestamp, rules, wallNow);
    if (this.#leavesDue(evidence)) return DUE;
    this.#time.advance(evidence, this.#again);
    if (!this.#parts.expiry.isFirstDone()) return DUE;
    if (this.#mayLackRoom(cursor) && !this.#parts.expiry.isDone()) return DUE;
    if (this.#entries.mustPass) return DUE;
    this.#input.live = wallNow - timestamp <= rules.liveWithinMs;
    if (cursor.unreadable === undefined) return this.#takeGroup(cursor, limit);
    this.#refused.refuse(cursor, cursor.unreadable.reason, cursor.unreadable.detail);
    return undefined;
  }

  /** True if it may depend on what is due whether there is room for the record. */
  #mayLackRoom({ bytes }: RecordCursor): boolean {
    const { dueGrowthMax, table, state } = this.#parts;
    if (dueGrowthMax === 0) return false;
    const atMost = table.size * dueGrowthMax + STATE_PER_BYTE_MAX * bytes.length + STATE_PER_RECORD_MAX;
    return !hasRoomFor(table, state, atMost);
  }

  /**
   * True if time would be held for what is due and not closed yet: that is no longer a live session, and where two holds are
   * joined its own instants would move (C5).
   */
  #leavesDue(evidence: Millis): boolean {
    return this.#time.watchesStamps && this.#time.holds(evidence) && !this.#parts.expiry.isDone();
  }

  #noteArrival(cursor: RecordCursor, why: Refusal | undefined): void {
    this.#parts.expiry.noteArrivals();
    // A record that is taken again counts then, and a clock record is no event.
    const isOver = why === undefined || why.kind === 'bad';
    if (isOver && cursor.keyLength >= 0) this.lateness?.add(this.#parts.clock.now - cursor.timestamp);
  }

  /** A record that is not taken ends what the kind is shown, and is refused when it comes first in the next. */
  #takeGroup(cursor: RecordCursor, limit: number): StepOutcome | undefined {
    const first = cursor.groupIndex;
    const records = this.#show(cursor, limit);
    const why = records.end > first ? this.#takeShown() : this.#refused.unfit(cursor);
    if (!cursor.logAppendTime) this.#noteArrival(cursor, why);
    if (why !== undefined && records.index === first) return this.#refused.outcome(cursor, why);
    const more = records.index - 1 - first;
    if (more > 0) cursor.skip(more);
    return undefined;
  }

  #takeShown(): Refusal | undefined {
    this.#isTaking = true;
    const why = this.#entries.take();
    this.#isTaking = false;
    return why;
  }

  /** From the record that the cursor stands on, up to the first that is kept from the kind. */
  #show(cursor: RecordCursor, limit: number): Readonly<GroupRecords> {
    const { bytes, group, groupIndex: first, timestamp, logAppendTime } = cursor;
    const { shown, clock } = this.#entries;
    shown.bytes = bytes;
    shown.group = group;
    shown.headers = cursor;
    shown.index = first;
    const baseOffset = cursor.offset - group.offsetDeltas[first]!;
    shown.input = this.#parts.number;
    shown.baseOffset = this.#firstPlace + baseOffset;
    shown.timestamp = timestamp;
    shown.effectiveAt = logAppendTime ? clock : timestamp;
    // Where the broker stamps, a batch has one timestamp: what it says and does to the clock is known from the first record.
    const end = logAppendTime && timestamp === clock ? Math.min(group.count, first + limit) : first + 1;
    shown.end = this.#fitEnd(group, first, end, baseOffset);
    return shown;
  }

  /** The index of the first record that is unfit, or `end`. */
  #fitEnd({ lengths, offsetDeltas }: KeyGroup, first: number, end: number, baseOffset: number): number {
    const maxKeyBytes = this.#maxKeyBytes;
    const refused = this.#refused.beforehand;
    for (let index = first; index < end; index += 1) {
      const length = lengths[index]!;
      if (length < 0 || length > maxKeyBytes) return index;
      if (refused.size > 0 && refused.has(baseOffset + offsetDeltas[index]!)) return index;
    }
    return end;
  }

  /** The offset of the record that the kind is taking, which the cursor has not moved to yet. */
  get #takenOffset(): number | undefined {
    if (!this.#isTaking) return undefined;
    const { index, baseOffset, group } = this.#entries.shown;
    return offsetAt(baseOffset + group.offsetDeltas[index]!);
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

/** C6: on CreateTime no record moves the clock far beyond the present. */
function evidenceOf(timestamp: Millis, rules: InputRules, wallNow: Millis): Millis {
  return rules.timestampType === 'CreateTime' ? Math.min(timestamp, wallNow + rules.maxLeadMs) : timestamp;
}
