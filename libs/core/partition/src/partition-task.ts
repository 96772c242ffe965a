// One partition's state machine: records in, changes and outputs out. Synchronous, and handed every time it needs.
//
// Owns: the partition clock, the position in the input, dead letters not yet cut.
// Does not own: entries (LiveEntries), what they mean (the kind), outputs (OutputBox), the changelog's dirty state (Changelog),
// reading, sending, the local store, when a commit is cut (the runtime).
//
// Invariants
//   PT1  Before a record is applied, what is due for its key takes effect as of its due instant (S3); other keys' expiries
//        may be drained later, in slices, without changing what comes out (C5).
//   PT2  Everything since the last cut — changes, outputs, dead letters, position — goes into the next cut together (O1).
//   PT3  From the first slice of a cut to the last nothing is stepped or expired: what it holds is the state at one position.
import { assert, type DurationMs, isConsequence, type Millis } from '@flatline/base';
import {
  type EntryWindow,
  type HeldState,
  HeldTime,
  type HeldTimeRules,
  type Kind,
  PROCESSING_FAILED,
  type Refusal,
  type Run,
} from '@flatline/kinds';
import type { KeyGroup, RecordCursor } from '@flatline/ports';
import { type InputPosition, NO_BATCH } from './changelog/block-format.ts';
import { Changelog, type CutContext } from './changelog/changelog.ts';
import { CheckpointQueue } from './checkpoint/checkpoint-queue.ts';
import { type TaskCounters, zeroCounters } from './counters.ts';
import { DeadLetterBox } from './dead-letter-box.ts';
import { EntryTable } from './entries/entry-table.ts';
import { LiveEntries } from './entries/live-entries.ts';
import { OutputBox } from './output-box.ts';
import { PartitionClock } from './partition-clock.ts';
import { classifyStamp, isClockRecord } from './record-class.ts';
import { RecordFailed } from './record-failed.ts';
import { fillOf } from './entries/state-limits.ts';
import type { StepOutcome, TaskCut, TaskOptions } from './task-contract.ts';
import type { TimerInspection } from './entries/timer-inspection.ts';

const NO_HELD_TIME: HeldTimeRules = { unheardMs: 0, maxHoldMs: 0 };
const NOTHING_HELD_YET: HeldState = { heldMs: 0, holds: [] };

/** Due instants that take effect between two looks at whether the task is full. */
const EXPIRE_BURST = 32;

