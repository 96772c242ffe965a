// The live entries of one partition: their timers, and the engine's side of what a kind does to them.
//
// Owns: the timers, the window that kind and engine share.
// Does not own: what an entry means (the kind), outputs (NextCommit), the clock (PartitionClock), instants to be passed
// (PassedInstants), which record comes next, when a commit is cut.
//
// Invariants
//   LE1  The wheel holds each live entry at or before its due instant, and asks for that instant when it meets the entry: making
//        it later needs no call (lazy re-arm).
//   LE2  Between two calls of the kind each live entry is due after the last instant that took effect for it: `due` either
//        ends an entry or gives it a later due instant.
//   LE5  An eviction that took effect for an entry concerns it no more: else its turn would never end.
//   LE3  What the kind says last of an entry is `changed`, or `end`: before it opens another, and before its call ends. Behind
//        `open` it says `opened`. Else a commit would not hold the entry, or no timer would wait for it. It asks for room before it
//        changes anything: a record that is refused for want of it has changed nothing (I7).
//
// Checked
//   inspect    LE1
//   assertion  LE2, LE3, LE5
//              LE3 without a look at each `find`, which would cost a heartbeat: a word too many is forgotten where the next entry
//              of the group has changed. What has changed without a word does not have the digest that was written (CL3).
import { assert, isConsequence, type Millis, type Mutable, namedMessageOf, PartitionStopped } from '@flatline/base';
import type { Effects, EntryWindow, Eviction, GroupRecords, Kind, KindOutput, LaterRecords } from '@flatline/kinds';
import type { RecordSink } from '@flatline/ports';
import type { Changelog } from '../changelog/changelog.ts';
import type { TaskCounters } from './counters.ts';
import { EntryTimers } from './entry-timers.ts';
import { Evictions } from './evictions.ts';
import type { NextCommit } from '../commit/next-commit.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { OwedQueue } from './owed-queue.ts';
import type { KeyPlacement } from './key-placement.ts';
import type { PartitionClock } from './partition-clock.ts';
import { PassedInstants } from './passed-instants.ts';
import { hasRoomFor, isFullFor, type StateLimits } from '../entries/state-limits.ts';
import { type EntryTimer, timerFaults, type TimerInspection } from '../entries/timer-inspection.ts';

export interface LiveEntriesParts {
  /** Called with the window it gets. */
  readonly openKind: (entry: EntryWindow) => Kind;
  readonly tickMs: number;
  readonly clock: PartitionClock;
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly commit: NextCommit;
  readonly state: StateLimits;
  readonly placement: KeyPlacement;
  readonly counters: Pick<TaskCounters, 'expired'>;
  /** The kind has thrown, and may have changed a part of an entry. */
  readonly onUnsound: () => void;
}

/** Entries that an eviction is asked about in the time in which one ends, with its summary, tombstone and removal. */
const LOOKS_PER_END = 128;

const NO_RECORDS: GroupRecords = {
  bytes: new Uint8Array(0),
  group: {
    count: 0,
    starts: new Int32Array(0),
    lengths: new Int32Array(0),
    valueStarts: new Int32Array(0),
    valueLengths: new Int32Array(0),
    headersStarts: new Int32Array(0),
    headersEnds: new Int32Array(0),
    offsetDeltas: new Int32Array(0),
  },
  headers: { headersOf: () => [] },
  index: 0,
  end: 0,
  input: 0,
  baseOffset: 0,
  timestamp: 0,
  effectiveAt: 0,
};

