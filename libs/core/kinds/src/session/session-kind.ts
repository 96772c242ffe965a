// Sessions as a kind: what a record does to one, and what is said when it ends (S1–S10, O2, O3).
//
// Owns: nothing that outlives a call; a scratch event and a scratch occurrence, filled again for each record: a bare
// heartbeat allocates nothing.      Does not own: entries, timers, commits (the engine).
import type { DurationMs, Millis, Mutable } from '@flatline/base';
import type { Effects, Kind, KindParts, PipelineKind, Refusal, GroupRecords } from '../contract.ts';
import { decodeInto, NO_ROOM } from '../refusals.ts';
import { applyEvent, applyHeartbeat, type Occurrence, openSession } from './apply-event.ts';
import {
  blankEvent,
  type CloseReason,
  ENDED,
  type EventDecoder,
  resetEvent,
  type SessionEvent,
  type SessionState,
} from '@flatline/ports/formats';
import { type Closing, deadlineOf, dueReason, summarize } from './deadline.ts';
import { DisorderedSessions } from './disordered-sessions.ts';
import { growthAtMost, growthOf } from './growth.ts';
import type { SessionRules } from './entry.ts';
import { belongs, isLate } from './placing.ts';
import { type SessionCounters, zeroCounters } from './session-counters.ts';
import { sessionFormat } from './session-format.ts';
import { readSource } from './source-header.ts';
import { countClose, saySummary, type VoiceOptions } from './session-voice.ts';
import { noteTold, openTold, owesUpdate, toldBytes } from './told.ts';
import type { SessionWindow } from './session-window.ts';

export interface SessionOptions extends VoiceOptions {
  readonly rules: SessionRules;
  readonly decoder: EventDecoder;
}

type SessionParts = KindParts<SessionWindow, SessionCounters>;

export function sessionKind(options: SessionOptions): PipelineKind<SessionWindow, SessionCounters> {
  return {
    format: sessionFormat,
    counters: zeroCounters,
    open: (parts) => new SessionKind(options, parts),
    prepare: (schemaId) => options.decoder.prepare(schemaId),
  };
}

class SessionKind implements Kind {
  readonly #options: SessionOptions;
  readonly #rules: SessionRules;
  readonly #parts: SessionParts;
  readonly #entry: SessionWindow;
  readonly #event: SessionEvent = blankEvent();
  readonly #at: Mutable<Occurrence> = { offset: 0, effectiveAt: 0, timestamp: 0 };
  readonly #disordered: DisorderedSessions;
  /** 0: records are applied as they come, whatever their times (C7). A field of its own: each heartbeat asks for it. */
  readonly #graceMs: DurationMs;
  /** True if anything is told of live sessions (S11). As the grace, asked for by each heartbeat. */
  readonly #tells: boolean;
  /** Bytes of state that a session opens with. */
  readonly #leastBytes: number;

  constructor(options: SessionOptions, parts: SessionParts) {
    this.#options = options;
    this.#rules = options.rules;
    this.#parts = parts;
    this.#entry = parts.entry;
    this.#disordered = new DisorderedSessions({ ...parts, rules: options.rules, voice: options });
    const { graceMs, sayOpened, updateIntervalMs } = options.rules;
    this.#graceMs = graceMs;
    this.#tells = sayOpened === true || updateIntervalMs !== undefined;
    this.#leastBytes = toldBytes(options.rules);
  }

