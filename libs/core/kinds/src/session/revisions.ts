// Closed sessions that wait for revisions (S9): how one begins to wait, what revises it, and how its wait ends.
//
// Owns: nothing that outlives a call.
// Does not own: which records come to it (session-by-time.ts, session-data.ts), what a session is (apply-event.ts, placing.ts).
//
// Invariants
//   RV1  A key with a closed session that waits has no open one: a session gets a window only where it is the last of its key,
//        and the next one ends it.
//   RV2  Only what is of the log decides: the window lasts from the instant as of which the session closed, by the partition clock.
import type { Millis } from '@flatline/base';
import { type CloseReason, ENDED, type SessionEvent } from '@flatline/ports/formats';
import type { Effects, Refusal } from '../contract.ts';
import { ENTRY_BYTES } from '../entry-bytes.ts';
import { NO_ROOM } from '../refusals.ts';
import { type Applied, applyData, type Occurrence } from './apply-event.ts';
import { isCapped } from './capped.ts';
import { blankDetail } from './detail.ts';
import { stateLengthOf } from './state-parts.ts';
import { summarize } from './deadline.ts';
import type { SessionRules } from './entry.ts';
import type { Fragment } from './fragment.ts';
import { growthAtMost } from './growth.ts';
import { type Arrival, isLate, place } from './placing.ts';
import type { SessionContext } from './session-context.ts';
import { sayFinal, sayRevisable } from './session-voice.ts';
import type { SessionReduced } from './session-reducing.ts';
import { type ClosedSession, headOfClosed, readClosed } from './closed-session.ts';

/** A record by event time, as a closed session sees it. */
export type Taken =
  /** A revision, or nothing. */
  | 'taken'
  /** The first of the next session. */
  | 'newcomer'
  /** Too late for a session of its own, and not of this one. */
  | 'late'
  | Refusal;

/** Why a session closes. */
export interface WhyClosed {
  readonly reason: CloseReason;
  /** An operator ends it (Q4). Default: none does. */
  readonly byOperator?: boolean;
}

/** Bytes that a close adds to a state, at most: what of a session is not in its head any more, with each number at its longest. */
export const CLOSE_GROWTH_MAX = 60;

/** True if sessions that close wait. */
export function isRevised({ revisionWindowMs = 0 }: SessionRules): boolean {
  return revisionWindowMs > 0;
}

export class Revisions {
  readonly #parts: SessionContext;
  readonly #windowMs: number;

  constructor(parts: SessionContext) {
    this.#parts = parts;
    this.#windowMs = parts.rules.revisionWindowMs ?? 0;
  }

  get isOn(): boolean {
    return this.#windowMs > 0;
  }

  /** The end of the window of the entry, whose session has closed. */
  dueAt(): Millis {
    const { entry, held } = this.#parts;
    return held.after(entry.lastSeenAt, this.#windowMs);
  }

  /** The last open session of the entry closes: it is said, and waits. */
  keep(fragment: Fragment, { reason, byOperator = false }: WhyClosed, closedAt: Millis, effects: Effects): void {
    const { entry, voice, onClosed } = this.#parts;
    const closed = { fragment, closedAt, reason, byOperator, revision: 0 };
    const summary = this.#summaryOf(closed, effects);
    sayRevisable(summary, voice, effects);
    onClosed(fragment, summary);
    const before = entry.stateLength;
    Object.assign(entry, headOfClosed(closed));
    this.#weigh(1);
    effects.closed(closedAt);
    this.#written(before, effects);
  }

  /** A restored entry. */
  restored(): void {
    this.#weigh(1);
  }

  /** The window is over: nothing more comes for the incarnation. */
  due(at: Millis, effects: Effects): void {
    this.#sayFinal(effects);
    effects.end(at);
  }

  /** The next session of the key opens in this entry, which the caller fills: the window ends here. */
  supersede(effects: Effects): void {
    this.#sayFinal(effects);
    effects.closed(effects.clock);
  }

  #sayFinal(effects: Effects): void {
    const { entry, partition, voice } = this.#parts;
    this.#weigh(-1);
    sayFinal({ partition, firstOffset: entry.firstOffset }, voice, effects);
  }

