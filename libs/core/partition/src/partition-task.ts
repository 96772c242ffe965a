// One partition's state machine: records in, changes and outputs out. Synchronous, and handed every time it needs.
//
// Owns: the partition clock, the position in the input, dead letters not yet cut.
// Does not own: sessions (LiveSessions), the changelog's dirty state (Changelog), reading, sending, the local store, when a
// commit is cut (the runtime).
//
// Invariants
//   PT1  Before a record is applied, what is due for its key takes effect as of its due instant (S3); other keys' expiries
//        may be drained later, in slices, without changing what comes out (C5).
//   PT2  Everything since the last cut — changes, outputs, dead letters, position — goes into the next cut together (O1).
//   PT3  From the first slice of a cut to the last nothing is stepped or expired: what it holds is the state at one position.
import { assert, type DurationMs, isConsequence, type Millis } from '@flatline/base';
import {
  blankEvent,
  ENDED,
  type Occurrence,
  type HeldState,
  HeldTime,
  type HeldTimeRules,
  resetEvent,
  type SessionEvent,
  type DecodeOutcome,
} from '@flatline/kinds';
import { type InputPosition, NO_BATCH } from './changelog/block-format.ts';
import { Changelog, type CutContext } from './changelog/changelog.ts';
import { CheckpointQueue } from './checkpoint/checkpoint-queue.ts';
import { zeroCounters } from './counters.ts';
import { DeadLetterBox } from './dead-letter-box.ts';
import { EntryTable } from './entries/entry-table.ts';
import { LiveSessions, type Now, SUMMARY_NUMBERS_BYTES } from './entries/live-sessions.ts';
import { PartitionClock } from './partition-clock.ts';
import type { KeyGroup, RecordCursor } from '@flatline/ports';
import { classifyStamp, isClockRecord } from './record-class.ts';
import { messageOf, PROCESSING_FAILED, RecordFailed } from './record-failed.ts';
import { fillOf, isFullFor } from './entries/state-limits.ts';
import type { StepOutcome, TaskCut, TaskOptions } from './task-contract.ts';
import type { TimerInspection } from './entries/timer-inspection.ts';

const NO_HELD_TIME: HeldTimeRules = { unheardMs: 0, maxHoldMs: 0 };
const NOTHING_HELD_YET: HeldState = { heldMs: 0, holds: [] };

/** Closes between two looks at whether the task is full, at least. */
const CLOSES_MIN = 32;

const EXHAUSTED: StepOutcome = { kind: 'exhausted' };
const LIMIT: StepOutcome = { kind: 'limit' };
const FULL: StepOutcome = { kind: 'full' };
const DUE: StepOutcome = { kind: 'due' };

/** Why a record whose stamp is sound is not applied. */
type NotApplied = Exclude<DecodeOutcome, { readonly kind: 'event' }> | { readonly kind: 'keyless' | 'noRoom' };

