// One partition's state machine: records in, changes and outputs out. Synchronous, and handed every time it needs.
//
// Owns: its parts, each with a state of its own, and the order in which they act.
// Does not own: what entries mean (the kind), reading, sending, the local store, when a commit is cut (the runtime).
//
// Invariants
//   PT1  Before a record is applied, what is due for its key takes effect as of its due instant (S3); other keys' expiries
//        may be drained later, in slices, without changing what comes out (C5).
//   PT2  Everything since the last cut — changes, outputs, dead letters, position — goes into the next cut together (O1).
//   PT3  From the first slice of a cut to the last nothing is stepped or expired: what it holds is the state at one position.
//
// Checked
//   assertion  PT3: by the position at both ends of a cut (Changelog), and before what is due or owed takes effect (LiveEntries).
//   not        PT1, PT2: of records and commits that are gone; the oracle folds the input and reads the log.
import { assert, CHANGELOG_FORMAT, type DurationMs, type HistogramStatus, type Millis } from '@flatline/base';
import type { EntryWindow, HeldState, HeldTime, HeldTimeRules, Kind, ShownEntry } from '@flatline/kinds';
import type { RecordCursor } from '@flatline/ports';
import type { CommitHeader, CommitName, CutContext, InputPosition } from './changelog/block-format.ts';
import { Changelog } from './changelog/changelog.ts';
import { Checkpoints } from './checkpoint/checkpoints.ts';
import type { StoredImage } from './checkpoint/checkpoint-inspection.ts';
import { type TaskCounters, zeroCounters } from './live/counters.ts';
import { EntryTable } from './entries/entry-table.ts';
import { KeyPlacement, type MisplacedKey } from './live/key-placement.ts';
import { type ListAsked, type Listed, listEntries, type TakeEntry } from './live/entry-list.ts';
import { EntryLook, type Look } from './live/entry-look.ts';
import { LiveEntries } from './live/live-entries.ts';
import { fillOf, stateBytesOf } from './entries/state-limits.ts';
import type { TimerInspection } from './entries/timer-inspection.ts';
import { Expiry } from './live/expiry.ts';
import { InputTime } from './input/input-time.ts';
import { type Cursors, MergedTaker } from './input/merged-taker.ts';
import { RecordTaker } from './input/record-taker.ts';
import { NextCommit } from './commit/next-commit.ts';
import { PartitionClock } from './live/partition-clock.ts';
import type { MergedOutcome, StepOutcome, TaskCut, TaskOptions } from './task-contract.ts';

/**
 * Widest tick of the wheel. Where all that is due has to take effect (`Expiry.demandAll`), with each move of the clock, what is due
 * later in the tick is looked at, too.
 */
const TICK_MAX_MS = 10;

/** Most faults worth reading. */
const FAULTS_MAX = 20;

const NO_HELD_TIME: HeldTimeRules = { unheardMs: 0, maxHoldMs: 0 };
/** Fields of the last commit's header beside clock and positions. */
type ResumedState = HeldState & Pick<CutContext, 'kept' | 'evictions'>;

const NOTHING_HELD_YET: ResumedState = { heldMs: 0, holds: [] };

export class PartitionTask {
  readonly counters: TaskCounters;
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly checkpoints: Checkpoints;
  readonly clock = new PartitionClock();
  readonly #options: TaskOptions;
  readonly #placement: KeyPlacement;
  readonly #time: InputTime;
  readonly #commit: NextCommit;
  readonly #entries: LiveEntries;
  readonly #expiry: Expiry;
  readonly #look: EntryLook;
  /** Takes records of the first input. */
  readonly #records: RecordTaker;
  /** Takes records of all inputs, where there are several. */
  readonly #merged: MergedTaker | undefined;
  /** As of the last cut. */
  #atCut = { heldMs: 0, others: 0 };
  /** The kind has thrown: an entry may be half changed. */
  #isUnsound = false;
  #settledCuts = 0;

