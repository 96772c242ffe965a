// How a session begins, and whether there is room for what a record adds to it (I7): where its key has none, from data that came
// early (S8), in place of one that waits for revisions (S9).
//
// Owns: nothing that outlives a call.
// Does not own: which records begin one.
import type { SessionEvent } from '@flatline/ports/formats';
import type { Effects, GroupRecords, Refusal } from '../contract.ts';
import { NO_ROOM } from '../refusals.ts';
import { type Occurrence, openSession } from './apply-event.ts';
import { openEarly, openFromEarly } from './early-data.ts';
import type { SessionRules } from './entry.ts';
import { growthAtMost, growthOf } from './growth.ts';
import type { Revisions } from './revisions.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionCounters } from './session-counters.ts';
import type { SessionInput } from './session-options.ts';
import type { SessionTouches } from './session-touches.ts';
import type { SessionWindow } from './session-window.ts';
import type { TakenRecord } from './taken-record.ts';
import { noteTold, openTold, toldBytes } from './told.ts';

export class SessionOpening {
  readonly #entry: SessionWindow;
  readonly #rules: SessionRules;
  readonly #counters: SessionCounters;
  readonly #record: TakenRecord;
  readonly #event: SessionEvent;
  readonly #at: Occurrence;
  readonly #touches: SessionTouches;
  readonly #revisions: Revisions;
  /** Bytes of state that a session opens with. */
  readonly #leastBytes: number;

  constructor(
    { entry, rules, counters }: SessionContext,
    record: TakenRecord,
    touches: SessionTouches,
    revisions: Revisions,
  ) {
    this.#entry = entry;
    this.#rules = rules;
    this.#counters = counters;
    this.#record = record;
    this.#event = record.event;
    this.#at = record.at;
    this.#touches = touches;
    this.#revisions = revisions;
    this.#leastBytes = toldBytes(rules);
  }

  /** Opens the session of a bare heartbeat. False: there is no room for it. */
  openBare(index: number, effects: Effects): boolean {
    return this.#open(index, this.#leastBytes, effects);
  }

  /** `of`: an input whose data is kept until there is a session. */
  #open(index: number, stateBytes: number, effects: Effects, of?: SessionInput): boolean {
    if (!effects.open(index, stateBytes)) return false;
    if (of === undefined) {
      this.#counters.sessionsOpened += 1;
      openSession(this.#entry, this.#rules, this.#at);
    } else {
      this.#counters.earlyKept += 1;
      openEarly(this.#entry, of.holdMs, this.#at);
    }
    if (this.#rules.updateIntervalMs !== undefined) openTold(this.#entry);
    effects.opened();
    return true;
  }

  /** Makes room for the event, and opens the session where none lives, or early data of `of`. False if there is none. */
  makeRoom(index: number, isLive: boolean, effects: Effects, of?: SessionInput): boolean {
    const reduced = this.#record.reduced?.grownBy ?? 0;
    const most = growthAtMost(this.#event, this.#rules) + reduced;
    if (isLive && most <= 0) return true;
    if (isLive ? effects.hasRoom(most) : this.#open(index, this.#leastBytes + most, effects, of)) return true;
    if (most <= 0) return false;
    const bytes = growthOf(isLive ? this.#entry : undefined, this.#rules, this.#event, this.#at) + reduced;
    return isLive ? effects.hasRoom(bytes) : this.#open(index, bytes, effects, of);
  }

  /** Makes early data the session that the record opens, which is applied next. */
  joinEarly(effects: Effects): void {
    this.#counters.sessionsOpened += 1;
    this.#counters.earlyJoined += 1;
    openFromEarly(this.#entry, this.#rules, this.#at, this.#event.occurredAt ?? this.#at.timestamp);
    noteTold(this.#entry);
    effects.reshaped();
  }

  /** The next session of a key opens in place of a closed one, whose window ends (S9). */
  succeed(records: GroupRecords, effects: Effects): Refusal | undefined {
    const entry = this.#entry;
    const isBare = records.group.valueLengths[records.index] === 0;
    const unreduced = this.#record.reduce(records, false);
    if (unreduced !== undefined) return unreduced;
    if (!this.#hasRoomToSucceed(isBare, effects)) return NO_ROOM;
    this.#revisions.supersede(effects);
    this.#counters.sessionsOpened += 1;
    openSession(entry, this.#rules, this.#at);
    if (this.#rules.updateIntervalMs !== undefined) openTold(entry);
    effects.resized();
    effects.reshaped();
    if (isBare) this.#touches.touch(false, effects);
    else this.#touches.apply(false, effects);
    effects.dueSooner();
    return undefined;
  }

  #hasRoomToSucceed(isBare: boolean, effects: Effects): boolean {
    const freed = this.#entry.stateLength;
    const reduced = this.#record.reduced?.grownBy ?? 0;
    const most = isBare ? 0 : growthAtMost(this.#event, this.#rules) + reduced;
    if (effects.hasRoom(this.#leastBytes + most - freed)) return true;
    return most > 0 && effects.hasRoom(growthOf(undefined, this.#rules, this.#event, this.#at) + reduced - freed);
  }
}