export class LiveEntries implements Effects {
  readonly #parts: LiveEntriesParts;
  readonly #clock: PartitionClock;
  readonly #table: EntryTable;
  readonly #changelog: Changelog;
  readonly #commit: NextCommit;
  readonly #entry: EntryWindow;
  readonly #kind: Kind;
  readonly #owed: OwedQueue;
  /** The kind's state beside its entries. */
  readonly kept: PassedInstants;
  #evictions = new Evictions();
  /** Evictions of the commit that was looked at last, before `begin`. */
  #evictionsSaid: Uint8Array | undefined;
  /** Evictions are under way. A field of its own: each heartbeat asks. */
  #isEvicting = false;
  /** Slots of entries that are waited for: where an eviction concerns them, it ends them before others. */
  readonly #awaited = new Set<number>();
  /** Set once each restored entry has its timer. */
  #wheel: EntryTimers | undefined;
  /** Until then: the wheel to be, and the slot that is looked at next. */
  #arming: { readonly wheel: EntryTimers; slot: number } | undefined;
  /** The records that the kind takes next, or is taking. Scratch, filled again by RecordTaker. */
  readonly shown: Mutable<GroupRecords> = { ...NO_RECORDS };
  /** As of the present call of the task. */
  wall: Millis = 0;
  /** Entries that took effect in the last `expire`. Below its limit although more are due: the wheel reached its bound on moves. */
  fired = 0;
  /** The last copy of a key, kept until an entry ends: outputs of one entry share it. */
  #key: { readonly slot: number; readonly bytes: Uint8Array } | undefined;
  /** The kind has yet to say of an entry that it is opened, or that it has changed (LE3). */
  #owesOpened = false;
  #owesChanged = false;

  constructor(parts: LiveEntriesParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#table = parts.table;
    this.#changelog = parts.changelog;
    this.#commit = parts.commit;
    this.#entry = parts.table.view();
    this.#kind = parts.openKind(this.#entry);
    this.#owed = new OwedQueue(this.#kind);
    this.kept = new PassedInstants(this.#kind.kept);
  }

  get clock(): Millis {
    return this.#clock.now;
  }

  /** The restored entries are what lives as of the clock. Nothing happens to them before `arm` has ended. */
  begin(kept: Uint8Array | undefined, positions: readonly number[], evictions?: Uint8Array): void {
    assert(!this.isArmed && this.#arming === undefined, 'timers are armed once');
    this.evictAsOf(evictions);
    const startAt = this.kept.begin(kept, this.clock, positions);
    const wheel = new EntryTimers({
      tickMs: this.#parts.tickMs,
      startAt,
      initialCapacity: Math.max(1024, this.#table.slotsEnd),
      deadlineOf: (slot) => this.#timerDueAt(slot),
      goesFirst: this.#kind.goesFirst && ((slot) => this.#goesFirst(slot)),
    });
    this.#arming = { wheel, slot: 0 };
  }

  /** Up to `begin`, any number of times: entries that these concern are due, as of a commit of another owner. */
  evictAsOf(evictions: Uint8Array | undefined): void {
    if (!this.mayEvict || evictions === this.#evictionsSaid) return;
    this.#evictionsSaid = evictions;
    this.#evictions = new Evictions();
    if (evictions !== undefined) this.#evictions.restore(evictions);
    this.#isEvicting = !this.#evictions.isEmpty;
  }

  /** Looks at up to `limit` more slots, and arms a timer for each entry there. True once all have theirs. */
  arm(limit: number): boolean {
    const arming = this.#arming;
    assert(arming !== undefined, 'timers are armed after restoring');
    const table = this.#table;
    const { wheel } = arming;
    const end = Math.min(table.slotsEnd, arming.slot + limit);
    for (let slot = arming.slot; slot < end; slot += 1) {
      if (table.isLive(slot)) wheel.schedule(slot);
      else table.noteVacant(slot);
      if (table.isLive(slot)) this.#restored(slot);
    }
    arming.slot = end;
    if (end < table.slotsEnd) return false;
    this.#wheel = wheel;
    this.#arming = undefined;
    return true;
  }

  #restored(slot: number): void {
    this.#entry.at(slot);
    this.#kind.restored?.();
    this.#owed.restore(slot);
    this.kept.restored();
  }

  /** True once the restored entries are those that live. */
  get hasBegun(): boolean {
    return this.isArmed || this.#arming !== undefined;
  }

  get isArmed(): boolean {
    return this.#wheel !== undefined;
  }

  /** A lower bound of the earliest due instant; undefined with no live entry, and until all timers are armed. */
  earliestDue(): Millis | undefined {
    return this.#wheel?.earliestDeadline();
  }

  /** The same of those that the clock has not reached, as far as polls have looked. */
  earliestAhead(): Millis | undefined {
    return this.#wheel?.earliestAhead();
  }

  /** As PassedInstants. */
  get mustPass(): boolean {
    return this.kept.mustPass(this.clock);
  }

  /** As PassedInstants: until then `expire` stops before it. */
  aim(): boolean {
    return this.kept.aim(this.clock, this.mustPass ? (this.earliestDue() ?? Infinity) : Infinity);
  }

  /** As PassedInstants. */
  pass(): void {
    this.#guarded(() => {
      this.kept.pass(this.clock, this);
    });
  }

  /** The clock, as far as what is due may take effect by now. */
  get #horizon(): Millis {
    return this.kept.horizon(this.clock);
  }