  constructor(options: TaskOptions) {
    const { partition, kind, input: rules, heldTime = NO_HELD_TIME } = options;
    const { dueGrowthMax = 0 } = kind;
    const state = { ...options.state, dueGrowthMax };
    const tickMs = Math.min(options.tickMs, TICK_MAX_MS);
    const { clock } = this;
    const counters = { ...zeroCounters(), ...kind.counters() };
    const table = new EntryTable(options.hashSeed, kind.format);
    const changelog = new Changelog(table, options.changelog, options.blockMemory);
    const time = new InputTime({ heldTime, clock, table, counters });
    const { routing, blockMemory: memory } = options;
    const commit = new NextCommit(changelog, options, { memory, routing, counters });
    const { format: changelogFormat = CHANGELOG_FORMAT } = options.changelog;
    const openKind = (entry: EntryWindow): Kind =>
      kind.open({ partition, held: time.held, entry, counters, changelogFormat });
    const checkpoints = new Checkpoints(table, changelog, options.takenRowBytesMax);
    changelog.giveRowsTo(checkpoints);
    // Rows are copies of entries, and this one may be half changed.
    const onUnsound = (): void => {
      this.#isUnsound = true;
      checkpoints.discard();
    };
    const placement = new KeyPlacement({ partition, keyPartitions: rules.keyPartitions, counters });
    const parts = { openKind, tickMs, clock, table, changelog, commit, state, placement, counters, onUnsound };
    const entries = new LiveEntries(parts);
    const expiry = new Expiry(entries, clock, commit);
    this.counters = counters;
    this.table = table;
    this.changelog = changelog;
    this.checkpoints = checkpoints;
    this.#options = options;
    this.#placement = placement;
    this.#time = time;
    this.#commit = commit;
    this.#entries = entries;
    this.#expiry = expiry;
    this.#look = new EntryLook({ table, changelog, entries });
    const taking = { dueGrowthMax, state, table, counters, clock, expiry, commit, entries };
    const { furtherInputs = [] } = options;
    this.#merged =
      furtherInputs.length === 0
        ? undefined
        : new MergedTaker([rules, ...furtherInputs], { ...taking, heldTime, held: time.held });
    this.#records = this.#merged?.of(0) ?? new RecordTaker({ ...taking, number: 0, rules, time });
  }

  /** Why the kind, as it is configured, cannot read what was restored; undefined: it can. O(state) where settings have changed. */
  whyUnreadable(): string | undefined {
    const { table, changelog } = this;
    const forEach = (look: (entry: EntryWindow) => void): void => {
      const view = table.view();
      for (let slot = 0; slot < table.slotsEnd; slot += 1) if (table.isLive(slot)) look(view.at(slot));
    };
    return this.#options.kind.whyUnreadable?.({ settings: changelog.settings.stretches, forEach });
  }

