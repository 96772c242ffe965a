// Takes records that only add data (S8), to the session of their key, to one that waits for revisions, or to what is kept until
// there is one.
//
// Owns: nothing that outlives a call.
// Does not own: how data changes an entry (apply-event.ts, early-data.ts, revisions.ts).
import { ENDED } from '@flatline/ports/formats';
import type { Effects, GroupRecords, Refusal } from '../contract.ts';
import { NO_ROOM } from '../refusals.ts';
import { applyData } from './apply-event.ts';
import type { DisorderedSessions } from './disordered-sessions.ts';
import { renewEarly } from './early-data.ts';
import type { Revisions } from './revisions.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionOpening } from './session-opening.ts';
import type { SessionInput } from './session-options.ts';
import type { TakenRecord } from './taken-record.ts';
import { UNKNOWN_KEY } from './unknown-key.ts';

/** The entry of a record's key, and whether that is a session or early data. */
export interface Found {
  readonly isLive: boolean;
  readonly hasSession: boolean;
}

export interface SessionDataParts extends SessionContext {
  readonly record: TakenRecord;
  readonly opening: SessionOpening;
  readonly disordered: DisorderedSessions;
  readonly revisions: Revisions;
}

export class SessionData {
  readonly #parts: SessionDataParts;

  constructor(parts: SessionDataParts) {
    this.#parts = parts;
  }

  take(
    input: SessionInput,
    records: GroupRecords,
    { isLive, hasSession }: Found,
    effects: Effects,
  ): Refusal | undefined {
    const { entry, rules, counters, stats, record, opening, disordered } = this.#parts;
    const { event, at } = record;
    if (event.type === ENDED) {
      // A row that is deleted from a table ends nothing.
      counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!hasSession && input.unknownKey === 'deadLetter') return UNKNOWN_KEY;
    if (hasSession && entry.hasDisorder)
      return disordered.takeData({ ...record.arrivalOf(records, effects), event }, effects);
    const unreduced = record.reduce(records, isLive, record.mute(isLive));
    if (unreduced !== undefined) return unreduced;
    if (!opening.makeRoom(records.index, isLive, effects, input)) return NO_ROOM;
    counters.dataEvents += 1;
    const lengthBefore = entry.stateLength;
    if (!hasSession && renewEarly(entry, input.holdMs, at)) {
      effects.reshaped();
      effects.dueSooner();
    }
    const standing = hasSession ? stats?.standing(entry, event) : undefined;
    const applied = applyData(entry, rules, event, at);
    if (standing !== undefined) stats!.moved(entry, standing);
    record.keepReduced();
    if (applied.duplicate) counters.duplicates += 1;
    counters.forgottenSources += applied.forgottenSources;
    if (entry.stateLength !== lengthBefore) effects.resized();
    effects.changed();
    return undefined;
  }

  /** The session of the key has closed, and may be revised (S9). */
  takeOnClosed(records: GroupRecords, effects: Effects): Refusal | undefined {
    const { record, revisions } = this.#parts;
    const unreduced = record.reduce(records, true, record.mute(true));
    return unreduced ?? revisions.takeData(record.event, record.at, record.reduced, effects);
  }
}
