// Sessions as a kind: what a record does to one, and what is said when it ends (S1–S10, O2, O3).
//
// Owns: nothing that outlives a call; a scratch event and a scratch occurrence, filled again for each record: a bare
// heartbeat allocates nothing.      Does not own: entries, timers, commits (the engine).
import { type Millis, type Mutable, namedMessageOf } from '@flatline/base';
import { INCARNATION_HEADER } from '@flatline/ports';
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
  type SessionSummary,
  type SummaryEncoder,
} from '@flatline/ports/formats';
import { dueAt, dueReason, summarize } from './deadline.ts';
import { growthAtMost, growthOf } from './growth.ts';
import type { SessionRules } from './entry.ts';
import { type SessionCounters, zeroCounters } from './session-counters.ts';
import { sessionFormat } from './session-format.ts';
import { readSource } from './source-header.ts';
import type { SessionWindow } from './session-window.ts';

export interface SessionOptions {
  readonly rules: SessionRules;
  readonly decoder: EventDecoder;
  readonly encoder: SummaryEncoder;
  /** True if each summary is followed by a tombstone (O2). */
  readonly tombstones: boolean;
  /** Named in the error if a summary cannot be encoded. */
  readonly outputTopic: string;
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

  constructor(options: SessionOptions, parts: SessionParts) {
    this.#options = options;
    this.#rules = options.rules;
    this.#parts = parts;
    this.#entry = parts.entry;
  }

  dueAt(): Millis {
    return dueAt(this.#entry, this.#rules, this.#parts.held);
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    const { bytes, group, baseOffset } = records;
    const at = this.#at;
    at.timestamp = records.timestamp;
    at.effectiveAt = records.effectiveAt;
    for (; records.index < records.end; records.index += 1) {
      const { index } = records;
      at.offset = baseOffset + group.offsetDeltas[index]!;
      const isLive = effects.find(index);
      if (group.valueLengths[index] === 0) {
        if (!isLive && !this.#open(index, 0, effects)) return NO_ROOM;
        this.#touch(effects);
        continue;
      }
      const refusal = this.#takeEvent(bytes, records, isLive, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    const reason = dueReason(this.#entry, this.#rules, this.#parts.held);
    this.#close(reason, at, undefined, effects);
  }

  #open(index: number, stateBytes: number, effects: Effects): boolean {
    if (!effects.open(index, stateBytes)) return false;
    this.#parts.counters.sessionsOpened += 1;
    openSession(this.#entry, this.#rules, this.#at);
    effects.opened();
    return true;
  }

  /** A bare heartbeat. */
  #touch(effects: Effects): void {
    this.#parts.counters.heartbeats += 1;
    const entry = this.#entry;
    const before = entry.timeoutMs;
    applyHeartbeat(entry, this.#rules, this.#at);
    if (entry.timeoutMs !== before) effects.reshaped();
    effects.changed();
    // A shorter timeout is the one way a due instant comes nearer.
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  #takeEvent(
    bytes: Uint8Array,
    { group, headers, index }: GroupRecords,
    isLive: boolean,
    effects: Effects,
  ): Refusal | undefined {
    const event = this.#event;
    const length = group.valueLengths[index]!;
    if (length < 0) {
      // A null value is an end without a payload (I2).
      resetEvent(event);
      event.type = ENDED;
    } else {
      const undecoded = decodeInto(event, this.#options.decoder, bytes, group.valueStarts[index]!, length);
      if (undecoded !== undefined) return undecoded;
      const unnamed = readSource(headers.headersOf(index), event);
      if (unnamed !== undefined) return unnamed;
    }
    if (event.type === ENDED) {
      if (isLive) this.#end(effects);
      else this.#parts.counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!this.#makeRoom(index, isLive, effects)) return NO_ROOM;
    this.#apply(effects);
    return undefined;
  }

  /** Makes room for the event, and opens the session where none lives. False if there is none. */
  #makeRoom(index: number, isLive: boolean, effects: Effects): boolean {
    const most = growthAtMost(this.#event);
    if (isLive && most === 0) return true;
    if (isLive ? effects.hasRoom(most) : this.#open(index, most, effects)) return true;
    if (most === 0) return false;
    const bytes = growthOf(isLive ? this.#entry : undefined, this.#rules, this.#event, this.#at);
    return isLive ? effects.hasRoom(bytes) : this.#open(index, bytes, effects);
  }

  #apply(effects: Effects): void {
    const { counters } = this.#parts;
    counters.events += 1;
    const entry = this.#entry;
    const { timeoutMs: before, timeoutChosen: wasChosen } = entry;
    const lengthBefore = entry.stateLength;
    const applied = applyEvent(entry, this.#rules, this.#event, this.#at);
    if (applied.duplicate) counters.duplicates += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    counters.forgottenSources += applied.forgottenSources;
    if (entry.stateLength !== lengthBefore) effects.resized();
    if (entry.timeoutMs !== before || entry.timeoutChosen !== wasChosen) effects.reshaped();
    effects.changed();
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  /** An explicit end is the session's last event: it is applied, then the session closes. */
  #end(effects: Effects): void {
    const endedAt = this.#event.occurredAt ?? this.#at.timestamp;
    this.#apply(effects);
    this.#close('ENDED', effects.clock, endedAt, effects);
  }

  #close(reason: CloseReason, closedAt: Millis, endedAt: Millis | undefined, effects: Effects): void {
    const { partition, held } = this.#parts;
    const closing = { key: effects.key(), partition, reason, closedAt, endedAt, emittedAt: effects.wall };
    this.#say(summarize(this.#entry, this.#rules, closing, held), effects);
    this.#count(reason);
    effects.end(closedAt);
  }

  /** The summary, then the tombstone: with no revision window both are final at once (O2). */
  #say(summary: SessionSummary, effects: Effects): void {
    const { key, incarnation } = summary;
    const headers = [{ name: INCARNATION_HEADER, value: asciiBytes(incarnation) }];
    effects.emit({ key, value: this.#encoded(summary), headers });
    if (this.#options.tombstones) effects.emit({ key, value: null, headers });
  }

  #encoded(summary: SessionSummary): Uint8Array {
    try {
      return this.#options.encoder.encode(summary);
    } catch (error) {
      const { incarnation, reason, firstOffset, lastOffset, partition } = summary;
      const where = `${this.#options.outputTopic}/${partition}`;
      const what = `the summary of ${incarnation} (${reason}, offsets ${firstOffset} to ${lastOffset}) for ${where} cannot be encoded`;
      throw new Error(`${what}: ${namedMessageOf(error)}`, { cause: error });
    }
  }

  #count(reason: CloseReason): void {
    const { counters } = this.#parts;
    if (reason === 'TIMEOUT') counters.closedByTimeout += 1;
    else if (reason === 'ENDED') counters.closedByEnd += 1;
    else if (reason === 'MAX_DURATION') counters.closedByMaxDuration += 1;
  }
}

/** An incarnation is digits and a dash: a call into the engine's encoder takes several times as long. */
function asciiBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