  /** Ends restoring: the clock and position are those of the last commit. Nothing is stepped or expired before `arm` is done. */
  resume(clock: Millis, input: InputPosition | readonly InputPosition[], held: ResumedState = NOTHING_HELD_YET): void {
    this.#time.resume(clock, held);
    const inputs = 'position' in input ? [input] : input;
    if (this.#merged === undefined) this.#records.resume(inputs[0]!);
    else this.#merged.resume(inputs);
    this.#commit.resume(this.#applied);
    this.#atCut = { heldMs: this.heldMs, others: this.#otherRecords };
    const positions = inputs.map(({ position }) => position);
    this.#entries.begin(held.kept?.bytes, positions, held.evictions);
  }

  /**
   * Says that the input's timestamp type may have been another one below `offset`: such records are read over before the
   * clock has begun (C6). Default: 0, they stop the partition.
   */
  allowFormerType(offset: number, input = 0): void {
    this.#takerOf(input).allowFormerType(offset);
  }

  /** Arms a timer for each live entry, looking at up to `limit` places for entries. True once it is done. */
  arm(limit: number): boolean {
    return this.#entries.arm(limit);
  }

  /** The newest key that lies in another partition than its own (I9); undefined: none was seen. */
  get misplacedKey(): MisplacedKey | undefined {
    return this.#placement.newest;
  }

  /** Time held since the beginning of the log (C8). */
  get heldMs(): DurationMs {
    return this.#time.held.heldMs;
  }

  /** How far behind the clock the records of an input came; undefined: the broker stamps them, in their order. */
  latenessOf(input: number): HistogramStatus | undefined {
    return this.#takerOf(input).lateness?.status();
  }

  /** Shows the kind's own state as it was last said, for operators (S12). */
  get kept(): readonly ShownEntry[] {
    return this.#entries.kept.shown;
  }

  get liveEntries(): number {
    return this.table.size;
  }

  /** How much of what may live here does: 1 is all of it (I7). */
  get stateFill(): number {
    return fillOf(this.table, this.#options.state);
  }

  /** Bytes that its entries, keys and states count (I7). */
  get stateBytes(): number {
    return stateBytesOf(this.table);
  }

  /** Input position applied through, with the fingerprint of the batch before it; of the first input, where there are several. */
  get input(): InputPosition {
    return this.#records.input;
  }

  /** Position of an input, counted from 0. */
  inputAt(input: number): InputPosition {
    return this.#takerOf(input).input;
  }

  /** Positions of all inputs. */
  get inputs(): readonly InputPosition[] {
    return this.#merged?.inputs ?? [this.#records.input];
  }

  /** How much of the input is applied: the sum of positions. */
  get #applied(): number {
    return this.#merged?.applied ?? this.#records.position;
  }

  #takerOf(input: number): RecordTaker {
    return this.#merged?.of(input) ?? this.#records;
  }

  /** True if a commit would say anything new. */
  get hasUncut(): boolean {
    return !this.#commit.isEmptyAt(this.#applied);
  }

  /** True if only clock records have moved the clock since the last cut, and nothing was held for it (C8). */
  get hasOnlyClocks(): boolean {
    const { heldMs, others } = this.#atCut;
    return this.hasUncut && this.#commit.holdsNothing && this.heldMs === heldMs && this.#otherRecords === others;
  }

