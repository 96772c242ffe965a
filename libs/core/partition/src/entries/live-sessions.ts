// The live sessions of one partition: what a record or a timer does to them.
//
// Owns: the entries' timers, the summaries of closed sessions not yet cut.      Does not own: the clock (handed in as
// `clock`), which record comes next, when a commit is cut.
//
// Invariants
//   LS1  The wheel waits for each live entry at or before its due instant, which it asks for when it meets the entry: a
//        heartbeat only makes that later, and tells the wheel nothing (lazy re-arm).
//   LS2  An entry leaves by `#close` only, and `#close` makes its summary: never none, never two (S4).
import { assert, type DurationMs, type Millis } from '@flatline/base';
import {
  applyEvent,
  applyHeartbeat,
  type CloseReason,
  dueAt,
  dueReason,
  type HeldTime,
  type Occurrence,
  openSession,
  type SessionEvent,
  type SessionRules,
  type SessionSummary,
  summarize,
  textBytes,
} from '@flatline/kinds';
import { TimingWheel } from '@flatline/timing-wheel';
import type { Changelog } from '../changelog/changelog.ts';
import type { TaskCounters } from '../counters.ts';
import type { EntryTable } from './entry-table.ts';
import type { EntryView } from './entry-view.ts';
import type { KeySpans } from '@flatline/ports';
import type { EntryTimer, TimerInspection } from './timer-inspection.ts';

export interface LiveSessionsParts {
  readonly partition: number;
  readonly rules: SessionRules;
  /** Time that no deadline counts (C8). */
  readonly held: HeldTime;
  readonly tickMs: DurationMs;
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly counters: TaskCounters;
}

/** The times of one step: the partition clock decides, the wall clock is only written down (`emittedAt`). */
export interface Now {
  clock: Millis;
  wall: Millis;
}

/** Of a summary in JSON and its tombstone: all but the key, which is in both, and the texts. */
export const SUMMARY_NUMBERS_BYTES = 600;

export class LiveSessions {
  readonly #parts: LiveSessionsParts;
  readonly #view: EntryView;
  /** Set once each restored entry has its timer. */
  #wheel: TimingWheel | undefined;
  /** Until then: the wheel to be, and the slot that is looked at next. */
  #arming: { readonly wheel: TimingWheel; slot: number } | undefined;
  #closed: SessionSummary[] = [];
  #closedBytes = 0;

  constructor(parts: LiveSessionsParts) {
    this.#parts = parts;
    this.#view = parts.table.view();
  }

  /** The restored entries are what lives as of `clock`. Nothing happens to them before `arm` has ended. */
  begin(clock: Millis): void {
    assert(!this.isArmed && this.#arming === undefined, 'timers are armed once');
    const { table, rules, held, tickMs } = this.#parts;
    const timed = table.view();
    const wheel = new TimingWheel({
      tickMs,
      startAt: clock,
      initialCapacity: Math.max(1024, table.slotsEnd),
      deadlineOf: (slot) => dueAt(timed.at(slot), rules, held),
    });
    this.#arming = { wheel, slot: 0 };
  }

  /** Looks at up to `limit` more slots, and arms a timer for each entry there. True once all have theirs. */
  arm(limit: number): boolean {
    const arming = this.#arming;
    assert(arming !== undefined, 'timers are armed after restoring');
    const { table } = this.#parts;
    const { wheel } = arming;
    const end = Math.min(table.slotsEnd, arming.slot + limit);
    for (let slot = arming.slot; slot < end; slot += 1) if (table.isLive(slot)) wheel.schedule(slot);
    arming.slot = end;
    if (end < table.slotsEnd) return false;
    this.#wheel = wheel;
    this.#arming = undefined;
    return true;
  }

  get isArmed(): boolean {
    return this.#wheel !== undefined;
  }

  /** Summaries that wait for a cut. */
  get closedCount(): number {
    return this.#closed.length;
  }

  /** About how many bytes they are on the output, each text's UTF-16 unit as one. */
  get closedBytes(): number {
    return this.#closedBytes;
  }

  takeClosed(): readonly SessionSummary[] {
    const closed = this.#closed;
    this.#closed = [];
    this.#closedBytes = 0;
    return closed;
  }

  /** A lower bound of the earliest due instant; undefined with no live entry, and until all timers are armed. */
  earliestDue(): Millis | undefined {
    return this.#wheel?.earliestDeadline();
  }

  /** Due entries that an earlier `expire` left. */
  get hasBacklog(): boolean {
    return this.#armed().hasBacklog;
  }

  /**
   * The slot of the key at `index` of the group, or −1; what is due for that key takes effect first, as of its due instant
   * (S3). `bytes` and the group are those that the table was last told to look ahead at.
   */
  findLive(bytes: Uint8Array, group: KeySpans, index: number, now: Now): number {
    const { rules, held, table } = this.#parts;
    const slot = table.findAhead(bytes, group, index);
    if (slot < 0) return -1;
    const due = dueAt(this.#view.at(slot), rules, held);
    if (due > now.clock) return slot;
    this.#close(slot, {
      reason: dueReason(this.#view, rules, held),
      closedAt: due,
      endedAt: undefined,
      emittedAt: now.wall,
    });
    return -1;
  }

  /** A new session of the key at `index`, which `findLive` has not found; returns its slot. */
  open(bytes: Uint8Array, group: KeySpans, index: number, at: Occurrence): number {
    const { counters, table, rules } = this.#parts;
    counters.sessionsOpened += 1;
    const slot = table.insertAhead(bytes, group, index);
    openSession(this.#view.at(slot), rules, at);
    this.#armed().schedule(slot);
    return slot;
  }

  /** A bare heartbeat. */
  touch(slot: number, at: Occurrence): void {
    const { rules, counters } = this.#parts;
    counters.heartbeats += 1;
    const entry = this.#view.at(slot);
    const before = entry.timeoutMs;
    applyHeartbeat(entry, rules, at);
    this.#changed(slot, before);
  }

  /** An event that does not end its session. */
  apply(slot: number, event: SessionEvent, at: Occurrence): void {
    const { counters, rules } = this.#parts;
    counters.events += 1;
    const entry = this.#view.at(slot);
    const before = entry.timeoutMs;
    const textsBefore = textBytes(entry.detail);
    const applied = applyEvent(entry, rules, event, at);
    if (applied.duplicate) counters.duplicates += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    const grownBy = textBytes(entry.detail) - textsBefore;
    if (grownBy !== 0) this.#parts.changelog.grew(entry, grownBy);
    this.#changed(slot, before);
  }

  /** An explicit end is the session's last event: it is applied, then the session closes. */
  end(found: number, event: SessionEvent, at: Occurrence, now: Now): void {
    if (found < 0) {
      this.#parts.counters.unmatchedEnds += 1;
      return;
    }
    const endedAt = event.occurredAt ?? at.timestamp;
    this.apply(found, event, at);
    this.#close(found, { reason: 'ENDED', closedAt: now.clock, endedAt, emittedAt: now.wall });
  }

  /** Closes up to `limit` entries whose due instant the clock has reached. True if more are due. */
  expire(limit: number, now: Now): boolean {
    const wheel = this.#armed();
    wheel.poll(now.clock, limit, (slot) => {
      this.#onTimer(slot, now);
    });
    return wheel.hasBacklog;
  }

  /** After `expire` has left nothing: closes up to `limit` that are due before the wheel's tick has ended. True if there may be more. */
  expireWithinTick(limit: number, now: Now): boolean {
    return this.#armed().fireWithinTick(limit, (slot) => {
      this.#onTimer(slot, now);
    });
  }