  dueAt(): Millis {
    return deadlineOf(this.#entry, this.#rules, this.#parts.held) + this.#graceMs;
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    const { group, baseOffset } = records;
    const at = this.#at;
    at.timestamp = records.timestamp;
    at.effectiveAt = records.effectiveAt;
    for (; records.index < records.end; records.index += 1) {
      const { index } = records;
      at.offset = baseOffset + group.offsetDeltas[index]!;
      const isLive = effects.find(index);
      const isByTime = this.#graceMs > 0 || (isLive && this.#entry.hasDisorder);
      if (!isByTime && group.valueLengths[index] === 0) {
        if (!isLive && !this.#open(index, this.#leastBytes, effects)) return NO_ROOM;
        this.#touch(isLive, effects);
        continue;
      }
      const refusal = isByTime ? this.#takeByTime(records, isLive, effects) : this.#takeEvent(records, isLive, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    if (this.#entry.hasDisorder) {
      this.#disordered.due(at, effects);
      return;
    }
    const reason = dueReason(this.#entry, this.#rules, this.#parts.held);
    this.#close(reason, at, undefined, effects);
  }

  #open(index: number, stateBytes: number, effects: Effects): boolean {
    if (!effects.open(index, stateBytes)) return false;
    this.#parts.counters.sessionsOpened += 1;
    openSession(this.#entry, this.#rules, this.#at);
    if (this.#rules.updateIntervalMs !== undefined) openTold(this.#entry);
    effects.opened();
    return true;
  }

  /** A bare heartbeat. */
  #touch(isLive: boolean, effects: Effects): void {
    this.#parts.counters.heartbeats += 1;
    const entry = this.#entry;
    const before = entry.timeoutMs;
    const seenBefore = this.#tells ? entry.lastSeenAt : 0;
    applyHeartbeat(entry, this.#rules, this.#at);
    if (entry.timeoutMs !== before) effects.reshaped();
    if (this.#tells) this.#tell(isLive, seenBefore, effects);
    effects.changed();
    // A shorter timeout is the one way a due instant comes nearer.
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  #takeEvent(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    return this.#decode(records) ?? this.#takeDecoded(records.index, isLive, effects);
  }

  #takeDecoded(index: number, isLive: boolean, effects: Effects): Refusal | undefined {
    if (this.#event.type === ENDED) {
      if (isLive) this.#end(effects);
      else this.#parts.counters.unmatchedEnds += 1;
      return undefined;
    }
    if (isLive && this.#isFull()) {
      this.#touch(isLive, effects);
      return undefined;
    }
    if (!this.#makeRoom(index, isLive, effects)) return NO_ROOM;
    this.#apply({ isLive, isTold: true }, effects);
    return undefined;
  }

  /** Fills the scratch event. What it returns is why it cannot. */
  #decode({ bytes, group, headers, index }: GroupRecords): Refusal | undefined {
    const event = this.#event;
    const length = group.valueLengths[index]!;
    if (length < 0) {
      // A null value is an end without a payload (I2).
      resetEvent(event);
      event.type = ENDED;
      return undefined;
    }
    const undecoded = decodeInto(event, this.#options.decoder, bytes, group.valueStarts[index]!, length);
    return undecoded ?? readSource(headers.headersOf(index), event);
  }

  /** A record where times count (C7): by itself if it prolongs the one open session, or opens the first one. */
  #takeByTime(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    const { index } = records;
    const isBare = records.group.valueLengths[index] === 0;
    const undecoded = isBare ? undefined : this.#decode(records);
    if (undecoded !== undefined) return undecoded;
    const event = isBare ? undefined : this.#event;
    const at = this.#at;
    const arrival = { event, at, clock: effects.clock };
    if (isLive && !this.#prolongs(event)) return this.#disordered.take(event, at, effects);
    if (!isLive && event?.type !== ENDED && isLate(arrival, this.#rules)) return this.#disordered.late(arrival);
    const untaken = isBare ? this.#takeBare(index, isLive, effects) : this.#takeDecoded(index, isLive, effects);
    if (untaken !== undefined) return untaken;
    if (isLive && at.effectiveAt < this.#entry.openedAt) this.#beginSooner(effects);
    return undefined;
  }

  #takeBare(index: number, isLive: boolean, effects: Effects): Refusal | undefined {
    if (!isLive && !this.#open(index, this.#leastBytes, effects)) return NO_ROOM;
    this.#touch(isLive, effects);
    return undefined;
  }

  /** True if the event belongs to the entry's one session. */
  #prolongs(event: SessionEvent | undefined): boolean {
    const entry = this.#entry;
    if (entry.hasDisorder || event?.type === ENDED) return false;
    const end = deadlineOf(entry, this.#rules, this.#parts.held);
    return belongs(entry, end, { event, at: this.#at, clock: 0 }, this.#rules);
  }

  #beginSooner(effects: Effects): void {
    this.#entry.openedAt = this.#at.effectiveAt;
    effects.reshaped();
    effects.changed();
  }

  /** True if the session takes no more of events than of bare heartbeats (S13). */
  #isFull(): boolean {
    const { maxEvents } = this.#rules;
    return maxEvents !== undefined && this.#entry.eventCount >= maxEvents;
  }

  /** Makes room for the event, and opens the session where none lives. False if there is none. */
  #makeRoom(index: number, isLive: boolean, effects: Effects): boolean {
    const most = growthAtMost(this.#event);
    if (isLive && most === 0) return true;
    if (isLive ? effects.hasRoom(most) : this.#open(index, this.#leastBytes + most, effects)) return true;
    if (most === 0) return false;
    const bytes = growthOf(isLive ? this.#entry : undefined, this.#rules, this.#event, this.#at);
    return isLive ? effects.hasRoom(bytes) : this.#open(index, bytes, effects);
  }

  #apply({ isLive, isTold }: { readonly isLive: boolean; readonly isTold: boolean }, effects: Effects): void {
    const { counters } = this.#parts;
    counters.events += 1;
    const entry = this.#entry;
    const { timeoutMs: before, timeoutChosen: wasChosen } = entry;
    const seenBefore = this.#tells ? entry.lastSeenAt : 0;
    const lengthBefore = entry.stateLength;
    const applied = applyEvent(entry, this.#rules, this.#event, this.#at);
    if (applied.duplicate) counters.duplicates += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    counters.forgottenSources += applied.forgottenSources;
    if (entry.stateLength !== lengthBefore) effects.resized();
    if (entry.timeoutMs !== before || entry.timeoutChosen !== wasChosen) effects.reshaped();
    if (isTold && this.#tells) this.#tell(isLive, seenBefore, effects);
    effects.changed();
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  /** An explicit end is the session's last event: it is applied, then the session closes. */
  #end(effects: Effects): void {
    const endedAt = this.#event.occurredAt ?? this.#at.timestamp;
    this.#apply({ isLive: true, isTold: false }, effects);
    this.#close('ENDED', effects.clock, endedAt, effects);
  }

  #close(reason: CloseReason, closedAt: Millis, endedAt: Millis | undefined, effects: Effects): void {
    this.#say('CLOSED', { reason, closedAt, endedAt }, effects);
    effects.end(closedAt);
  }

  /** Says that the session has opened, or how it is, where that is due after this touch (S11). */
  #tell(isLive: boolean, seenBefore: Millis, effects: Effects): void {
    const entry = this.#entry;
    const isOwed = isLive ? owesUpdate(entry, this.#rules, seenBefore) : this.#rules.sayOpened === true;
    if (!isOwed) return;
    if (isLive) noteTold(entry);
    this.#say(isLive ? 'UPDATED' : 'OPENED', { reason: '', closedAt: effects.clock, endedAt: undefined }, effects);
  }

  #say(state: SessionState, closing: Pick<Closing, 'reason' | 'closedAt' | 'endedAt'>, effects: Effects): void {
    const { partition, held, counters } = this.#parts;
    const all = { ...closing, state, key: effects.key(), partition, emittedAt: effects.wall };
    const summary = summarize(this.#entry, this.#rules, all, held);
    saySummary(summary, this.#options, effects);
    if (state === 'CLOSED') countClose(summary, counters);
  }
}
