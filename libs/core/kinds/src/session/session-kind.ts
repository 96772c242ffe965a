// Sessions as a kind: what a record does to one, and what is said when it ends (S1–S13, O2, O3).
//
// Owns: nothing that outlives a call. Its parts share one scratch record (taken-record.ts):
//
//   session-events.ts    records of one input             session-opening.ts    how a session begins, and room for it
//   session-inputs.ts    records of several (S8)          session-touches.ts    what a heartbeat or an event does to it
//   session-by-time.ts   where times count (C7)           session-closing.ts    how it closes
//   session-data.ts      records that only add data       session-acts.ts       how an operator ends it (Q4)
//   disordered-sessions.ts   open sessions of one key     session-telling.ts    OPENED and UPDATED (S11)
//   revisions.ts         what comes after the close (S9)  statistics/           how many, and how long (S12)
//
// Does not own: entries, timers, commits (the engine).
import type { Millis, Mutable } from '@flatline/base';
import type { Effects, Evicting, GroupRecords, Kept, Kind, KindParts, Refusal } from '../contract.ts';
import type { Occurrence } from './apply-event.ts';
import { isClosed } from './closed-mark.ts';
import { deadlineOf } from './deadline.ts';
import { DisorderedSessions } from './disordered-sessions.ts';
import { isEarly } from './early-data.ts';
import { Revisions } from './revisions.ts';
import { SessionActs } from './session-acts.ts';
import { SessionByTime } from './session-by-time.ts';
import { SessionClosing } from './session-closing.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionCounters } from './session-counters.ts';
import { SessionData } from './session-data.ts';
import { SessionEvents } from './session-events.ts';
import { SessionInputs } from './session-inputs.ts';
import { SessionOpening } from './session-opening.ts';
import type { SessionOptions } from './session-options.ts';
import { SessionTelling } from './session-telling.ts';
import { SessionTouches } from './session-touches.ts';
import { countClose } from './session-voice.ts';
import type { SessionWindow } from './session-window.ts';
import { openStatistics } from './open-statistics.ts';
import type { SessionStatistics } from './statistics/session-statistics.ts';
import { TakenRecord } from './taken-record.ts';

export class SessionKind implements Kind {
  readonly #options: SessionOptions;
  readonly #context: SessionContext;
  readonly #entry: SessionWindow;
  readonly #at: Mutable<Occurrence>;
  readonly #events: SessionEvents;
  readonly #byTime: SessionByTime;
  readonly #inputs: SessionInputs;
  readonly #closing: SessionClosing;
  readonly #disordered: DisorderedSessions;
  readonly #revisions: Revisions;
  readonly evicting: Evicting | undefined;

  constructor(options: SessionOptions, parts: KindParts<SessionWindow, SessionCounters>) {
    const { decoder } = options;
    const context = contextOf(options, parts);
    const record = new TakenRecord(options, context);
    const telling = new SessionTelling(context);
    const revisions = new Revisions(context);
    const disordered = new DisorderedSessions({ ...context, revisions });
    const touches = new SessionTouches(context, record, telling);
    const opening = new SessionOpening(context, record, touches, revisions);
    const closing = new SessionClosing({ ...context, record, touches, telling, revisions });
    const shared = { ...context, decoder, record, touches, opening, closing, disordered, revisions };
    const acts = new SessionActs(shared);
    const byTime = new SessionByTime(shared);
    const data = new SessionData(shared);
    this.#inputs = new SessionInputs({ ...shared, acts, byTime, data });
    this.#events = new SessionEvents({ ...shared, acts, byTime });
    this.#options = options;
    this.#context = context;
    this.#entry = parts.entry;
    this.#at = record.at;
    this.#byTime = byTime;
    this.#closing = closing;
    this.#disordered = disordered;
    this.#revisions = revisions;
    // Offsets of several inputs do not tell which record came first.
    this.evicting = options.inputs === undefined ? acts : undefined;
  }

  /** Also what is kept beside the entries. */
  get kept(): Kept | undefined {
    return this.#context.stats;
  }

  dueAt(): Millis {
    if (isClosed(this.#entry)) return this.#revisions.dueAt();
    const { rules, held } = this.#context;
    return deadlineOf(this.#entry, rules, held) + rules.graceMs;
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    const at = this.#at;
    at.timestamp = records.timestamp;
    at.effectiveAt = records.effectiveAt;
    const input = this.#options.inputs?.[records.input];
    if (input !== undefined) return this.#inputs.take(input, records, effects);
    return this.#events.take(records, effects);
  }

  restored(): void {
    this.#byTime.restored();
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
      this.#context.counters.earlyDropped += 1;
      effects.end(at);
      return;
    }
    this.#closing.due(at, effects);
  }
}

function contextOf(options: SessionOptions, parts: KindParts<SessionWindow, SessionCounters>): SessionContext {
  const stats: SessionStatistics | undefined = openStatistics(options, parts);
  return {
    ...parts,
    rules: options.rules,
    voice: options,
    stats,
    onClosed: (session, summary) => {
      countClose(summary, parts.counters);
      stats?.closed(session, summary);
    },
  };
}
