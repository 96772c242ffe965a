// Sessions as a kind: what a record does to one, and what is said when it ends (S1–S10, O2, O3).
//
// Owns: nothing that outlives a call; a scratch event and a scratch occurrence, filled again for each record: a bare
// heartbeat allocates nothing.
// Does not own: entries, timers, commits (the engine).
import type { DurationMs, Millis, Mutable } from '@flatline/base';
import type { Effects, Evicting, GroupRecords, Kept, Kind, KindParts, Refusal } from '../contract.ts';
import { inputAt } from '../input-place.ts';
import { decodeInto, NO_ROOM } from '../refusals.ts';
import {
  applyData,
  applyEvent,
  applyHeartbeat,
  applyNumbers,
  type Occurrence,
  openSession,
  saysNumbersOnly,
} from './apply-event.ts';
import { blankEvent, ENDED, type EventDecoder, resetEvent, type SessionEvent } from '@flatline/ports/formats';
import { deadlineOf, dueReason } from './deadline.ts';
import { isFull } from './capped.ts';
import { isClosed } from './closed-mark.ts';
import { readFragments } from './disorder-bytes.ts';
import { DisorderedSessions } from './disordered-sessions.ts';
import { isEarly, openEarly, openFromEarly, renewEarly } from './early-data.ts';
import { growthAtMost, growthOf } from './growth.ts';
import type { SessionRules } from './entry.ts';
import { blankDetail } from './detail.ts';
import { type Arrival, belongs, isLate } from './placing.ts';
import { Revisions, type WhyClosed } from './revisions.ts';
import type { SessionCounters } from './session-counters.ts';
import type { SessionInput, SessionOptions } from './session-options.ts';
import { readSource } from './source-header.ts';
import { SessionTelling } from './session-telling.ts';
import { countClose, type OnClosed } from './session-voice.ts';
import { type SessionReduced, SessionReducing, type SeenEvent } from './session-reducing.ts';
import { noteTold, openTold, toldBytes } from './told.ts';
import type { SessionWindow } from './session-window.ts';
import { UNKNOWN_KEY } from './unknown-key.ts';
import { SessionActs } from './session-acts.ts';
import { openStatistics } from './open-statistics.ts';
import type { SessionStatistics } from './statistics/session-statistics.ts';

/** The entry of a record's key, and whether that is a session or early data. */
interface Found {
  readonly isLive: boolean;
  readonly hasSession: boolean;
}

type SessionParts = KindParts<SessionWindow, SessionCounters>;

export class SessionKind implements Kind {
  readonly #options: SessionOptions;
  readonly #rules: SessionRules;
  readonly #parts: SessionParts;
  readonly #entry: SessionWindow;
  readonly #event: SessionEvent = blankEvent();
  readonly #at: Mutable<Occurrence> = { offset: 0, effectiveAt: 0, timestamp: 0 };
  readonly #disordered: DisorderedSessions;
  readonly #revisions: Revisions;
  readonly #telling: SessionTelling;
  readonly #acts: SessionActs;
  readonly evicting: Evicting | undefined;
  /** 0: records are applied as they come, whatever their times (C7). A field of its own: each heartbeat asks for it. */
  readonly #graceMs: DurationMs;
  /** True if anything is told of live sessions (S11). As the grace, asked for by each heartbeat. */
  readonly #tells: boolean;
  /**
   * True if disorder may lie beside a session although times no longer count (C7): it was restored, or is kept for revisions. Asked
   * before the entry's row is: a heartbeat waits a twelfth of its time for that line.
   */
  #mayMeetDisorder: boolean;
  /** True if an event that says numbers only does no more to a live session than count: nothing is told, capped, reduced. */
  readonly #isPlain: boolean;
  /** Bytes of state that a session opens with. */
  readonly #leastBytes: number;
  /** Also what is kept beside the entries. undefined: nothing is counted. */
  readonly #stats: SessionStatistics | undefined;
  readonly #reducing: SessionReducing | undefined;
  /** The session's reducer's state with the event that is being taken; undefined: the event says nothing of it. */
  #reduced: SessionReduced | undefined;

