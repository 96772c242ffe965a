// Applies a record to a key with several open sessions, or to one that it does not simply prolong (C7), and tells of the first of
// them when it closes.
//
// Owns: nothing that outlives a call.
// Does not own: records in order, and what they do (session-events.ts), which session an event belongs to (placing.ts).
//
// Invariants
//   DI1  An entry with disorder is due when the first of its sessions is; of those due at one instant all close, and with them
//        what else is due at the clock, up to CLOSES_MAX: reading and writing all that stay open for each one that closes would
//        make a key of a thousand sessions a stall of seconds.
import type { Millis } from '@flatline/base';
import { type CloseReason, ENDED, type SessionEvent } from '@flatline/ports/formats';
import type { Effects, Refusal } from '../contract.ts';
import { bad, NO_ROOM } from '../refusals.ts';
import { type DataArrival, placeData } from './data-placing.ts';
import { stateLengthOf } from './state-parts.ts';
import { dueAt, dueReason, summarize } from './deadline.ts';
import { detailOfFragments, readFragments } from './disorder-bytes.ts';
import { growthAtMost } from './growth.ts';
import { type Fragment, fragmentDueAt, FRAGMENTS_MAX, headOf } from './fragment.ts';
import { type Arrival, place, type Placed } from './placing.ts';
import type { Revisions, WhyClosed } from './revisions.ts';
import type { SessionContext } from './session-context.ts';
import { UNKNOWN_KEY } from './unknown-key.ts';
import { saySummary } from './session-voice.ts';

/** Sessions of a key that close at once, unless more are due at one instant. */
const CLOSES_MAX = 64;

export interface DisorderedParts extends SessionContext {
  readonly revisions: Revisions;
}

/** One of several sessions that closes: why, and as of when. */
export interface ClosingFragment {
  readonly fragment: Fragment;
  readonly why: WhyClosed;
  readonly at: Millis;
}

export class DisorderedSessions {
  readonly #parts: DisorderedParts;

  constructor(parts: DisorderedParts) {
    this.#parts = parts;
  }

  /** Takes an event of the key whose entry is in the window. */
  take(arrival: Arrival, effects: Effects): Refusal | undefined {
    const { event } = arrival;
    const { entry, rules, counters, stats } = this.#parts;
    const open = readFragments(entry);
    const standing = stats?.standingOf(open);
    const placed = place(open, arrival, rules);
    if (placed.kind === 'refused') return placed.refusal;
    if (placed.kind === 'late') return this.late(arrival);
    if (placed.kind === 'unknown') return UNKNOWN_KEY;
    if (placed.kind === 'tooMany')
      return bad(
        'too-many-sessions',
        `its key has ${FRAGMENTS_MAX} open sessions: lower graceMs, or look what sends it`,
      );
    if (placed.kind === 'unmatched') {
      counters.unmatchedEnds += 1;
      return undefined;
    }
    // A live session goes on with a record that needs no room by itself: a longer number is none (I7).
    const isReduced = arrival.seen !== undefined && rules.reducer !== undefined;
    const isSilent = placed.isMuted || event === undefined || (growthAtMost(event, rules) === 0 && !isReduced);
    const isFree = isSilent || event.type === ENDED;
    const needsNoRoom = !placed.isOpened && isFree;
    if (!this.#write(placed, needsNoRoom, effects)) return NO_ROOM;
    this.#count(event, placed);
    if (standing !== undefined) stats!.became(standing, placed.fragments);
    return undefined;
  }

  /** Takes what only adds data (S8) to the key whose entry is in the window. */
  takeData(arrival: DataArrival, effects: Effects): Refusal | undefined {
    const { event } = arrival;
    const { entry, rules, counters, stats } = this.#parts;
    const open = readFragments(entry);
    const standing = stats?.standingOf(open);
    const placed = placeData(open, arrival, rules);
    if (placed.kind === 'refused') return placed.refusal;
    const isReduced = arrival.seen !== undefined && rules.reducer !== undefined;
    const needsNoRoom = placed.isMuted || (growthAtMost(event, rules) === 0 && !isReduced);
    if (!this.#write(placed, needsNoRoom, effects)) return NO_ROOM;
    counters.dataEvents += 1;
    if (placed.applied.duplicate) counters.duplicates += 1;
    counters.forgottenSources += placed.applied.forgottenSources;
    if (standing !== undefined) stats!.became(standing, placed.fragments);
    return undefined;
  }

  /** C7: a record that came too late for its session. */
  late({ at, clock }: Arrival): Refusal | undefined {
    const { counters, rules } = this.#parts;
    counters.lateRecords += 1;
    if (rules.late === 'drop') return undefined;
    const behind = `its time, ${at.effectiveAt}, is ${clock - at.effectiveAt} ms behind the clock`;
    const window =
      rules.late === 'revise' ? `, and none waits for it (revisionWindowMs: ${rules.revisionWindowMs})` : '';
    return bad(
      'late',
      `${behind}: its session, of which nothing is open, closed after graceMs (${rules.graceMs})${window}`,
    );
  }

  /** False: there is no room. */
  #write({ fragments }: Pick<Placed, 'fragments'>, needsNoRoom: boolean, effects: Effects): boolean {
    const { entry, rules, held } = this.#parts;
    const [first, ...others] = fragments;
    const detail = detailOfFragments([first!, ...others]);
    const before = entry.stateLength;
    const grown = stateLengthOf(detail) - before;
    if (grown > 0 && !needsNoRoom && !effects.hasRoom(grown)) return false;
    const dueBefore = dueAt(entry, rules, held);
    Object.assign(entry, headOf(first!, detail));
    if (grown !== 0) effects.resized();
    effects.reshaped();
    effects.changed();
    if (dueAt(entry, rules, held) < dueBefore) effects.dueSooner();
    return true;
  }

  #count(event: SessionEvent | undefined, { applied, isMuted, isOpened, absorbed }: Placed): void {
    const { counters } = this.#parts;
    if (event === undefined || isMuted) counters.heartbeats += 1;
    else counters.events += 1;
    if (isOpened) counters.sessionsOpened += 1;
    counters.sessionsAbsorbed += absorbed;
    if (applied.duplicate) counters.duplicates += 1;
    if (applied.clamped) counters.clampedTimeouts += 1;
    counters.forgottenSources += applied.forgottenSources;
  }

