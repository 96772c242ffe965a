// Takes records of a pipeline with several inputs (S8): activity of each, on whatever is kept of its key; what is none adds data.
//
// Owns: nothing that outlives a call.
// Does not own: in which order records of several inputs come (the engine), what data does (session-data.ts).
import { ENDED } from '@flatline/ports/formats';
import type { Effects, GroupRecords, Refusal } from '../contract.ts';
import { NO_ROOM } from '../refusals.ts';
import { isClosed } from './closed-mark.ts';
import type { DisorderedSessions } from './disordered-sessions.ts';
import { isEarly } from './early-data.ts';
import { isLate } from './placing.ts';
import type { SessionActs } from './session-acts.ts';
import type { SessionByTime } from './session-by-time.ts';
import type { SessionClosing } from './session-closing.ts';
import type { SessionContext } from './session-context.ts';
import type { Found, SessionData } from './session-data.ts';
import type { SessionOpening } from './session-opening.ts';
import type { SessionInput } from './session-options.ts';
import type { SessionTouches } from './session-touches.ts';
import type { TakenRecord } from './taken-record.ts';
import { UNKNOWN_KEY } from './unknown-key.ts';

export interface SessionInputsParts extends SessionContext {
  readonly record: TakenRecord;
  readonly acts: SessionActs;
  readonly touches: SessionTouches;
  readonly opening: SessionOpening;
  readonly closing: SessionClosing;
  readonly byTime: SessionByTime;
  readonly disordered: DisorderedSessions;
  readonly data: SessionData;
}

export class SessionInputs {
  readonly #parts: SessionInputsParts;

  constructor(parts: SessionInputsParts) {
    this.#parts = parts;
  }

  take(input: SessionInput, records: GroupRecords, effects: Effects): Refusal | undefined {
    const { entry, record, acts, byTime, data } = this.#parts;
    const { group, baseOffset } = records;
    for (; records.index < records.end; records.index += 1) {
      record.at.offset = baseOffset + group.offsetDeltas[records.index]!;
      const isLive = effects.find(records.index);
      if (group.valueLengths[records.index]! < 0 && acts.take(records, isLive, effects)) continue;
      const undecoded = record.read(records, input.decoder);
      if (undecoded !== undefined) return undecoded;
      if (isLive && isClosed(entry)) {
        const untaken = this.#takeOnClosed(input, records, effects);
        if (untaken !== undefined) return untaken;
        continue;
      }
      const hasSession = isLive && !isEarly(entry);
      const isActivity = input.touches || (!hasSession && input.unknownKey === 'open');
      const found: Found = { isLive, hasSession };
      const why = !isActivity
        ? data.take(input, records, found, effects)
        : byTime.decides(isLive)
          ? this.#takeActivityByTime(input, records, found, effects)
          : this.#takeActivity(input, records, found, effects);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /** An activity, on whatever is kept of its key. */
  #takeActivity(
    input: SessionInput,
    records: GroupRecords,
    { isLive, hasSession }: Found,
    effects: Effects,
  ): Refusal | undefined {
    const { counters, record, touches, opening, closing } = this.#parts;
    const { index } = records;
    const isEnd = record.event.type === ENDED;
    if (isEnd && !hasSession) {
      counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!hasSession && input.unknownKey !== 'open') return UNKNOWN_KEY;
    const isBare = (!isEnd && record.mute(isLive)) || records.group.valueLengths[index] === 0;
    const unreduced = record.reduce(records, isLive, isBare);
    if (unreduced !== undefined) return unreduced;
    if (hasSession) record.keepToFirstInput(records);
    if (isEnd) {
      closing.end(effects);
      return undefined;
    }
    if (!opening.makeRoom(index, isLive, effects)) return NO_ROOM;
    const wasEarly = isLive && !hasSession;
    if (wasEarly) opening.joinEarly(effects);
    if (isBare) touches.touch(hasSession, effects);
    else touches.apply(hasSession, effects);
    // Data may have been kept for longer than silence lasts.
    if (wasEarly) effects.dueSooner();
    return undefined;
  }

  /** The same where times count (C7). */
  #takeActivityByTime(input: SessionInput, records: GroupRecords, found: Found, effects: Effects): Refusal | undefined {
    const { rules, record, byTime, disordered } = this.#parts;
    const { hasSession } = found;
    const arrival = record.arrivalOf(records, effects);
    const isEnd = arrival.event?.type === ENDED;
    const opensNone = input.unknownKey !== 'open';
    if (hasSession && !byTime.prolongs(arrival.event)) return disordered.take({ ...arrival, opensNone }, effects);
    if (!hasSession && !isEnd && isLate(arrival, rules)) return disordered.late(arrival);
    const untaken = this.#takeActivity(input, records, found, effects);
    if (untaken !== undefined) return untaken;
    if (hasSession) byTime.beginSooner(effects);
    return undefined;
  }

  /** A record of a key whose session has closed, and may be revised (S9). */
  #takeOnClosed(input: SessionInput, records: GroupRecords, effects: Effects): Refusal | undefined {
    const { rules, counters, record, opening, byTime, data } = this.#parts;
    const isByTime = rules.graceMs > 0;
    if (record.event.type === ENDED && !(input.touches && isByTime)) {
      counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!input.touches) return data.takeOnClosed(records, effects);
    if (isByTime) return byTime.takeOnClosed(records, record.arrivalOf(records, effects), effects, input);
    if (input.unknownKey !== 'open') return UNKNOWN_KEY;
    return opening.succeed(records, effects);
  }
}