  /** A record of the key where times count (C7). */
  takeByTime(arrival: Arrival, effects: Effects): Taken {
    const { entry, rules, counters } = this.#parts;
    const { event, seen } = arrival;
    if (event?.type !== ENDED && !isLate(arrival, rules)) return 'newcomer';
    const closed = readClosed(entry);
    const placed = place([closed.fragment], arrival, rules);
    if (placed.kind === 'refused') return placed.refusal;
    if (placed.kind === 'unmatched') {
      counters.unmatchedEnds += 1;
      return 'taken';
    }
    if (placed.kind !== 'placed') return 'late';
    const isBare = event === undefined || placed.isMuted;
    const isEnd = event?.type === ENDED;
    if (isEnd || !isCapped(closed.fragment, rules, closed)) {
      const isFree = isBare || isEnd || (growthAtMost(event, rules) === 0 && seen === undefined);
      const untaken = this.#revise(closed, placed.fragments[0]!, placed.applied, isFree, effects);
      if (untaken !== undefined) return untaken;
    }
    counters.lateRecords += 1;
    if (isBare) counters.heartbeats += 1;
    else counters.events += 1;
    return 'taken';
  }

  /** A record of an input that only adds data (S8). `reduced`: what the session has come to with it (S10); undefined: what it had. */
  takeData(
    event: SessionEvent,
    at: Occurrence,
    reduced: SessionReduced | undefined,
    effects: Effects,
  ): Refusal | undefined {
    const { entry, rules, counters } = this.#parts;
    const closed = readClosed(entry);
    // S13: what no one lives costs one session, and not a summary for each record of a robot.
    if (isCapped(closed.fragment, rules, closed)) {
      counters.dataEvents += 1;
      return undefined;
    }
    const { fragment } = closed;
    const applied = applyData(fragment, rules, event, at);
    if (reduced !== undefined) {
      fragment.detail ??= blankDetail(fragment.openedAt, fragment.lastSeenAt);
      fragment.detail.reduced = reduced.state;
    }
    const isFree = growthAtMost(event, rules) === 0 && reduced === undefined;
    const untaken = this.#revise(closed, fragment, applied, isFree, effects);
    if (untaken === undefined) counters.dataEvents += 1;
    return untaken;
  }

  /** `fragment`: the session with what a record has added. A duplicate has said what was said: it leaves all as it is. */
  #revise(
    { closedAt, reason, byOperator, revision }: ClosedSession,
    fragment: Fragment,
    applied: Applied,
    isFree: boolean,
    effects: Effects,
  ): Refusal | undefined {
    const { entry, counters, voice } = this.#parts;
    if (applied.duplicate) {
      counters.duplicates += 1;
      return undefined;
    }
    const revised: ClosedSession = {
      fragment,
      closedAt,
      reason: fragment.endedAt === undefined ? reason : ENDED,
      byOperator: fragment.endedAt === undefined && byOperator,
      revision: revision + 1,
    };
    const head = headOfClosed(revised);
    const before = entry.stateLength;
    const grown = stateLengthOf(head.detail) - before;
    if (grown > 0 && !isFree && !effects.hasRoom(grown)) return NO_ROOM;
    const summary = this.#summaryOf(revised, effects);
    sayRevisable(summary, voice, effects);
    if (summary.reduced === null) counters.unfinishedReductions += 1;
    Object.assign(entry, head);
    counters.closedWaitingBytes += grown;
    counters.revisions += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    counters.forgottenSources += applied.forgottenSources;
    this.#written(before, effects);
    return undefined;
  }

  /** Counts it among those that wait, with its bytes as they count towards `maxStateBytes` (I7); −1: no more. */
  #weigh(by: 1 | -1): void {
    const { entry, counters } = this.#parts;
    counters.closedWaiting += by;
    counters.closedWaitingBytes += by * (ENTRY_BYTES + 4 * Math.ceil(entry.keyLength / 4) + entry.stateLength);
  }

  #written(lengthBefore: number, effects: Effects): void {
    if (this.#parts.entry.stateLength !== lengthBefore) effects.resized();
    effects.reshaped();
    effects.changed();
  }

  #summaryOf(closed: ClosedSession, effects: Effects): ReturnType<typeof summarize> {
    const { fragment, closedAt, reason, byOperator, revision } = closed;
    const { rules, partition, held } = this.#parts;
    const { endedAt, absorbed } = fragment;
    const said = { reason, byOperator, closedAt, endedAt, absorbed, revision, emittedAt: effects.wall };
    return summarize(fragment, rules, { key: effects.key(), partition, ...said }, held);
  }
}