const EXHAUSTED: StepOutcome = { kind: 'exhausted' };
const LIMIT: StepOutcome = { kind: 'limit' };
const FULL: StepOutcome = { kind: 'full' };
const DUE: StepOutcome = { kind: 'due' };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class PartitionTask {
  readonly counters: TaskCounters;
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly checkpoints: CheckpointQueue;
  readonly clock = new PartitionClock();
  readonly #held: HeldTime;
  readonly #unheardMs: DurationMs;
  /** Greatest evidence other than a record that the clock acts on (C3); 0: none. */
  #observed: Millis = 0;
  /** Whether the stamps of records are looked at beyond what they do to the clock: for C8, for C3. */
  #watchesStamps: boolean;
  readonly #options: TaskOptions;
  readonly #entries: LiveEntries;
  readonly #outputs = new OutputBox();
  readonly #input: Mutable<InputPosition> = {
    position: 0,
    checksum: 0,
    leaderEpoch: NO_BATCH,
    batchTimestamp: 0,
    live: false,
    origin: 0,
  };
  readonly #deadLetters: DeadLetterBox;
  /** Offsets of records that are not applied, with why. */
  readonly #refusedAt = new Map<number, string>();
  /** The record the cursor stands on has been looked at but not applied. */
  #again = false;
  #lookedAt: RecordCursor | undefined;
  /** The kind is taking records, or has thrown while it did: only then does the run tell which record. */
  #isTaking = false;
  /** The clock at which `expire` has last left nothing. */
  #expiredAt: Millis = -Infinity;
  /** Whether `expire` goes on to what is due within the wheel's tick, and the clock at which that has left nothing. */
  #expiresAll = false;
  #expiredAllAt: Millis = -Infinity;
  #cutPosition = 0;
  #cutBytesMax = Infinity;
  /** `pendingBytes` when the cut that is being made was begun. */
  #bytesBeforeCut = 0;
  /** C6: below it, records of the other timestamp type are of former times, as long as the clock has not begun. */
  #formerBelow = 0;

  constructor(options: TaskOptions) {
    this.#options = options;
    this.counters = { ...zeroCounters(), ...options.kind.counters() };
    this.table = new EntryTable(options.hashSeed, options.kind.format);
    this.changelog = new Changelog(this.table, options.changelog, options.blockMemory);
    this.checkpoints = new CheckpointQueue(this.table, options.blockMemory);
    const { partition, kind, tickMs, heldTime = NO_HELD_TIME, deadLetters, state } = options;
    this.#deadLetters = new DeadLetterBox(deadLetters);
    const { table, changelog, counters } = this;
    const held = new HeldTime(heldTime);
    this.#held = held;
    this.#unheardMs = heldTime.unheardMs;
    this.#watchesStamps = heldTime.unheardMs > 0;
    const openKind = (entry: EntryWindow): Kind => kind.open({ partition, held, entry, counters });
    this.#entries = new LiveEntries({ openKind, tickMs, table, changelog, outputs: this.#outputs, state, counters });
  }

  /** Ends restoring: the clock and position are those of the last commit. Nothing is stepped or expired before `arm` is done. */
  resume(clock: Millis, input: InputPosition, held: HeldState = NOTHING_HELD_YET): void {
    this.clock.advance(clock);
    this.#held.restore(held);
    Object.assign(this.#input, input);
    this.#cutPosition = input.position;
    this.#entries.begin(clock);
  }

  /**
   * Says that the input's timestamp type may have been another one below `offset`: such records are read over before the
   * clock has begun (C6). Default: 0, they stop the partition.
   */
  allowFormerType(offset: number): void {
    this.#formerBelow = offset;
  }

  /** Arms a timer for each live entry, looking at up to `limit` places for entries. True once it is done. */
  arm(limit: number): boolean {
    return this.#entries.arm(limit);
  }

  /** Time held since the beginning of the log (C8). */
  get heldMs(): DurationMs {
    return this.#held.heldMs;
  }

  get liveEntries(): number {
    return this.table.size;
  }

  /** How much of what may live here does: 1 is all of it (I7). */
  get stateFill(): number {
    return fillOf(this.table, this.#options.state);
  }

  /** Input position applied through, with the fingerprint of the batch before it. */
  get input(): InputPosition {
    return { ...this.#input };
  }

  /** Whether a commit would say anything new. */
  get hasUncut(): boolean {
    return (
      this.changelog.isCutting ||
      this.#input.position !== this.#cutPosition ||
      this.changelog.pendingChanges > 0 ||
      !this.#outputs.isEmpty
    );
  }

  /** Whether an output waits for a cut. */
  get hasOutputs(): boolean {
    return !this.#outputs.isEmpty;
  }

  /** About how many bytes a commit would have that is cut now, the sweep's share with them. */
  get pendingBytes(): number {
    return this.changelog.pendingBytes + this.#outputBytes;
  }

  get #outputBytes(): number {
    return this.#outputs.bytes + this.#deadLetters.bytes;
  }

  /** Stepping pauses where a commit would have more `pendingBytes` than this; none at first. At least a record goes into each. */
  limitCut(bytes: number): void {
    this.#cutBytesMax = bytes;
  }

  /** Whether so much waits for a cut that stepping and expiring pause, or one is being made. */
  get isFull(): boolean {
    return (
      this.changelog.isCutting ||
      this.pendingBytes >= this.#cutBytesMax ||
      this.changelog.pendingChanges >= this.#options.pendingChangesMax ||
      this.#outputs.count + this.#deadLetters.count >= this.#options.pendingOutputsMax ||
      this.#deadLetters.isFull
    );
  }

  /**
   * Applies up to `limit` records. `wallNow` is broker time as far as this machine knows it (C6).
   * @throws RecordFailed; what the cursor throws.
   */
  step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    assert(this.#entries.isArmed, 'a task steps once its timers are armed');
    this.#entries.wall = wallNow;
    try {
      return this.#step(cursor, limit, wallNow);
    } catch (error) {
      // In a group the cursor has not moved to the record that was being taken.
      const offset = this.#isTaking ? this.#offsetInRun : cursor.offset;
      throw isConsequence(error) || offset < this.#input.position ? error : new RecordFailed(offset, error);
    }
  }

  /** The offset of the record that the kind is taking. */
  get #offsetInRun(): number {
    const { index, baseOffset, group } = this.#entries.run;
    return baseOffset + group.offsetDeltas[index]!;
  }

  /** What waits for a cut is looked at before each group, of 32 records at most; its bytes, besides, by each that changes. */
  #step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    for (let left = limit; left > 0;) {
      if (this.isFull) return FULL;
      if (!this.#again && !cursor.next()) return this.#exhausted(cursor);
      if (cursor.groupIndex === 0 || cursor !== this.#lookedAt) this.#lookAhead(cursor);
      const first = cursor.groupIndex;
      const stop = this.#take(cursor, left, wallNow);
      this.#again = stop !== undefined;
      if (stop !== undefined) return stop;
      const taken = cursor.groupIndex - first + 1;
      left -= taken;
      this.counters.recordsRead += taken;
      this.#passed(cursor, cursor.position);
    }
    return LIMIT;
  }

  #exhausted(cursor: RecordCursor): StepOutcome {
    this.#passed(cursor, cursor.position);
    this.#lookedAt = undefined;
    this.table.releaseBytes();
    return EXHAUSTED;
  }

  /** Has the record at `offset` refused when it comes: an earlier task failed at it, and `why` says how (I6). */
  refuseAt(offset: number, why: string): void {
    this.#refusedAt.set(offset, why);
  }

  /** Says that the next step gets a new cursor: reading was interrupted and begins again at `input.position`. */
  restartReading(): void {
    this.#again = false;
  }

  /**
   * Moves the clock where the input may not be written (C3): everything stamped before `evidence` is presumed to be applied.
   * Records found below it from now on are counted as `clockOvertaken`. The clock itself, after a restore, is evidence, too.
   */
  observe(evidence: Millis): void {
    if (evidence < this.clock.now) return;
    this.clock.advance(evidence);
    this.#observed = evidence;
    this.#watchesStamps = true;
  }

  /** Lets up to `limit` entries take effect whose due instant the clock has reached. True if more are due. */
  expire(limit: number, wallNow: Millis): boolean {
    const entries = this.#entries;
    if (this.isFull) return entries.hasBacklog;
    entries.clock = this.clock.now;
    entries.wall = wallNow;
    entries.bytesMax = this.#cutBytesMax - this.#deadLetters.bytes;
    let left = limit;
    while (this.#expireBurst(Math.min(left, EXPIRE_BURST))) {
      left -= EXPIRE_BURST;
      if (left <= 0 || !this.#hasRoom || this.#entries.fired < EXPIRE_BURST) return true;
    }
    this.#expiredAt = this.clock.now;
    if (this.#expiresAll) this.#expiredAllAt = this.clock.now;
    this.#expiresAll = false;
    return false;
  }

  /** True if more is due. */
  #expireBurst(limit: number): boolean {
    const entries = this.#entries;
    if (entries.expire(limit)) return true;
    if (!this.#expiresAll) return false;
    return entries.expireWithinTick(limit);
  }

  get #hasRoom(): boolean {
    return !this.isFull;
  }

  /**
   * A lower bound of the earliest due instant: when a proof of silence is next needed (C2). undefined with no live entry, and
   * until all timers are armed.
   */
  earliestDue(): Millis | undefined {
    return this.#entries.earliestDue();
  }

  /** What the wheel holds, to be compared with the deadlines (V8); undefined until all is armed. O(live entries), with copies. */
  timers(): TimerInspection | undefined {
    return this.#entries.timers();
  }

  /**
   * Begins the next cut, or goes on with it, by about `bytes` of what it will hold. True once `cut` has nothing left to do that
   * takes time. Until that was called the task is full (PT3).
   */
  prepareCut(bytes: number): boolean {
    if (!this.changelog.isCutting) this.#bytesBeforeCut = this.pendingBytes;
    return this.changelog.prepareCut(bytes);
  }

  /** Cuts a commit of everything since the last cut; all of it at once where `prepareCut` was not called before. */
  cut(context: Omit<CutContext, 'inputs' | 'clock' | keyof HeldState>): TaskCut {
    const countedBytes = this.changelog.isCutting ? this.#bytesBeforeCut : this.pendingBytes;
    const outputBytes = this.#outputBytes;
    const outputs = this.#outputs.takeAll();
    const deadLetters = this.#deadLetters.takeAll();
    const input = this.input;
    this.#cutPosition = input.position;
    const cut = this.changelog.cut({ ...context, inputs: [input], clock: this.clock.now, ...this.#held.state });
    const commitBytes = cut.blockBytes + outputBytes;
    return Object.assign(cut, { ...outputs, deadLetters, position: input.position, commitBytes, countedBytes });
  }

  /** The cut's commit is known to be in the log, its blocks at `offsets`. */
  settle(cut: TaskCut, offsets: readonly number[]): void {
    const firstOrdinal = this.changelog.ledger.end;
    this.changelog.settle(cut, offsets);
    // Not all of the cut: outputs and dead letters would wait with it for the local store, by the gigabyte (X6).
    const { header, blocks, removals } = cut;
    this.checkpoints.add({ header, blocks, removals, firstOrdinal, offsets });
  }

  /** A cursor that comes here in the middle of a group is looked at anew: only what was looked at may be found that way. */
  #lookAhead(cursor: RecordCursor): void {
    this.#lookedAt = cursor;
    this.table.lookAhead(cursor.bytes, cursor.group);
  }

  /** Takes the record the cursor stands on, and up to `limit` with it from its group; moves the cursor to the last of them. */
  #take(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome | undefined {
    const { input } = this.#options;
    const { timestamp } = cursor;
    const stamp = classifyStamp(cursor, input, wallNow);
    if (stamp === 'future') return { kind: 'futureStamp', timestamp, offset: cursor.offset };
    if (stamp === 'wrongTimestampType') return this.#otherType(cursor);
    if (stamp === 'bad-timestamp') {
      this.#refuse(cursor, stamp, `timestamp ${timestamp} while the present is ${wallNow}`);
      return undefined;
    }
    const lead = input.timestampType === 'CreateTime' ? wallNow + input.maxLeadMs : Infinity;
    const evidence = Math.min(timestamp, lead);
    if (this.#watchesStamps && this.#joinsHolds(evidence)) return DUE;
    this.#advance(evidence);
    this.#input.live = wallNow - timestamp <= input.liveWithinMs;
    if (cursor.unreadable === undefined) return this.#takeGroup(cursor, limit);
    this.#refuse(cursor, cursor.unreadable.reason, cursor.unreadable.detail);
    return undefined;
  }

  /** C6: what lies before the first record of the configured type is history, and counts for nothing. */
  #otherType({ offset }: RecordCursor): StepOutcome | undefined {
    const hasBegun = this.clock.now > 0;
    if (hasBegun || offset >= this.#formerBelow) return { kind: 'wrongTimestampType', offset, hasBegun };
    this.counters.formerTypeRecords += 1;
    return undefined;
  }

  /** Whether a hold would move instants that the clock has reached, of sessions that are not closed yet (C5). */
  #joinsHolds(evidence: Millis): boolean {
    const { now } = this.clock;
    return this.#expiredAt < now && this.table.size > 0 && this.#held.joins(now, evidence);
  }

  #advance(evidence: Millis): void {
    const before = this.clock.now;
    this.clock.advance(evidence);
    if (this.#watchesStamps) this.#watch(before, evidence);
  }

  #watch(before: Millis, stamp: Millis): void {
    // A gap in which sessions lived may be time that nobody could be heard in (C8).
    if (this.#unheardMs > 0 && stamp - before > this.#unheardMs && this.table.size > 0) this.#held.moved(before, stamp);
    // A record that is taken again, once its schema is known, was counted the first time.
    if (stamp < this.#observed && !this.#again) this.counters.clockOvertaken += 1;
  }

  /** Up to the first record that is not taken, which is dealt with once it comes first: all before it is passed by then. */
  #takeGroup(cursor: RecordCursor, limit: number): StepOutcome | undefined {
    const entries = this.#entries;
    const first = cursor.groupIndex;
    const run = this.#runOf(cursor, limit);
    const why = run.end > first ? this.#takeRun() : this.#unfit(cursor);
    // Where producers stamp, a record may leave behind what is due at once.
    if (!cursor.logAppendTime && entries.hasBacklog) this.#expiredAllAt = -Infinity;
    if (why !== undefined && run.index === first) return this.#refused(cursor, why);
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

  /** From the record that the cursor stands on, up to the first that no kind gets to see. */
  #runOf(cursor: RecordCursor, limit: number): Readonly<Run> {
    const { bytes, group, groupIndex: first, timestamp, logAppendTime } = cursor;
    const clock = this.clock.now;
    const { run } = this.#entries;
    this.#entries.clock = clock;
    this.#entries.bytesMax = this.#cutBytesMax - this.#deadLetters.bytes;
    run.bytes = bytes;
    run.group = group;
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
    const { maxKeyBytes } = this.#options.input;
    const refused = this.#refusedAt;
    for (let index = first; index < end; index += 1) {
      const length = lengths[index]!;
      if (length < 0 || length > maxKeyBytes) return index;
      if (refused.size > 0 && refused.has(baseOffset + offsetDeltas[index]!)) return index;
    }
    return end;
  }

  /** Why the kind does not get to see the record that the cursor stands on. undefined: it is a clock record. */
  #unfit(cursor: RecordCursor): Refusal | undefined {
    const { keyLength, offset } = cursor;
    const { maxKeyBytes } = this.#options.input;
    if (keyLength > maxKeyBytes) {
      const detail = `key of ${keyLength} bytes, maxKeyBytes is ${maxKeyBytes}`;
      return { kind: 'bad', reason: 'key-too-long', detail };
    }
    if (keyLength >= 0) {
      // What is due for its key takes effect, taken or not (S3).
      this.#entries.find(cursor.groupIndex);
      return { kind: 'bad', reason: PROCESSING_FAILED, detail: this.#refusedAt.get(offset)! };
    }
    if (!isClockRecord(cursor)) return { kind: 'bad', reason: 'null-key', detail: 'an event needs a key' };
    this.counters.clockRecords += 1;
    return undefined;
  }

  /** The record the cursor stands on. */
  #refused(cursor: RecordCursor, why: Refusal): StepOutcome | undefined {
    if (why.kind === 'unknownSchema') return why;
    if (why.kind === 'noRoom') return this.#refuseFull(cursor);
    this.#refuse(cursor, why.reason, why.detail);
    return undefined;
  }

  /** I7. What is due at the clock takes no room, ended or not: it takes effect first, all of it (C5). */
  #refuseFull(cursor: RecordCursor): StepOutcome | undefined {
    if (this.#expiredAllAt < this.clock.now) {
      this.#expiresAll = true;
      return DUE;
    }
    const { entriesMax, keyBytesMax } = this.#options.state;
    const { size, keyBytes } = this.table;
    this.counters.stateFull += 1;
    const live = `${size} entries live here, with ${keyBytes} bytes of keys`;
    this.#refuse(cursor, 'state-full', `${live}; at most ${entriesMax} and ${keyBytesMax} fit one partition`);
    return undefined;
  }

  #refuse(cursor: RecordCursor, reason: string, detail: string): void {
    this.counters.deadLetters += 1;
    if (reason === PROCESSING_FAILED) this.counters.failedRecords += 1;
    this.#deadLetters.add(cursor, reason, detail);
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
