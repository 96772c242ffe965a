// Which of a key's open sessions an event belongs to, where events come in no order (C7).
//
// An event at t with the timeout T reaches over [t, t + T), a session from its first event to its deadline, an ended one to its
// last activity. What overlaps is one session.
//
// Owns: nothing; what it is given is not changed.
//
// Invariants
//   PE1  Sessions are in the order of their times and do not overlap, so they are due in that order.
import type { Millis } from '@flatline/base';
import { ENDED, type SessionEvent } from '@flatline/ports/formats';
import { NOTHING_HELD, type Reckoning } from '../held-time.ts';
import { inputAt } from '../input-place.ts';
import type { Caller } from '../reducing/index.ts';
import type { Bad } from '../refusals.ts';
import { spanOf } from '../state-bytes.ts';
import { type Applied, applyEvent, applyHeartbeat, type Occurrence } from './apply-event.ts';
import { isFull } from './capped.ts';
import { blankDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { copyOfFragment, type Fragment, FRAGMENTS_MAX, openFragment, reachEnd, timeoutOf } from './fragment.ts';
import { joinFragments, Unreduced } from './joined-fragments.ts';
import type { SeenEvent } from './session-reducing.ts';

/** An event, and when it comes. */
export interface Arrival {
  /** As a reducer sees it; undefined: it says nothing to one, or there is none. */
  readonly seen?: SeenEvent | undefined;
  /** Default: 0. */
  readonly partition?: number;
  /** undefined: a bare heartbeat. */
  readonly event: SessionEvent | undefined;
  readonly at: Occurrence;
  readonly clock: Millis;
  readonly held?: Reckoning;
  /** Its input opens no session (S8). Default: it does. */
  readonly opensNone?: boolean;
}

export interface Placed {
  readonly kind: 'placed';
  /** All of the key's. */
  readonly fragments: readonly Fragment[];
  readonly applied: Applied;
  /** It came beyond `maxEvents`, and was taken as a bare heartbeat (S13). */
  readonly isMuted: boolean;
  readonly isOpened: boolean;
  /** How many sessions there are fewer. */
  readonly absorbed: number;
}

export type Placing =
  | Placed
  /** Its session, were there one, would be closed by now. */
  | { readonly kind: 'late' }
  /** An end that is of no open session. */
  | { readonly kind: 'unmatched' }
  | { readonly kind: 'tooMany' }
  /** It would open a session, and may not. */
  | { readonly kind: 'unknown' }
  /** By the reducer (S10). */
  | { readonly kind: 'refused'; readonly refusal: Bad };

type Chosen = Pick<SessionEntry, 'timeoutMs' | 'timeoutChosen'>;

const NOT_CHOSEN: Chosen = { timeoutMs: 0, timeoutChosen: false };
const PLAIN: Applied = { duplicate: false, clamped: false, forgottenSources: 0 };

/** True if an event that belongs to no open session comes too late to open one. */
export function isLate({ event, at, clock }: Arrival, rules: SessionRules): boolean {
  if (rules.graceMs === 0) return false;
  return at.effectiveAt + timeoutOf(NOT_CHOSEN, rules, event?.timeoutMs) + rules.graceMs <= clock;
}

/** True if the event reaches back from the session's first event, or comes before its end. */
export function belongs(session: SessionEntry, end: Millis, { event, at }: Arrival, rules: SessionRules): boolean {
  const { effectiveAt } = at;
  return effectiveAt < end && session.openedAt < effectiveAt + timeoutOf(session, rules, event?.timeoutMs);
}

/** `fragments`: the key's, of which nothing is due. */
export function place(fragments: readonly Fragment[], arrival: Arrival, rules: SessionRules): Placing {
  const isEnd = arrival.event?.type === ENDED;
  try {
    return isEnd ? placeEnd(fragments, arrival, rules) : placeActivity(fragments, arrival, rules);
  } catch (error) {
    if (error instanceof Unreduced) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

function placeActivity(fragments: readonly Fragment[], arrival: Arrival, rules: SessionRules): Placing {
  const met = metBy(fragments, arrival, rules);
  const [first, ...more] = met;
  if (first === undefined && isLate(arrival, rules)) return { kind: 'late' };
  if (first === undefined && arrival.opensNone === true) return { kind: 'unknown' };
  if (first === undefined && fragments.length >= FRAGMENTS_MAX) return { kind: 'tooMany' };
  const others = fragments.filter((each) => !met.includes(each));
  const union = new Union(
    first === undefined ? openFragment(rules, arrival.at) : copyOfFragment(first),
    arrival,
    rules,
  );
  for (const each of more) union.join(each);
  const isMuted = arrival.event !== undefined && isFull(union.fragment, rules);
  const applied = apply(union.fragment, isMuted ? { ...arrival, event: undefined, seen: undefined } : arrival, rules);
  // The timeout of a duplicate does not count, nor that of one too many: the session may reach further than it seemed to.
  union.joinReached(others, arrival.held);
  return {
    kind: 'placed',
    fragments: [...others, union.fragment].sort((a, b) => a.openedAt - b.openedAt),
    applied: { ...applied, forgottenSources: applied.forgottenSources + union.forgottenSources },
    isMuted,
    isOpened: first === undefined,
    absorbed: union.absorbed,
  };
}

/** Fragments that the event belongs to, and those that they reach once joined, in the order of their times; an end is where it stops. */
function metBy(fragments: readonly Fragment[], { event, at, held }: Arrival, rules: SessionRules): Fragment[] {
  const met: Fragment[] = [];
  let chosen: Chosen = NOT_CHOSEN;
  let lastSeenAt = at.effectiveAt;
  for (const fragment of fragments) {
    if (reachEnd(fragment, held) <= at.effectiveAt) continue;
    const timeout = timeoutOf(met.length === 0 ? fragment : chosen, rules, event?.timeoutMs);
    if (fragment.openedAt >= (held ?? NOTHING_HELD).after(lastSeenAt, timeout)) break;
    lastSeenAt = Math.max(lastSeenAt, fragment.lastSeenAt);
    met.push(fragment);
    if (fragment.timeoutChosen) chosen = fragment;
    if (fragment.endedAt !== undefined) break;
  }
  return met;
}

/** Ends the session that lasts at its time; what comes before that and later in the log still belongs to it. */
function placeEnd(fragments: readonly Fragment[], arrival: Arrival, rules: SessionRules): Placing {
  const { event, at, held } = arrival;
  const { effectiveAt } = at;
  const met = fragments.find((each) => each.openedAt <= effectiveAt && effectiveAt < reachEnd(each, held));
  if (met === undefined) return { kind: 'unmatched' };
  const ended = copyOfFragment(met);
  const applied = apply(ended, arrival, rules);
  ended.endedAt = Math.max(ended.endedAt ?? 0, event?.occurredAt ?? at.timestamp);
  const after = fragments.map((each) => (each === met ? ended : each));
  return { kind: 'placed', fragments: after, applied, isMuted: false, isOpened: false, absorbed: 0 };
}

/** @throws Unreduced */
function apply(fragment: Fragment, arrival: Arrival, rules: SessionRules): Applied {
  const { event } = arrival;
  const at = atOf(fragment, arrival.at);
  if (event === undefined) applyHeartbeat(fragment, rules, at);
  const applied = event === undefined ? PLAIN : applyEvent(fragment, rules, event, at);
  if (!applied.duplicate) reduce(fragment, arrival, rules);
  fragment.openedAt = Math.min(fragment.openedAt, at.effectiveAt);
  return applied;
}

/** Offsets of a session are those of the input on which it began (S8): of others none can be told from the first. */
function atOf({ firstOffset, lastOffset }: Fragment, at: Occurrence): Occurrence {
  return inputAt(firstOffset) === inputAt(at.offset) ? at : { ...at, offset: lastOffset };
}

/** @throws Unreduced */
export function reduce(fragment: Fragment, arrival: Arrival, { reducer }: SessionRules): void {
  const { seen } = arrival;
  if (seen === undefined || reducer === undefined) return;
  const after = reducer.add(fragment.detail?.reduced, seen, callerOf(arrival));
  if ('kind' in after) throw new Unreduced(after);
  fragment.detail ??= blankDetail(fragment.openedAt, fragment.lastSeenAt);
  fragment.detail.reduced = spanOf(after);
}

function callerOf({ partition = 0, at: { offset } }: Arrival): Caller {
  return { partition, offset };
}

/** Open sessions that become one. */
class Union {
  fragment: Fragment;
  forgottenSources = 0;
  absorbed = 0;
  readonly #arrival: Arrival;
  readonly #rules: SessionRules;

  constructor(fragment: Fragment, arrival: Arrival, rules: SessionRules) {
    this.fragment = fragment;
    this.#arrival = arrival;
    this.#rules = rules;
  }

  join(other: Fragment): void {
    const { fragment, forgottenSources } = joinFragments(this.fragment, other, this.#rules, callerOf(this.#arrival));
    this.fragment = fragment;
    this.forgottenSources += forgottenSources;
    this.absorbed += 1;
  }

  /** Takes out of `others`, in the order of their times, what it reaches. */
  joinReached(others: Fragment[], held: Reckoning | undefined): void {
    for (;;) {
      const { openedAt } = this.fragment;
      const end = reachEnd(this.fragment, held);
      const next = others.findIndex((each) => each.openedAt >= openedAt && each.openedAt < end);
      if (next < 0) return;
      this.join(others[next]!);
      others.splice(next, 1);
    }
  }
}
