// Takes records where their times count (C7): as they come, if they prolong the one open session of their key or open the first
// one; else as disorder, or too late.
//
// Owns: whether an entry may have disorder.
// Does not own: records in order, and what they do (session-events.ts), keys with several open sessions (disordered-sessions.ts).
import type { DurationMs } from '@flatline/base';
import { ENDED, type EventDecoder, type SessionEvent } from '@flatline/ports/formats';
import type { Effects, GroupRecords, Refusal } from '../contract.ts';
import { isClosed } from './closed-mark.ts';
import { deadlineOf } from './deadline.ts';
import type { DisorderedSessions } from './disordered-sessions.ts';
import { type Arrival, belongs, isLate } from './placing.ts';
import type { Revisions } from './revisions.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionOpening } from './session-opening.ts';
import type { SessionInput } from './session-options.ts';
import type { SessionWindow } from './session-window.ts';
import type { TakenRecord } from './taken-record.ts';
import { UNKNOWN_KEY } from './unknown-key.ts';

/** Takes a record as one that comes in order: bare, or with its event decoded. */
export interface InOrder {
  takeBare(index: number, isLive: boolean, effects: Effects): Refusal | undefined;
  takeDecoded(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined;
}

export interface SessionByTimeParts extends SessionContext {
  readonly decoder: EventDecoder;
  readonly record: TakenRecord;
  readonly opening: SessionOpening;
  readonly disordered: DisorderedSessions;
  readonly revisions: Revisions;
}

export class SessionByTime {
  readonly #parts: SessionByTimeParts;
  readonly #entry: SessionWindow;
  /** 0: records are applied as they come, whatever their times (C7). A field of its own: each heartbeat asks for it. */
  readonly #graceMs: DurationMs;
  /**
   * True if disorder may lie beside a session although times no longer count (C7): it was restored, or is kept for revisions. Asked
   * before the entry's row is: a heartbeat waits a twelfth of its time for that line.
   */
  #mayMeetDisorder: boolean;

  constructor(parts: SessionByTimeParts) {
    this.#parts = parts;
    this.#entry = parts.entry;
    this.#graceMs = parts.rules.graceMs;
    this.#mayMeetDisorder = parts.revisions.isOn;
  }

  /** True if the time of a record says what it does to the entry in the window. */
  decides(isLive: boolean): boolean {
    return this.#graceMs > 0 || (this.#mayMeetDisorder && isLive && this.#entry.hasDisorder);
  }

  /** A restored entry. */
  restored(): void {
    this.#mayMeetDisorder ||= this.#entry.hasDisorder;
  }

  /** A record of a pipeline with one input. */
  take(records: GroupRecords, isLive: boolean, inOrder: InOrder, effects: Effects): Refusal | undefined {
    const { decoder, rules, record, disordered } = this.#parts;
    const { index } = records;
    const isBare = records.group.valueLengths[index] === 0;
    const undecoded = isBare ? undefined : record.decode(records, decoder);
    if (undecoded !== undefined) return undecoded;
    const arrival = record.arrivalOf(records, effects);
    const { event } = arrival;
    if (isLive && isClosed(this.#entry)) return this.takeOnClosed(records, arrival, effects);
    if (isLive && !this.prolongs(event)) return disordered.take(arrival, effects);
    if (!isLive && event?.type !== ENDED && isLate(arrival, rules)) return disordered.late(arrival);
    const untaken = isBare ? inOrder.takeBare(index, isLive, effects) : inOrder.takeDecoded(records, isLive, effects);
    if (untaken !== undefined) return untaken;
    if (isLive) this.beginSooner(effects);
    return undefined;
  }

  /** A record of a key whose session has closed, and may be revised (S9). */
  takeOnClosed(
    records: GroupRecords,
    arrival: Arrival,
    effects: Effects,
    { unknownKey }: Pick<SessionInput, 'unknownKey'> = { unknownKey: 'open' },
  ): Refusal | undefined {
    const { revisions, opening, disordered } = this.#parts;
    const taken = revisions.takeByTime(arrival, effects);
    if (taken === 'taken') return undefined;
    if (taken === 'newcomer') return unknownKey === 'open' ? opening.succeed(records, effects) : UNKNOWN_KEY;
    return taken === 'late' ? disordered.late(arrival) : taken;
  }

  /** True if the event belongs to the entry's one session. */
  prolongs(event: SessionEvent | undefined): boolean {
    const { entry, rules, held, record } = this.#parts;
    if (entry.hasDisorder || event?.type === ENDED) return false;
    const end = deadlineOf(entry, rules, held);
    return belongs(entry, end, { event, at: record.at, clock: 0 }, rules);
  }

  /** The session began with the record that was taken last, if no other of it is of before. */
  beginSooner(effects: Effects): void {
    const { effectiveAt } = this.#parts.record.at;
    if (effectiveAt >= this.#entry.openedAt) return;
    this.#entry.openedAt = effectiveAt;
    effects.reshaped();
    effects.changed();
  }
}