  /** Number of records read that were no clock records. */
  get #otherRecords(): number {
    return this.counters.recordsRead - this.counters.clockRecords;
  }

  /** True while the log below a commit is to go, and no commit has stated a floor that lets it (E1). */
  get isPurging(): boolean {
    return this.changelog.purge.isUnderWay;
  }

  /** True if anything decided is left for later commits. */
  get hasOwed(): boolean {
    return this.#entries.hasOwed;
  }

  /** True if an output waits for a cut. */
  get hasOutputs(): boolean {
    return !this.#commit.outputs.isEmpty;
  }

  /** Approximate bytes of a commit cut now, including the sweep's share. */
  get pendingBytes(): number {
    return this.#commit.bytes;
  }

  /** Stepping pauses where a commit would have more `pendingBytes` than this; none at first. At least a record goes into each. */
  limitCut(bytes: number): void {
    this.#commit.limit(bytes);
  }

  /** True if stepping and expiring pause, because so much waits for a cut or one is being made. */
  get isFull(): boolean {
    return this.#commit.isFull;
  }

  /** Share in use of what may wait for a cut, of the limit that is nearest: from 1 on the task is full. */
  get commitFill(): number {
    return this.#commit.fill;
  }

  /**
   * Applies up to `limit` records. `wallNow` is broker time as far as this machine knows it (C6).
   * @throws RecordFailed; what the cursor throws.
   */
  step(cursor: RecordCursor, limit: number, wallNow: Millis): StepOutcome {
    assert(this.#entries.isArmed, 'a task steps once its timers are armed');
    this.#entries.wall = wallNow;
    return this.#records.step(cursor, limit, wallNow);
  }

  /**
   * The same of several inputs, in the order that their logs decide (S8). `cursors`: of each input the one in hand, until it is
   * exhausted. @throws RecordFailed; what a cursor throws.
   */
  stepMerged(cursors: Cursors, limit: number, wallNow: Millis): MergedOutcome {
    assert(this.#entries.isArmed, 'a task steps once its timers are armed');
    assert(this.#merged !== undefined, 'there are several inputs');
    this.#entries.wall = wallNow;
    return this.#merged.step(cursors, limit, wallNow);
  }

  /** An instant that all records of the input in hand or to come have reached (S8); of a single input the clock. */
  frontOf(input: number): Millis {
    return this.#merged?.frontOf(input) ?? this.clock.now;
  }

  /** The instant that the input has to pass for a record of another one; undefined: none waits for it (S8). */
  awaitedOf(input: number): Millis | undefined {
    return this.#merged?.awaitedOf(input);
  }

  /** Has the record at `offset` refused when it comes: an earlier task failed at it, and `why` says how (I6). */
  refuseAt(offset: number, why: string, input = 0): void {
    this.#takerOf(input).refuseAt(offset, why);
  }

  /** Says that the next step gets a new cursor: reading was interrupted and begins again at the input's position. */
  restartReading(input = 0): void {
    if (this.#merged === undefined) this.#records.restartReading();
    else this.#merged.restartReading(input);
  }

  /**
   * Moves the clock where the input may not be written (C3): everything stamped before `evidence` is presumed to be applied.
   * Records found below it from now on are counted as `clockOvertaken`. The clock itself, after a restore, is evidence, too.
   */
  observe(evidence: Millis): void {
    this.#time.observe(evidence);
  }

  /** The greatest of it; 0: none. */
  get evidence(): Millis {
    return this.#time.evidence;
  }

  /** Has `expire` do no more for evictions (Q4) than it takes to end so many entries, but where something waits for them. */
  limitEvictions(ends: number): void {
    this.#expiry.evictable = ends;
  }

  /** Number that is left of it; below 0: one ended beyond it. */
  get evictable(): number {
    return this.#expiry.evictable;
  }

  /** True if evictions are under way. */
  get isEvicting(): boolean {
    return this.#entries.isEvicting;
  }

  /** True if `expire` would go on with them. */
  get canEvict(): boolean {
    return this.#expiry.canEvict;
  }

  /** True if they have their part of the next commit, and wait for its cut. */
  get evictsNext(): boolean {
    return this.#expiry.evictsNext;
  }

  /**
   * Lets up to `limit` entries take effect whose due instant the clock has reached, and goes on with evictions. True if more are
   * due, or there is more to evict that may be now.
   */
  expire(limit: number, wallNow: Millis): boolean {
    this.#entries.wall = wallNow;
    return this.#expiry.expire(limit);
  }

  /** A lower bound of the earliest due instant; undefined with no live entry, and until all timers are armed. */
  earliestDue(): Millis | undefined {
    return orNever(Math.min(this.#entries.earliestDue() ?? Infinity, this.#entries.kept.dueAt));
  }

  /**
   * A lower bound of the earliest due instant that the clock has yet to reach: when a proof of silence is next needed (C2). What is
   * due by the clock needs none, however long it takes. undefined: nothing is, or not all timers are armed.
   */
  earliestAhead(): Millis | undefined {
    return orNever(Math.min(this.#entries.earliestAhead() ?? Infinity, this.#entries.kept.dueAt));
  }

  /** Returns the key's state between two calls of the task (Q2); undefined once the kind has thrown. */
  look(key: Uint8Array): Look | undefined {
    if (this.#isUnsound) return undefined;
    return this.#look.of(key, { clock: this.clock.now, position: this.#records.position });
  }

  /** Has the next `expire` end the key's entry if an eviction concerns it (Q4): someone waits to be told what comes of it. */
  awaitEviction(key: Uint8Array): void {
    const slot = this.table.find(key);
    if (slot >= 0) this.#entries.awaitEviction(slot);
  }

  /**
   * The same of a task that is being restored, between two commits, of which `last` is the header of the last one. undefined while
   * pages of any entry are missing.
   */
  lookRestored(key: Uint8Array, last: CommitHeader): Look | undefined {
    if (this.changelog.incomplete.size > 0) return undefined;
    // Time held by the owner by then moves deadlines here, too (C8).
    this.held.reckonAsOf(last);
    this.#entries.evictAsOf(last.evictions);
    return this.#look.of(key, { clock: last.clock, position: last.inputs[0]!.position });
  }

  /** How many cuts are to be settled until all that is applied is committed, the position included. */
  get cutsUntilCommitted(): number {
    return this.changelog.cutsInFlight + (this.hasUncut ? 1 : 0);
  }

  /** Entries from a slot on, as they are between two calls of the task; undefined once the kind has thrown. O(slots looked at). */
  list(asked: ListAsked, take: TakeEntry): Listed | undefined {
    return this.#isUnsound ? undefined : listEntries(this.table, asked, take);
  }

  /** How many of its cuts are settled. */
  get settledCuts(): number {
    return this.#settledCuts;
  }

  /** Time that no deadline counts (C8), to show an entry by. */
  get held(): HeldTime {
    return this.#time.held;
  }

  /**
   * Returns the content of the wheel, to compare with the deadlines (V8); undefined until all is armed. O(live entries), with
   * copies.
   */
  timers(): TimerInspection | undefined {
    return this.#entries.timers();
  }

  /**
   * Which invariants of its parts do not hold between two of its calls, in words, a few of them; none once the kind has thrown.
   * `stored`: the rows of the local store, where all that was handed out is written. O(state), changes nothing. For checks.
   */
  inspect(stored?: ReadonlyMap<number, StoredImage>): readonly string[] {
    if (this.#isUnsound) return [];
    const { table, changelog, checkpoints } = this;
    const faults = [
      ...table.inspect(changelog.uncutRemovals),
      ...changelog.inspect(this.#entries.hasBegun),
      ...checkpoints.inspect(stored),
      ...this.#entries.inspect(),
      ...this.#commit.inspect(),
      ...(this.#merged?.inspect() ?? []),
    ];
    return faults.slice(0, FAULTS_MAX);
  }

  /**
   * Begins the next cut, or goes on with it, by about `bytes` of what it will hold. True once `cut` has nothing left to do that
   * takes time. Until that was called the task is full (PT3).
   */
  prepareCut(bytes: number): boolean {
    return this.#commit.prepareCut(bytes, { clock: this.clock.now, position: this.#records.position }, this.#applied);
  }

  /** Cuts a commit of everything since the last cut; all of it at once where `prepareCut` was not called before. */
  cut(name: CommitName): TaskCut {
    this.#atCut = { heldMs: this.heldMs, others: this.#otherRecords };
    const { inputs, clock } = this;
    const { state: held } = this.#time.held;
    const kept = this.#entries.kept.bytes();
    const evictions = this.#entries.evictionBytes();
    return this.#commit.cut(name, { inputs, applied: this.#applied, clock: clock.now, held, kept, evictions });
  }

  /** The cut's commit is known to be in the log, its blocks at `offsets`. */
  settle(cut: TaskCut, offsets: readonly number[]): void {
    this.changelog.settle(cut, offsets);
    this.#entries.kept.committed();
    this.#settledCuts += 1;
    const { header, blocks, removed, blockBytes: bytes } = cut;
    const slots = blocks.map((block) => block.slots);
    const parts = blocks.length;
    const { stretches } = this.changelog.settings;
    const stored = { ...header, part: parts - 1, parts };
    this.checkpoints.committed({ header: stored, stretches, slots, removed, offsets, bytes });
    for (const block of blocks) this.#options.blockMemory.giveBack(block.bytes);
    cut.outputs.packed.giveBack();
  }
}

function orNever(due: Millis): Millis | undefined {
  return due === Infinity ? undefined : due;
}