  /** The entry in the window, which has disorder, is due. */
  due(at: Millis, effects: Effects): void {
    const { entry, rules, held } = this.#parts;
    const fragments = readFragments(entry);
    const through = Math.max(at, effects.dueThrough);
    const closing: ClosingFragment[] = [];
    for (const fragment of fragments) {
      const dueAt = fragmentDueAt(fragment, rules, held);
      if (dueAt > (closing.length < CLOSES_MAX ? through : at)) break;
      closing.push({ fragment, why: { reason: this.#reasonOf(fragment) }, at: dueAt });
    }
    this.close(closing, fragments.slice(closing.length), effects);
  }

  /** Closes some of the sessions of the entry in the window, at least one, in the order of their times; the others are left. */
  close(closing: readonly ClosingFragment[], left: readonly Fragment[], effects: Effects): void {
    const { entry, revisions } = this.#parts;
    const last = closing.at(-1)!;
    // The last of the key waits for revisions (S9).
    const waits = left.length === 0 && revisions.isOn;
    for (const each of waits ? closing.slice(0, -1) : closing) {
      this.#sayClosed(each, effects);
      // The last word of an entry says that it closed.
      if (each !== last) effects.closed(each.at);
    }
    if (waits) {
      revisions.keep(last.fragment, last.why, last.at, effects);
      return;
    }
    const [first, ...others] = left;
    if (first === undefined) {
      effects.end(last.at);
      return;
    }
    effects.closed(last.at);
    const before = entry.stateLength;
    Object.assign(entry, headOf(first, detailOfFragments([first, ...others])));
    if (entry.stateLength !== before) effects.resized();
    effects.reshaped();
    effects.changed();
  }

  #sayClosed({ fragment, why, at: closedAt }: ClosingFragment, effects: Effects): void {
    const { rules, partition, held, voice, onClosed } = this.#parts;
    const { endedAt, absorbed } = fragment;
    const closing = { key: effects.key(), partition, ...why, closedAt, endedAt, emittedAt: effects.wall, absorbed };
    const summary = summarize(fragment, rules, closing, held);
    saySummary(summary, voice, effects);
    onClosed(fragment, summary);
  }

  #reasonOf(fragment: Fragment): CloseReason {
    const { rules, held } = this.#parts;
    return fragment.endedAt === undefined ? dueReason(fragment, rules, held) : 'ENDED';
  }
}