  constructor(options: SessionOptions, parts: SessionParts) {
    this.#options = options;
    this.#rules = options.rules;
    this.#parts = parts;
    this.#entry = parts.entry;
    this.#stats = openStatistics(options, parts);
    const onClosed: OnClosed = (session, summary) => {
      countClose(summary, parts.counters);
      this.#stats?.closed(session, summary);
    };
    const withRules = { ...parts, rules: options.rules, voice: options, onClosed };
    this.#telling = new SessionTelling(withRules);
    this.#revisions = new Revisions(withRules);
    this.#mayMeetDisorder = this.#revisions.isOn;
    this.#disordered = new DisorderedSessions({ ...withRules, revisions: this.#revisions, stats: this.#stats });
    const { graceMs, sayOpened, updateIntervalMs } = options.rules;
    this.#graceMs = graceMs;
    this.#tells = sayOpened === true || updateIntervalMs !== undefined;
    this.#leastBytes = toldBytes(options.rules);
    this.#acts = new SessionActs({
      ...parts,
      disordered: this.#disordered,
      revisions: this.#revisions,
      stats: this.#stats,
      close: (why, at, effects) => {
        this.#close(why, at, undefined, effects);
      },
    });
    // Offsets of several inputs do not tell which record came first.
    this.evicting = options.inputs === undefined ? this.#acts : undefined;
    const { reducer } = options.rules;
    this.#reducing = reducer && new SessionReducing(reducer, options, parts.partition);
    this.#isPlain =
      !this.#tells && options.rules.maxEvents === undefined && reducer === undefined && this.#stats === undefined;
  }

  get kept(): Kept | undefined {
    return this.#stats;
  }

  dueAt(): Millis {
    if (isClosed(this.#entry)) return this.#revisions.dueAt();
    return deadlineOf(this.#entry, this.#rules, this.#parts.held) + this.#graceMs;
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    const at = this.#at;
    at.timestamp = records.timestamp;
    at.effectiveAt = records.effectiveAt;
    const input = this.#options.inputs?.[records.input];
    if (input !== undefined) return this.#takeOf(input, records, effects);
    const { group, baseOffset } = records;
    for (; records.index < records.end; records.index += 1) {
      const { index } = records;
      at.offset = baseOffset + group.offsetDeltas[index]!;
      const isLive = effects.find(index);
      const isByTime = this.#graceMs > 0 || (this.#mayMeetDisorder && isLive && this.#entry.hasDisorder);
      if (!isByTime && group.valueLengths[index] === 0) {
        if (!isLive && !this.#open(index, this.#leastBytes, effects)) return NO_ROOM;
        this.#touch(isLive, effects);
        continue;
      }
      if (group.valueLengths[index]! < 0 && this.#acts.take(records, isLive, effects)) continue;
      const refusal = isByTime ? this.#takeByTime(records, isLive, effects) : this.#takeEvent(records, isLive, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** The same where there are several inputs (S8). */
  #takeOf(input: SessionInput, records: GroupRecords, effects: Effects): Refusal | undefined {
    const { group, baseOffset } = records;
    for (; records.index < records.end; records.index += 1) {
      this.#at.offset = baseOffset + group.offsetDeltas[records.index]!;
      const isLive = effects.find(records.index);
      if (group.valueLengths[records.index]! < 0 && this.#acts.take(records, isLive, effects)) continue;
      const undecoded = this.#read(input.decoder, records);
      if (undecoded !== undefined) return undecoded;
      if (isLive && isClosed(this.#entry)) {
        const untaken = this.#takeOnClosed(input, records, effects);
        if (untaken !== undefined) return untaken;
        continue;
      }
      const hasSession = isLive && !isEarly(this.#entry);
      const isActivity = input.touches || (!hasSession && input.unknownKey === 'open');
      const found: Found = { isLive, hasSession };
      const isByTime = this.#graceMs > 0 || (this.#mayMeetDisorder && isLive && this.#entry.hasDisorder);
      const taken = isActivity ? (isByTime ? this.#takeActivityByTime : this.#takeActivity) : this.#takeData;
      const why = taken.call(this, input, records, found, effects);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /** Fills the scratch event, also of a bare heartbeat. What it returns is why it cannot. */
  #read(decoder: EventDecoder, records: GroupRecords): Refusal | undefined {
    if (records.group.valueLengths[records.index] !== 0) return this.#decode(records, decoder);
    resetEvent(this.#event);
    return undefined;
  }

  /** An activity, on whatever is kept of its key. */
  #takeActivity(
    input: SessionInput,
    records: GroupRecords,
    { isLive, hasSession }: Found,
    effects: Effects,
  ): Refusal | undefined {
    const { counters } = this.#parts;
    const { index } = records;
    const isEnd = this.#event.type === ENDED;
    if (isEnd && !hasSession) {
      counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!hasSession && input.unknownKey !== 'open') return UNKNOWN_KEY;
    const isBare = (!isEnd && this.#isMuted(isLive)) || records.group.valueLengths[index] === 0;
    const unreduced = this.#reduce(records, isLive, isBare);
    if (unreduced !== undefined) return unreduced;
    if (hasSession) this.#keepToFirstInput(records);
    if (isEnd) {
      this.#end(effects);
      return undefined;
    }
    if (!this.#makeRoom(index, isLive, effects)) return NO_ROOM;
    const wasEarly = isLive && !hasSession;
    if (wasEarly) {
      counters.sessionsOpened += 1;
      counters.earlyJoined += 1;
      openFromEarly(this.#entry, this.#rules, this.#at, this.#event.occurredAt ?? this.#at.timestamp);
      noteTold(this.#entry);
      effects.reshaped();
    }
    if (isBare) this.#touch(hasSession, effects);
    else this.#apply(hasSession, effects);
    // Data may have been kept for longer than silence lasts.
    if (wasEarly) effects.dueSooner();
    return undefined;
  }

  /** The same where times count (C7). */
  #takeActivityByTime(input: SessionInput, records: GroupRecords, found: Found, effects: Effects): Refusal | undefined {
    const { hasSession } = found;
    const arrival = this.#arrivalOf(records, effects);
    const isEnd = arrival.event?.type === ENDED;
    const opensNone = input.unknownKey !== 'open';
    if (hasSession && !this.#prolongs(arrival.event)) return this.#disordered.take({ ...arrival, opensNone }, effects);
    if (!hasSession && !isEnd && isLate(arrival, this.#rules)) return this.#disordered.late(arrival);
    const untaken = this.#takeActivity(input, records, found, effects);
    if (untaken !== undefined) return untaken;
    if (hasSession && this.#at.effectiveAt < this.#entry.openedAt) this.#beginSooner(effects);
    return undefined;
  }

  /** A record as it comes to a session by its time; what has a value was decoded. */
  #arrivalOf(records: GroupRecords, { clock }: Effects): Arrival {
    const event = records.group.valueLengths[records.index] === 0 ? undefined : this.#event;
    const { held, partition } = this.#parts;
    return { event, at: this.#at, clock, held, partition, seen: this.#seen(records) };
  }

  /** A record that only adds data. */
  #takeData(
    input: SessionInput,
    records: GroupRecords,
    { isLive, hasSession }: Found,
    effects: Effects,
  ): Refusal | undefined {
    const { counters } = this.#parts;
    const entry = this.#entry;
    if (this.#event.type === ENDED) {
      // A row that is deleted from a table ends nothing.
      counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!hasSession && input.unknownKey === 'deadLetter') return UNKNOWN_KEY;
    if (hasSession && entry.hasDisorder)
      return this.#disordered.takeData({ ...this.#arrivalOf(records, effects), event: this.#event }, effects);
    const unreduced = this.#reduce(records, isLive, this.#isMuted(isLive));
    if (unreduced !== undefined) return unreduced;
    if (!this.#makeRoom(records.index, isLive, effects, input)) return NO_ROOM;
    counters.dataEvents += 1;
    const lengthBefore = entry.stateLength;
    if (!hasSession && renewEarly(entry, input.holdMs, this.#at)) {
      effects.reshaped();
      effects.dueSooner();
    }
    const standing = hasSession ? this.#stats?.standing(entry, this.#event) : undefined;
    const applied = applyData(entry, this.#rules, this.#event, this.#at);
    if (standing !== undefined) this.#stats!.moved(entry, standing);
    if (this.#reduced !== undefined) this.#keepReduced(this.#reduced);
    if (applied.duplicate) counters.duplicates += 1;
    counters.forgottenSources += applied.forgottenSources;
    if (entry.stateLength !== lengthBefore) effects.resized();
    effects.changed();
    return undefined;
  }

  /** A record of a key whose session has closed, and may be revised (S9). */
  #takeOnClosed(input: SessionInput, records: GroupRecords, effects: Effects): Refusal | undefined {
    if (this.#event.type === ENDED && !(input.touches && this.#graceMs > 0)) {
      this.#parts.counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!input.touches) {
      const unreduced = this.#reduce(records, true, this.#isMuted(true));
      return unreduced ?? this.#revisions.takeData(this.#event, this.#at, this.#reduced, effects);
    }
    if (this.#graceMs > 0) return this.#takeOnClosedByTime(records, this.#arrivalOf(records, effects), effects, input);
    if (input.unknownKey !== 'open') return UNKNOWN_KEY;
    return this.#succeed(records, effects);
  }

  /** The next session of a key opens in place of a closed one, whose window ends (S9). */
  #succeed(records: GroupRecords, effects: Effects): Refusal | undefined {
    const entry = this.#entry;
    const isBare = records.group.valueLengths[records.index] === 0;
    const unreduced = this.#reduce(records, false);
    if (unreduced !== undefined) return unreduced;
    if (!this.#hasRoomToSucceed(isBare, effects)) return NO_ROOM;
    this.#revisions.supersede(effects);
    this.#parts.counters.sessionsOpened += 1;
    openSession(entry, this.#rules, this.#at);
    if (this.#rules.updateIntervalMs !== undefined) openTold(entry);
    effects.resized();
    effects.reshaped();
    if (isBare) this.#touch(false, effects);
    else this.#apply(false, effects);
    effects.dueSooner();
    return undefined;
  }

  #hasRoomToSucceed(isBare: boolean, effects: Effects): boolean {
    const freed = this.#entry.stateLength;
    const reduced = this.#reduced?.grownBy ?? 0;
    const most = isBare ? 0 : growthAtMost(this.#event, this.#rules) + reduced;
    if (effects.hasRoom(this.#leastBytes + most - freed)) return true;
    return most > 0 && effects.hasRoom(growthOf(undefined, this.#rules, this.#event, this.#at) + reduced - freed);
  }

  /** True if what is kept of the key takes no more than that there was an event (S13): it then says nothing else. */
  #isMuted(isLive: boolean): boolean {
    if (!isLive || !isFull(this.#entry, this.#rules)) return false;
    resetEvent(this.#event);
    return true;
  }

  /** Offsets of a session are those of the input on which it began: of others none can be told from the first. */
  #keepToFirstInput({ input }: GroupRecords): void {
    const { firstOffset, lastOffset } = this.#entry;
    if (inputAt(firstOffset) !== input) this.#at.offset = lastOffset;
  }

  restored(): void {
    this.#mayMeetDisorder ||= this.#entry.hasDisorder;
    if (isClosed(this.#entry)) this.#revisions.restored();
  }

  due(at: Millis, effects: Effects): void {
    if (isClosed(this.#entry)) {
      this.#revisions.due(at, effects);
      return;
    }
    if (this.#entry.hasDisorder) {
      this.#disordered.due(at, effects);
      return;
    }
    if (isEarly(this.#entry)) {
      this.#parts.counters.earlyDropped += 1;
      effects.end(at);
      return;
    }
    const reason = dueReason(this.#entry, this.#rules, this.#parts.held);
    this.#close({ reason }, at, undefined, effects);
  }

  /** `of`: an input whose data is kept until there is a session. */
  #open(index: number, stateBytes: number, effects: Effects, of?: SessionInput): boolean {
    if (!effects.open(index, stateBytes)) return false;
    if (of === undefined) {
      this.#parts.counters.sessionsOpened += 1;
      openSession(this.#entry, this.#rules, this.#at);
    } else {
      this.#parts.counters.earlyKept += 1;
      openEarly(this.#entry, of.holdMs, this.#at);
    }
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
    if (this.#tells) this.#telling.touched(isLive, seenBefore, effects);
    if (!isLive && this.#stats !== undefined) this.#stats.opened(entry);
    effects.changed();
    // A shorter timeout is the one way a due instant comes nearer.
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  #takeEvent(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    return this.#decode(records, this.#options.decoder) ?? this.#takeDecoded(records, isLive, effects);
  }

  #takeDecoded(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    if (isLive && this.#isPlain && saysNumbersOnly(this.#event)) {
      this.#applyNumbers(effects);
      return undefined;
    }
    return this.#takeAny(records, isLive, effects);
  }

  /** An event that may say anything. */
  #takeAny(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    const isEnd = this.#event.type === ENDED;
    if (isEnd && !isLive) {
      this.#parts.counters.unmatchedEnds += 1;
      return undefined;
    }
    if (!isEnd && isLive && isFull(this.#entry, this.#rules)) {
      this.#touch(isLive, effects);
      return undefined;
    }
    const unreduced = this.#reducing && this.#reduce(records, isLive);
    if (unreduced !== undefined) return unreduced;
    if (isEnd) {
      this.#end(effects);
      return undefined;
    }
    if (!this.#makeRoom(records.index, isLive, effects)) return NO_ROOM;
    this.#apply(isLive, effects);
    return undefined;
  }

  /** Reduces the event, for `#apply` to keep (S10). What it returns is why the event is refused. */
  #reduce(records: GroupRecords, isLive: boolean, saysNothing = false): Refusal | undefined {
    this.#reduced = undefined;
    const seen = saysNothing ? undefined : this.#seen(records);
    if (seen === undefined) return undefined;
    const detail = isLive ? this.#entry.detail : undefined;
    const reduced = this.#reducing!.withEvent(detail, this.#event, seen, this.#at);
    if (reduced !== undefined && 'kind' in reduced) return reduced;
    this.#reduced = reduced;
    return undefined;
  }

  #seen(records: GroupRecords): SeenEvent | undefined {
    return this.#reducing?.seen(records, this.#event, this.#at);
  }

  /** Fills the scratch event. What it returns is why it cannot. */
  #decode({ bytes, group, headers, index }: GroupRecords, decoder: EventDecoder): Refusal | undefined {
    const event = this.#event;
    const length = group.valueLengths[index]!;
    if (length < 0) {
      // A null value is an end without a payload (I2).
      resetEvent(event);
      event.type = ENDED;
      return undefined;
    }
    const undecoded = decodeInto(event, decoder, bytes, group.valueStarts[index]!, length);
    return undecoded ?? readSource(headers.headersOf(index), event);
  }

  /** A record where times count (C7): by itself if it prolongs the one open session, or opens the first one. */
  #takeByTime(records: GroupRecords, isLive: boolean, effects: Effects): Refusal | undefined {
    const { index } = records;
    const isBare = records.group.valueLengths[index] === 0;
    const undecoded = isBare ? undefined : this.#decode(records, this.#options.decoder);
    if (undecoded !== undefined) return undecoded;
    const arrival = this.#arrivalOf(records, effects);
    const { event } = arrival;
    if (isLive && isClosed(this.#entry)) return this.#takeOnClosedByTime(records, arrival, effects);
    if (isLive && !this.#prolongs(event)) return this.#disordered.take(arrival, effects);
    if (!isLive && event?.type !== ENDED && isLate(arrival, this.#rules)) return this.#disordered.late(arrival);
    const untaken = isBare ? this.#takeBare(index, isLive, effects) : this.#takeDecoded(records, isLive, effects);
    if (untaken !== undefined) return untaken;
    if (isLive && this.#at.effectiveAt < this.#entry.openedAt) this.#beginSooner(effects);
    return undefined;
  }

  /** The same of a key whose session has closed, and may be revised (S9). */
  #takeOnClosedByTime(
    records: GroupRecords,
    arrival: Arrival,
    effects: Effects,
    { unknownKey }: Pick<SessionInput, 'unknownKey'> = { unknownKey: 'open' },
  ): Refusal | undefined {
    const taken = this.#revisions.takeByTime(arrival, effects);
    if (taken === 'taken') return undefined;
    if (taken === 'newcomer') return unknownKey === 'open' ? this.#succeed(records, effects) : UNKNOWN_KEY;
    return taken === 'late' ? this.#disordered.late(arrival) : taken;
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

  /** Makes room for the event, and opens the session where none lives, or early data of `of`. False if there is none. */
  #makeRoom(index: number, isLive: boolean, effects: Effects, of?: SessionInput): boolean {
    const reduced = this.#reduced?.grownBy ?? 0;
    const most = growthAtMost(this.#event, this.#rules) + reduced;
    if (isLive && most <= 0) return true;
    if (isLive ? effects.hasRoom(most) : this.#open(index, this.#leastBytes + most, effects, of)) return true;
    if (most <= 0) return false;
    const bytes = growthOf(isLive ? this.#entry : undefined, this.#rules, this.#event, this.#at) + reduced;
    return isLive ? effects.hasRoom(bytes) : this.#open(index, bytes, effects, of);
  }

  #apply(isLive: boolean, effects: Effects, isTold = this.#tells): void {
    const { counters } = this.#parts;
    counters.events += 1;
    const entry = this.#entry;
    const { timeoutMs: before, timeoutChosen: wasChosen } = entry;
    const seenBefore = isTold ? entry.lastSeenAt : 0;
    const lengthBefore = entry.stateLength;
    const standing = isLive ? this.#stats?.standing(entry, this.#event) : undefined;
    const applied = applyEvent(entry, this.#rules, this.#event, this.#at);
    if (this.#reduced !== undefined) this.#keepReduced(this.#reduced);
    if (applied.duplicate) counters.duplicates += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    counters.forgottenSources += applied.forgottenSources;
    if (entry.stateLength !== lengthBefore) effects.resized();
    if (entry.timeoutMs !== before || entry.timeoutChosen !== wasChosen) effects.reshaped();
    if (isTold) this.#telling.touched(isLive, seenBefore, effects);
    if (!isLive) this.#stats?.opened(entry);
    else if (standing !== undefined) this.#stats?.moved(entry, standing);
    effects.changed();
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  /** As `#apply`, of an event of a live session that says numbers only. */
  #applyNumbers(effects: Effects): void {
    const { counters } = this.#parts;
    counters.events += 1;
    const entry = this.#entry;
    const before = entry.timeoutMs;
    if (!applyNumbers(entry, this.#rules, this.#event, this.#at)) counters.duplicates += 1;
    if (entry.timeoutMs !== before) effects.reshaped();
    effects.changed();
    if (entry.timeoutMs < before) effects.dueSooner();
  }

  #keepReduced({ state }: SessionReduced): void {
    const entry = this.#entry;
    entry.detail ??= blankDetail(entry.openedAt, entry.lastSeenAt);
    // A setter may keep a copy: what is edited is what the entry has now.
    entry.detail.reduced = state;
    this.#reduced = undefined;
  }

  /** An explicit end is the session's last event: it is applied, then the session closes. */
  #end(effects: Effects): void {
    const endedAt = this.#event.occurredAt ?? this.#at.timestamp;
    this.#apply(true, effects, false);
    this.#close({ reason: 'ENDED' }, effects.clock, endedAt, effects);
    // Its window may end before its silence would have.
    if (this.#revisions.isOn) effects.dueSooner();
  }

  #close(why: WhyClosed, closedAt: Millis, endedAt: Millis | undefined, effects: Effects): void {
    if (this.#revisions.isOn) {
      this.#revisions.keep({ ...readFragments(this.#entry)[0]!, endedAt }, why, closedAt, effects);
      return;
    }
    this.#telling.closed(why, closedAt, endedAt, effects);
    effects.end(closedAt);
  }
}