  /** What every live entry's timer is set to; undefined until all are armed. */
  timers(): TimerInspection | undefined {
    const { table } = this.#parts;
    const wheel = this.#wheel;
    if (wheel === undefined) return undefined;
    const bounds = new Map(wheel.armed());
    const entries: EntryTimer[] = [];
    for (let slot = 0; slot < table.slotsEnd; slot += 1)
      if (table.isLive(slot)) entries.push(this.#timerOf(slot, bounds.get(slot)));
    return { entries, armed: wheel.size, earliest: wheel.earliestDeadline() };
  }

  #timerOf(slot: number, armedFor: Millis | undefined): EntryTimer {
    const { table, rules, held } = this.#parts;
    return { key: table.keyOf(slot), dueAt: dueAt(this.#view.at(slot), rules, held), armedFor };
  }

  /** A shorter timeout is the one way a due instant comes nearer, and the wheel must know (LS1). */
  #changed(slot: number, timeoutBefore: DurationMs): void {
    const entry = this.#view;
    this.#parts.changelog.changed(entry);
    if (entry.timeoutMs < timeoutBefore) this.#armed().schedule(slot);
  }

  #onTimer(slot: number, now: Now): void {
    const { rules, held } = this.#parts;
    const closedAt = dueAt(this.#view.at(slot), rules, held);
    this.#close(slot, {
      reason: dueReason(this.#view, rules, held),
      closedAt,
      endedAt: undefined,
      emittedAt: now.wall,
    });
  }

  #close(
    slot: number,
    closing: { reason: CloseReason; closedAt: Millis; endedAt: Millis | undefined; emittedAt: Millis },
  ): void {
    const { partition, rules, held, table, changelog } = this.#parts;
    const entry = this.#view.at(slot);
    const key = table.keyOf(slot);
    this.#closed.push(summarize(entry, rules, { key, partition, ...closing }, held));
    this.#closedBytes += SUMMARY_NUMBERS_BYTES + 2 * key.length + textBytes(entry.detail);
    this.#count(closing.reason);
    this.#armed().cancel(slot);
    changelog.removed(entry, key);
    table.remove(slot);
  }

  #count(reason: CloseReason): void {
    const { counters } = this.#parts;
    if (reason === 'TIMEOUT') counters.closedByTimeout += 1;
    else if (reason === 'ENDED') counters.closedByEnd += 1;
    else if (reason === 'MAX_DURATION') counters.closedByMaxDuration += 1;
  }

  #armed(): TimingWheel {
    assert(this.#wheel !== undefined, 'sessions live once they are restored and their timers armed');
    return this.#wheel;
  }
}
