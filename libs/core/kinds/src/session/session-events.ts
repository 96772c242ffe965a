// Takes activity where a pipeline has one input: a bare heartbeat, an event, an end, in the order of the log (S1, S2, S13).
//
// Owns: nothing that outlives a call.
// Does not own: which records go by their times instead (session-by-time.ts), several inputs (session-inputs.ts).
import type { Mutable } from '@flatline/base';
import { ENDED, type EventDecoder, type SessionEvent } from '@flatline/ports/formats';
import type { Effects, GroupRecords, Refusal } from '../contract.ts';
import { NO_ROOM } from '../refusals.ts';
import type { Occurrence } from './apply-event.ts';
import { isFull } from './capped.ts';
import type { SessionRules } from './entry.ts';
import type { SessionActs } from './session-acts.ts';
import type { InOrder, SessionByTime } from './session-by-time.ts';
import type { SessionClosing } from './session-closing.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionCounters } from './session-counters.ts';
import type { SessionOpening } from './session-opening.ts';
import type { SessionTouches } from './session-touches.ts';
import type { SessionWindow } from './session-window.ts';
import type { TakenRecord } from './taken-record.ts';

export interface SessionEventsParts extends SessionContext {
  readonly decoder: EventDecoder;
  readonly record: TakenRecord;
  readonly acts: SessionActs;
  readonly touches: SessionTouches;
  readonly opening: SessionOpening;
  readonly closing: SessionClosing;
  readonly byTime: SessionByTime;
}

/** Each part in a field of its own: a heartbeat pays for every step between it and the entry. */
export class SessionEvents implements InOrder {
  readonly #entry: SessionWindow;
  readonly #rules: SessionRules;
  readonly #counters: SessionCounters;
  readonly #decoder: EventDecoder;
  readonly #record: TakenRecord;
  readonly #event: SessionEvent;
  readonly #at: Mutable<Occurrence>;
  readonly #acts: SessionActs;
  readonly #touches: SessionTouches;
  readonly #opening: SessionOpening;
  readonly #closing: SessionClosing;
  readonly #byTime: SessionByTime;

  constructor(parts: SessionEventsParts) {
    this.#entry = parts.entry;
    this.#rules = parts.rules;
    this.#counters = parts.counters;
    this.#decoder = parts.decoder;
    this.#record = parts.record;
    this.#event = parts.record.event;
    this.#at = parts.record.at;
    this.#acts = parts.acts;
    this.#touches = parts.touches;
    this.#opening = parts.opening;
    this.#closing = parts.closing;
    this.#byTime = parts.byTime;
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    const at = this.#at;
    const { group, baseOffset } = records;
    for (; records.index < records.end; records.index += 1) {
      const { index } = records;
      at.offset = baseOffset + group.offsetDeltas[index]!;
      const isLive = effects.find(index);
      const isByTime = this.#byTime.decides(isLive);
      if (!isByTime && group.valueLengths[index] === 0) {
        // As in takeBare, written out: this is the heartbeat's way.
        if (!isLive && !this.#opening.openBare(index, effects)) return NO_ROOM;
        this.#touches.touch(isLive, effects);
        continue;
      }
      if (group.valueLengths[index]! < 0 && this.#acts.take(records, isLive, effects)) continue;
      const refusal = isByTime
        ? this.#byTime.take(records, isLive, this, effects)
        : this.#takeEvent(records, isLive, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  takeBare(index: number, isLive: boolean, effects: Effects): Refusal | undefined {
    if (!isLive && !this.#opening.openBare(index, effects)) return NO_ROOM;
    this.#touches.touch(isLive, effects);
    return undefined;
  }

  #takeEvent(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    return this.#record.decode(records, this.#decoder) ?? this.takeDecoded(records, isLive, effects);
  }

  takeDecoded(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    if (isLive && this.#touches.isOfNumbers) {
      this.#touches.applyNumbers(effects);
      return undefined;
    }
    return this.#takeAny(records, isLive, effects);
  }

  /** An event that may say anything. */
  #takeAny(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    const isEnd = this.#event.type === ENDED;
    if (isEnd && !isLive) {
      this.#counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!isEnd && isLive && isFull(this.#entry, this.#rules)) {
      this.#touches.touch(isLive, effects);
      return undefined;
    }
    const unreduced = this.#record.reduce(records, isLive);
    if (unreduced !== undefined) return unreduced;
    if (isEnd) {
      this.#closing.end(effects);
      return undefined;
    }
    if (!this.#opening.makeRoom(records.index, isLive, effects)) return NO_ROOM;
    this.#touches.apply(isLive, effects);
    return undefined;
  }
}