  get dueThrough(): Millis {
    if (!this.#isEvicting) return this.#horizon;
    return Math.min(this.#horizon, this.#evictions.concerning(this.#kind.evicting!)?.at ?? Infinity);
  }

  /** True if its entries can be evicted. */
  get mayEvict(): boolean {
    return this.#kind.evicting !== undefined;
  }

  /** True if evictions are under way: entries that they concern may be left. */
  get isEvicting(): boolean {
    return this.#isEvicting;
  }

  /** From now on entries that it concerns are due, whenever `evictSome` comes to them. False: too many are under way. */
  evict(eviction: Eviction): boolean {
    if (!this.#evictions.hasRoomFor(eviction)) return false;
    this.#evictions.add(eviction);
    this.#isEvicting = true;
    return true;
  }

  /** Has an eviction come to the entry next, if one concerns it. */
  awaitEviction(slot: number): void {
    if (this.#isEvicting) this.#awaited.add(slot);
  }

  /** Ends those that are waited for, until the commit is full. */
  evictAwaited(): void {
    for (const slot of this.#awaited) {
      if (this.#commit.isFull) return;
      this.#awaited.delete(slot);
      if (this.#table.isLive(slot)) this.#evictUnder(slot);
    }
  }

  /** As evictions as of an earlier commit, where any are under way. */
  evictionBytes(): Uint8Array | undefined {
    return this.#evictions.bytes();
  }

  /**
   * Looks at entries, until so much is done as it takes to end `limit` of them, or the commit takes no more; `isAwaited`: all that
   * it takes, else the part of evictions. Returns how much was done, in ends.
   */
  evictSome(limit: number, isAwaited: boolean): number {
    const budget = limit * LOOKS_PER_END;
    let left = budget;
    // Only an end fills the commit: asked at each slot, it takes a quarter of the scan.
    for (let takes = this.#takesEvicted(isAwaited); left > 0 && this.#isEvicting && takes; left -= 1) {
      const { hand } = this.#evictions;
      if (this.#table.isLive(hand) && this.#evictUnder(hand)) {
        left -= LOOKS_PER_END - 1;
        takes = this.#takesEvicted(isAwaited);
      }
      this.#evictions.passed(this.#table.slotsEnd);
      this.#isEvicting = !this.#evictions.isEmpty;
    }
    if (!this.#isEvicting) this.#awaited.clear();
    return (budget - left) / LOOKS_PER_END;
  }

  #takesEvicted(isAwaited: boolean): boolean {
    return isAwaited ? !this.#commit.isFull : this.#commit.takesEvicted;
  }

  /** True if the entry was concerned. What is due behind the eviction is left: an instant may have to be passed before (IN1). */
  #evictUnder(slot: number): boolean {
    const first = this.#concerningAt(slot);
    if (first === undefined) return false;
    this.#commit.evicting(() => {
      for (let next: Eviction | undefined = first; next !== undefined; next = this.#concerningAt(slot))
        if (!this.#takeEffect(slot, Math.min(this.#kind.dueAt(), next.at), next.at)) break;
    });
    return true;
  }

  /** Moves the window. */
  #concerningAt(slot: number): Eviction | undefined {
    this.#entry.at(slot);
    return this.#evictions.concerning(this.#kind.evicting!);
  }

  /** Due entries that an earlier `expire` left. */
  get hasBacklog(): boolean {
    return this.#armed().hasBacklog;
  }

  /**
   * Has the kind take what is shown, as far as it does. Its bytes and group are those that the table was last told to look
   * ahead at.
   */
  take(): ReturnType<Kind['take']> {
    this.#commit.weighChanges();
    try {
      const refusal = this.#kind.take(this.shown, this);
      if (this.#owesChanged || this.#owesOpened) refuseSilence();
      return refusal;
    } catch (error) {
      this.#parts.onUnsound();
      throw error;
    }
  }

  find(index: number): boolean {
    const { bytes, group } = this.shown;
    const slot = this.#table.findAhead(bytes, group, index);
    if (slot < 0) return false;
    const due = this.#dueAt(slot);
    return due > this.clock || this.#takeEffect(slot, due);
  }

  open(index: number, stateBytes = 0): boolean {
    if (this.#owesChanged || this.#owesOpened) refuseSilence();
    const { bytes, group, baseOffset } = this.shown;
    if (isFullFor(this.#table, this.#parts.state, group.lengths[index]!, stateBytes)) return false;
    this.#parts.placement.note(bytes, group, index, baseOffset + group.offsetDeltas[index]!);
    this.#entry.at(this.#table.insertAhead(bytes, group, index));
    this.#owesOpened = true;
    return true;
  }

  hasRoom(stateBytes: number): boolean {
    assert(!this.#owesChanged && !this.#owesOpened, 'LE3: room is asked for before an entry changes');
    return hasRoomFor(this.#table, this.#parts.state, stateBytes);
  }

  opened(): void {
    assert(this.#owesOpened, 'LE3: an entry is opened once');
    this.#owesOpened = false;
    this.#owesChanged = true;
    this.#armed().schedule(this.#entry.slot);
  }

  changed(): void {
    // No more than that: it is in each heartbeat's way.
    this.#owesChanged = false;
    if (this.#changelog.changed(this.#entry)) this.#endShown();
  }

  reshaped(): void {
    this.#owesChanged = true;
    this.#table.reshaped.add(this.#entry.slot);
  }

  resized(): void {
    this.#owesChanged = true;
    this.#endIfFull();
  }

  dueSooner(): void {
    this.#armed().schedule(this.#entry.slot);
  }

  closed(at: Millis): void {
    this.#owesChanged = true;
    this.#commit.outputs.ended(at);
  }

  end(at: Millis): void {
    this.#owesChanged = false;
    const { slot } = this.#entry;
    this.#key = undefined;
    this.#commit.outputs.ended(at);
    this.#armed().cancel(slot);
    this.#changelog.removed(this.#entry);
    this.#table.remove(slot);
    this.#endIfFull();
  }

  purge(): void {
    this.#changelog.purge.ask();
  }

  key(): Uint8Array {
    const { slot } = this.#entry;
    if (this.#key?.slot !== slot) this.#key = { slot, bytes: this.#table.keyOf(slot) };
    return this.#key.bytes;
  }

  emit(record: KindOutput): void {
    this.#commit.outputs.add(record);
    this.#commit.weighChanges();
    this.#endIfFull();
  }

  record(bytes: number, headers: number, topic?: string): RecordSink {
    const { slot } = this.#entry;
    const sink = this.#commit.outputs.begin(this.#table.keyLengthOf(slot) + bytes, headers, topic);
    this.#table.sayKey(slot, sink);
    return sink;
  }

  recorded(): void {
    this.#commit.outputs.end();
    this.#commit.weighChanges();
    this.#endIfFull();
  }

  emitLater(records: LaterRecords): void {
    this.#commit.outputs.addLater(records);
    this.#commit.weighChanges();
    this.#endIfFull();
  }

  owes(): void {
    this.#owesChanged = true;
    this.#owed.add(this.#entry.slot);
  }

  /** True if any entry owes records. */
  get hasOwed(): boolean {
    return !this.#owed.isEmpty;
  }

  /** Works on owed records, until one is ready for the next commit. */
  sayOwed(): void {
    this.#entry.at(this.#owed.first);
    this.#guarded(() => {
      this.#owed.next(this, this.#addOwed);
    });
  }

  readonly #addOwed = (record: KindOutput): void => {
    this.#commit.addOwed(record);
    this.#commit.weighChanges();
  };

  /** Has the record being taken be the last that is shown where no more fits the commit. */
  #endIfFull(): void {
    if (this.#commit.isHeavy) this.#endShown();
  }

  #endShown(): void {
    const { shown } = this;
    shown.end = Math.min(shown.end, shown.index + 1);
  }

  /** A lower bound of what is due and goes first; Infinity: nothing does. */
  get firstDue(): Millis {
    return this.#wheel?.firstDeadline ?? Infinity;
  }

  /** True if nothing that is due is left to the end of a tick, where no more is due than takes effect at once. */
  get isExact(): boolean {
    return this.#kind.goesFirst !== undefined;
  }

  /** Lets up to `limit` of it take effect, within the wheel's tick, too. True if there may be more. */
  expireFirst(limit: number): boolean {
    return this.#armed().fireFirst(this.#horizon, limit, this.#fire);
  }

  /** Lets up to `limit` other entries take effect whose due instant the clock has reached. True if more are due. */
  expire(limit: number): boolean {
    const wheel = this.#armed();
    this.fired = wheel.poll(this.#horizon, limit, this.#fire);
    return wheel.hasRest;
  }

  /** After `expire` has left nothing: the same for what is due before the wheel's tick has ended. True if there may be more. */
  expireWithinTick(limit: number): boolean {
    const wheel = this.#armed();
    const more = wheel.fireWithinTick(limit, this.#fire);
    return more || wheel.hasRest;
  }

  /** Once the commit is full the rest waits for the next poll, what is due of the same entry, too. */
  readonly #fire = (slot: number): void => {
    const horizon = this.#horizon;
    for (let due = this.#dueAt(slot); due <= horizon && !this.#commit.isHeavy;) {
      const next = this.#nextDue(slot, due);
      if (next === undefined) return;
      due = next;
    }
    this.#armed().schedule(slot);
  };

  /** The timer of every live entry; undefined until all are armed. */
  timers(): TimerInspection | undefined {
    const table = this.#table;
    const wheel = this.#wheel;
    if (wheel === undefined) return undefined;
    const bounds = new Map(wheel.armed());
    const entries: EntryTimer[] = [];
    for (let slot = 0; slot < table.slotsEnd; slot += 1)
      if (table.isLive(slot))
        entries.push({
          key: table.keyOf(slot),
          dueAt: this.#timerDueAt(slot),
          // In the window that this has moved.
          isOwing: this.#kind.owing?.isOwing() === true,
          armedFor: bounds.get(slot),
        });
    return { entries, armed: wheel.size, earliest: wheel.earliestDeadline() };
  }

  /** Lists violations of the invariants, in words. O(live entries), moves the window and changes nothing else. For checks. */
  inspect(): string[] {
    const wheel = this.#wheel;
    const timers = this.timers();
    if (wheel === undefined || timers === undefined) return [];
    const { slotsEnd } = this.#table;
    const live = Array.from({ length: slotsEnd }, (_, slot) => slot).filter((slot) => this.#table.isLive(slot));
    const owed = this.#owed.inspect(live, (slot) => {
      this.#entry.at(slot);
    });
    return [...timerFaults(timers).map((fault) => `LE1: ${fault}`), ...owed, ...wheel.inspect(slotsEnd)];
  }

  /** When the entry is due next. Between two calls, since it moves the window. */
  dueAtOf(slot: number): Millis {
    return this.#dueAt(slot);
  }

  /** Moves the window. */
  #dueAt(slot: number): Millis {
    this.#entry.at(slot);
    const due = this.#kind.dueAt();
    return this.#isEvicting ? this.#dueBefore(due) : due;
  }

  /** The same with an eviction that concerns the entry in the window. */
  #dueBefore(due: Millis): Millis {
    const eviction = due <= this.#evictions.firstAt ? undefined : this.#evictions.concerning(this.#kind.evicting!);
    return eviction === undefined ? due : Math.min(due, eviction.at);
  }

  /** Moves the window. */
  #goesFirst(slot: number): boolean {
    this.#entry.at(slot);
    return this.#kind.goesFirst?.() === true;
  }

  /** Moves the window. Of evictions no timer tells. */
  #timerDueAt(slot: number): Millis {
    this.#entry.at(slot);
    return this.#kind.dueAt();
  }

  /** Lets everything due for the entry take effect, instant by instant (LE2). True if it lives on, in the window. */
  #takeEffect(slot: number, first: Millis, through = this.clock): boolean {
    for (let due = first; due <= through;) {
      const next = this.#nextDue(slot, due);
      if (next === undefined) return false;
      due = next;
    }
    this.#armed().schedule(slot);
    return true;
  }

  /** Lets what is due at `due` take effect. Returns the next due instant of the entry in the window; undefined: it has ended. */
  #nextDue(slot: number, due: Millis): Millis | undefined {
    this.#due(due);
    if (!this.#table.isLive(slot)) return undefined;
    const next = this.#dueAt(slot);
    // LE2. What is due comes before an eviction at the same clock, and one of those before the next.
    assert(
      next > due || (next === due && this.#isEvicting && this.#evictionAt(due) !== undefined),
      'what is due ends its entry or gives it a later due instant',
      { due, next },
    );
    return next;
  }

  /** Silence has no record to blame, and S4 leaves no choice: the entry ends with its output, or the partition stops. */
  #due(at: Millis): void {
    this.#parts.counters.expired += 1;
    this.#guarded(() => {
      const eviction = this.#isEvicting ? this.#evictionAt(at) : undefined;
      if (eviction === undefined) this.#kind.due(at, this);
      else this.#evictBy(eviction);
    });
  }

  #evictBy(eviction: Eviction): void {
    const evicting = this.#kind.evicting!;
    const { slot } = this.#entry;
    evicting.evict(eviction, this);
    assert(
      !this.#table.isLive(slot) || !evicting.concerns(eviction),
      'LE5: an eviction that took effect concerns its entry no more',
      { attribute: eviction.attribute, place: eviction.place },
    );
  }

  /** The eviction by which the entry in the window is due at `at`; undefined: it is by itself. */
  #evictionAt(at: Millis): Eviction | undefined {
    return this.#kind.dueAt() <= at ? undefined : this.#evictions.concerning(this.#kind.evicting!);
  }

  #guarded(what: () => void): void {
    if (this.#commit.isCutting) refuseChange();
    try {
      what();
      if (this.#owesChanged || this.#owesOpened) refuseSilence();
    } catch (error) {
      this.#parts.onUnsound();
      if (isConsequence(error)) throw error;
      const remedy = 'This is a defect of this program; nothing is lost. Report it with this message';
      throw new PartitionStopped(`${namedMessageOf(error)}. ${remedy}`, error);
    }
  }

  #armed(): EntryTimers {
    assert(this.#wheel !== undefined, 'entries live once they are restored and their timers armed');
    return this.#wheel;
  }
}

// Apart from the callers, which are hot.
function refuseChange(): never {
  assert(false, 'PT3: nothing changes while a commit is cut');
}

function refuseSilence(): never {
  assert(false, 'LE3: a kind says of an entry that it is opened, and last that it has changed, before its call ends');
}