const KEYLESS: NotApplied = { kind: 'keyless' };
const NO_ROOM: NotApplied = { kind: 'noRoom' };

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class PartitionTask {
  readonly counters = zeroCounters();
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
  readonly #sessions: LiveSessions;
  /** Scratch objects, written anew for each record: a bare heartbeat allocates nothing. */
  readonly #event: SessionEvent = blankEvent();
  readonly #at: Mutable<Occurrence> = { offset: 0, effectiveAt: 0, timestamp: 0 };
  readonly #now: Now = { clock: 0, wall: 0 };
  readonly #input: Mutable<InputPosition> = {
    position: 0,
    checksum: 0,
    leaderEpoch: NO_BATCH,
    batchTimestamp: 0,
    live: false,
    start: 0,
  };
  readonly #deadLetters: DeadLetterBox;
  /** Offsets of records that are not applied, with why. */
  readonly #refused = new Map<number, string>();
  /** The record the cursor stands on has been looked at but not applied. */
  #again = false;
  #lookedAt: RecordCursor | undefined;
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
    this.table = new EntryTable(options.hashSeed);
    this.changelog = new Changelog(this.table, options.changelog, options.blockMemory);
    this.checkpoints = new CheckpointQueue(this.table, options.blockMemory);
    const { partition, rules, tickMs, heldTime = NO_HELD_TIME, deadLetters } = options;
    this.#deadLetters = new DeadLetterBox(deadLetters);
    const { table, changelog, counters } = this;
    const held = new HeldTime(heldTime);
    this.#held = held;
    this.#unheardMs = heldTime.unheardMs;
    this.#watchesStamps = heldTime.unheardMs > 0;
    this.#sessions = new LiveSessions({ partition, rules, held, tickMs, table, changelog, counters });
  }

  /** Ends restoring: the clock and position are those of the last commit. Nothing is stepped or expired before `arm` is done. */
  resume(clock: Millis, input: InputPosition, held: HeldState = NOTHING_HELD_YET): void {
    this.clock.advance(clock);
    this.#held.restore(held);
    Object.assign(this.#input, input);
    this.#cutPosition = input.position;
    this.#sessions.begin(clock);
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
    return this.#sessions.arm(limit);
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
      this.#sessions.closedCount > 0
    );
  }

  /** Whether a close waits for a cut. */
  get hasClosed(): boolean {
    return this.#sessions.closedCount > 0;
  }

  /** About how many bytes a commit would have that is cut now, the sweep's share with them. */
  get pendingBytes(): number {
    return this.changelog.pendingBytes + this.#outputBytes;
  }

  get #outputBytes(): number {
    return this.#sessions.closedBytes + this.#deadLetters.bytes;
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
      this.#sessions.closedCount + this.#deadLetters.count >= this.#options.pendingOutputsMax ||
      this.#deadLetters.isFull
    );
  }

  /**
   * Applies up to `limit` records. `wallNow` is broker time as far as this machine knows it (C6).
   * @throws RecordFailed; what the cursor throws.
   */
  step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    assert(this.#sessions.isArmed, 'a task steps once its timers are armed');
    this.#now.wall = wallNow;
    try {
      return this.#step(cursor, limit, wallNow);
    } catch (error) {
      // Beyond the position stands what was being applied; in a group the cursor has not moved there yet.
      const offset = Math.max(cursor.offset, this.#at.offset);
      throw isConsequence(error) || offset < this.#input.position ? error : new RecordFailed(offset, error);
    }
  }

  #step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    for (let left = limit; left > 0;) {
      const burst = Math.min(left, this.#recordsUntilFull());
      if (burst === 0) return FULL;
      const outcome = this.#burst(cursor, burst, wallNow);
      if (outcome !== undefined) return outcome;
      left -= burst;
    }
    return LIMIT;
  }

  /** Records that may be applied before it must be asked again whether the task is full; 0 if it is. */
  #recordsUntilFull(): number {
    const { pendingChangesMax, pendingOutputsMax } = this.#options;
    if (this.changelog.isCutting || this.#deadLetters.isFull) return 0;
    if (this.pendingBytes >= this.#cutBytesMax) return 0;
    const changes = pendingChangesMax - this.changelog.pendingChanges;
    const outputs = pendingOutputsMax - this.#sessions.closedCount - this.#deadLetters.count;
    const room = Math.min(changes, outputs);
    // A record makes at most two of each: it may find its key due, and open it again or be refused.
    return room <= 0 ? 0 : Math.max(1, room >>> 1);
  }

  #burst(cursor: RecordCursor, records: number, wallNow: Millis): StepOutcome | undefined {
    for (let applied = 0; applied < records;) {
      // A record may bring a session's whole state, and a burst a thousand of them; a group brings 32 at most.
      if (applied > 0 && this.pendingBytes >= this.#cutBytesMax) return undefined;
      if (!this.#again && !cursor.next()) return this.#exhausted(cursor);
      if (cursor.groupIndex === 0 || cursor !== this.#lookedAt) this.#lookAhead(cursor);
      const first = cursor.groupIndex;
      const stop = this.#take(cursor, records - applied, wallNow);
      this.#again = stop !== undefined;
      if (stop !== undefined) return stop;
      const taken = cursor.groupIndex - first + 1;
      applied += taken;
      this.counters.recordsRead += taken;
      this.#passed(cursor, cursor.position);
      if (this.#deadLetters.isFull) return undefined;
    }
    return undefined;
  }

  #exhausted(cursor: RecordCursor): StepOutcome {
    this.#passed(cursor, cursor.position);
    this.#lookedAt = undefined;
    this.table.releaseBytes();
    return EXHAUSTED;
  }

  /** Has the record at `offset` refused when it comes: an earlier task failed at it, and `why` says how (I6). */
  refuseAt(offset: number, why: string): void {
    this.#refused.set(offset, why);
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

  /** Closes up to `limit` entries whose due instant the clock has reached. True if more are due. */
  expire(limit: number, wallNow: Millis): boolean {
    if (this.#closesUntilFull() === 0) return this.#sessions.hasBacklog;
    this.#now.clock = this.clock.now;
    this.#now.wall = wallNow;
    let left = limit;
    let more: boolean;
    do {
      const burst = Math.min(left, this.#closesUntilFull());
      more = this.#sessions.expire(burst, this.#now);
      if (!more && this.#expiresAll) more = this.#sessions.expireWithinTick(burst, this.#now);
      left -= burst;
    } while (more && left > 0 && this.#closesUntilFull() > 0);
    if (more) return true;
    this.#expiredAt = this.clock.now;
    if (this.#expiresAll) this.#expiredAllAt = this.clock.now;
    this.#expiresAll = false;
    return false;
  }

  /** Closes that may come before it must be asked again whether the task is full, as sessions are in the mean; 0 if it is. */
  #closesUntilFull(): number {
    if (this.isFull) return 0;
    const room = this.#cutBytesMax - this.pendingBytes;
    const meanBytes = this.changelog.liveBytes / Math.max(1, this.table.size);
    return Math.max(CLOSES_MIN, Math.floor(room / (meanBytes + SUMMARY_NUMBERS_BYTES)));
  }

  /**
   * A lower bound of the earliest due instant: when a proof of silence is next needed (C2). undefined with no live entry, and
   * until all timers are armed.
   */
  earliestDue(): Millis | undefined {
    return this.#sessions.earliestDue();
  }

  /** What the wheel holds, to be compared with the deadlines (V8); undefined until all is armed. O(live entries), with copies. */
  timers(): TimerInspection | undefined {
    return this.#sessions.timers();
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
    const closed = this.#sessions.takeClosed();
    const deadLetters = this.#deadLetters.takeAll();
    const input = this.input;
    this.#cutPosition = input.position;
    const cut = this.changelog.cut({ ...context, inputs: [input], clock: this.clock.now, ...this.#held.state });
    const commitBytes = cut.blockBytes + outputBytes;
    return Object.assign(cut, { closed, deadLetters, position: input.position, commitBytes, countedBytes });
  }

  /** The cut's commit is known to be in the log, its blocks at `offsets`. */
  settle(cut: TaskCut, offsets: readonly number[]): void {
    const firstOrdinal = this.changelog.ledger.end;
    this.changelog.settle(cut, offsets);
    // Not all of the cut: summaries and dead letters would wait with it for the local store, by the gigabyte (X6).
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
    if (stamp === 'future') return { kind: 'held', timestamp, offset: cursor.offset };
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

  /** Up to the first record that cannot be applied, which is dealt with once it comes first: all before it is passed by then. */
  #takeGroup(cursor: RecordCursor, limit: number): StepOutcome | undefined {
    const { bytes, group, groupIndex: first, timestamp, logAppendTime } = cursor;
    const clock = this.clock.now;
    const at = this.#at;
    this.#now.clock = clock;
    at.timestamp = timestamp;
    at.effectiveAt = logAppendTime ? clock : timestamp;
    // Where the broker stamps, a batch has one timestamp: what it says and does to the clock is known from the first record.
    const end = logAppendTime && timestamp === clock ? Math.min(group.count, first + limit) : first + 1;
    const base = cursor.offset - group.offsetDeltas[first]!;
    let index = first;
    for (; index < end; index += 1) {
      at.offset = base + group.offsetDeltas[index]!;
      const why = this.#apply(bytes, group, index);
      if (why === undefined) continue;
      if (index === first) return this.#notApplied(cursor, why);
      break;
    }
    // Where producers stamp, a record may leave behind what is due at once.
    if (!logAppendTime && this.#sessions.hasBacklog) this.#expiredAllAt = -Infinity;
    const more = index - 1 - first;
    if (more > 0) cursor.skip(more);
    return undefined;
  }

  /** Applies the record at `index`, which lies at `#at`; else says why not. Asked again, it says so again. */
  #apply(bytes: Uint8Array, group: KeyGroup, index: number): NotApplied | undefined {
    const length = group.lengths[index]!;
    if (length < 0 || length > this.#options.input.maxKeyBytes) return this.#badKey(length);
    const sessions = this.#sessions;
    const found = sessions.findLive(bytes, group, index, this.#now);
    if (this.#refused.size > 0 && this.#refused.has(this.#at.offset)) return this.#refusal();
    if (group.valueLengths[index] !== 0) return this.#applyEvent(found, bytes, group, index);
    const slot = found >= 0 ? found : this.#open(bytes, group, index);
    if (slot < 0) return NO_ROOM;
    sessions.touch(slot, this.#at);
    return undefined;
  }

  #applyEvent(found: number, bytes: Uint8Array, group: KeyGroup, index: number): NotApplied | undefined {
    const event = this.#event;
    const length = group.valueLengths[index]!;
    if (length < 0) {
      // A null value is an end without a payload (I2).
      resetEvent(event);
      event.type = ENDED;
    } else {
      const decoded = this.#decode(bytes, group.valueStarts[index]!, length);
      if (decoded.kind !== 'event') return decoded;
    }
    const sessions = this.#sessions;
    if (event.type === ENDED) {
      sessions.end(found, event, this.#at, this.#now);
      return undefined;
    }
    const slot = found >= 0 ? found : this.#open(bytes, group, index);
    if (slot < 0) return NO_ROOM;
    sessions.apply(slot, event, this.#at);
    return undefined;
  }

  #badKey(length: number): NotApplied {
    if (length < 0) return KEYLESS;
    const { maxKeyBytes } = this.#options.input;
    return { kind: 'bad', reason: 'key-too-long', detail: `key of ${length} bytes, maxKeyBytes is ${maxKeyBytes}` };
  }

  #refusal(): NotApplied {
    return { kind: 'bad', reason: PROCESSING_FAILED, detail: this.#refused.get(this.#at.offset)! };
  }

  /** The record the cursor stands on. */
  #notApplied(cursor: RecordCursor, why: NotApplied): StepOutcome | undefined {
    if (why.kind === 'unknownSchema') return why;
    if (why.kind === 'noRoom') return this.#refuseFull(cursor);
    if (why.kind === 'bad') this.#refuse(cursor, why.reason, why.detail);
    else if (isClockRecord(cursor)) this.counters.clockRecords += 1;
    else this.#refuse(cursor, 'null-key', 'a session event needs a key');
    return undefined;
  }

  /** A new session's slot; −1: there are as many as there may be (I7). */
  #open(bytes: Uint8Array, group: KeyGroup, index: number): number {
    if (isFullFor(this.table, this.#options.state, group.lengths[index]!)) return -1;
    return this.#sessions.open(bytes, group, index, this.#at);
  }

  /** I7. What is due at the clock takes no room, closed or not: it is closed first, all of it (C5). */
  #refuseFull(cursor: RecordCursor): StepOutcome | undefined {
    if (this.#expiredAllAt < this.clock.now) {
      this.#expiresAll = true;
      return DUE;
    }
    const { entriesMax, keyBytesMax } = this.#options.state;
    const { size, keyBytes } = this.table;
    this.counters.stateFull += 1;
    const live = `${size} sessions live here, with ${keyBytes} bytes of keys`;
    this.#refuse(cursor, 'state-full', `${live}; at most ${entriesMax} and ${keyBytesMax} fit one partition`);
    return undefined;
  }

  /** Nothing of the partition's has changed by then: a decoder that fails costs the record, and no more (I6). */
  #decode(bytes: Uint8Array, start: number, length: number): DecodeOutcome {
    try {
      return this.#options.decoder.decode(bytes, start, length, this.#event);
    } catch (error) {
      return { kind: 'bad', reason: PROCESSING_FAILED, detail: `the decoder failed: ${messageOf(error)}` };
    }
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
