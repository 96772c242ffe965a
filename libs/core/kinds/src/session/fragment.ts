// A fragment: one of the sessions of a key that are open at a time (C7), as an object.
//
// Fragments of a key do not overlap, so in the order of their times they are due one after the other. The first one is its
// entry's head, row and texts, as of a session that is alone; what else there is lies beside it (disorder-bytes.ts).
import type { DurationMs, Millis } from '@flatline/base';
import { NOTHING_HELD, type Reckoning } from '../held-time.ts';
import { openSession, type Occurrence } from './apply-event.ts';
import { dueAt } from './deadline.ts';
import type { SessionDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { copyOf } from './growth.ts';

/** Open sessions of one key. */
export const FRAGMENTS_MAX = 1_024;
/** Absorbed incarnations that a summary names; it says `truncated` where there were more. */
export const ABSORBED_MAX = 16;

/** Its detail says nothing of what lies beside it, and its timeout is the one that was in force, ended or not. */
export interface Fragment extends SessionEntry {
  /** Event time of an explicit end; undefined: none came. */
  endedAt: Millis | undefined;
  /** First offsets of the incarnations that it has absorbed. */
  absorbed: readonly number[];
}

/** The part of a fragment that is not in its head: where there is any, it lies beside it. */
export interface Aside {
  /** The timeout that was in force, and the event time of the end. */
  readonly ended: (Pick<Fragment, 'timeoutMs' | 'timeoutChosen'> & { readonly endedAt: Millis }) | undefined;
  readonly absorbed: readonly number[];
}

export function openFragment(rules: SessionRules, at: Occurrence): Fragment {
  const { offset, effectiveAt } = at;
  const times = { openedAt: effectiveAt, lastSeenAt: effectiveAt, timeoutMs: rules.timeoutMs, timeoutChosen: false };
  const head = { ...times, eventCount: 0, firstOffset: offset, lastOffset: offset, detail: undefined };
  const fragment = { ...head, endedAt: undefined, absorbed: [] };
  openSession(fragment, rules, at);
  return fragment;
}

/** A copy of a head and its texts, with what lies beside it. */
export function fragmentOf(head: SessionEntry, { ended, absorbed }: Aside): Fragment {
  const copy = copyOf(head);
  // As if it had never been one of several.
  if (saysNothing(copy)) copy.detail = undefined;
  return { ...copy, endedAt: undefined, ...ended, absorbed };
}

function saysNothing({ detail, openedAt, lastSeenAt }: SessionEntry): boolean {
  if (detail === undefined || detail.texts !== undefined || detail.sequence !== undefined) return false;
  if (detail.reduced !== undefined) return false;
  const { startedAt, lastEventAt, duplicateCount, outOfOrderCount } = detail;
  return startedAt === openedAt && lastEventAt === lastSeenAt && duplicateCount === 0 && outOfOrderCount === 0;
}

/** The head it has: an ended session's silence has no length, so that it is due where its last activity and the grace say. */
export function headOf(fragment: Fragment, detail: SessionDetail | undefined = fragment.detail): SessionEntry {
  const { openedAt, lastSeenAt, timeoutMs, timeoutChosen, eventCount, firstOffset, lastOffset, endedAt } = fragment;
  const isEnded = endedAt !== undefined;
  const timeout = { timeoutMs: isEnded ? 0 : timeoutMs, timeoutChosen: isEnded || timeoutChosen };
  return { openedAt, lastSeenAt, ...timeout, eventCount, firstOffset, lastOffset, detail };
}

export function copyOfFragment(fragment: Fragment): Fragment {
  const { endedAt, absorbed } = fragment;
  return { ...copyOf(fragment), endedAt, absorbed };
}

export function asideOf({ endedAt, timeoutMs, timeoutChosen, absorbed }: Fragment): Aside {
  return { ended: endedAt === undefined ? undefined : { timeoutMs, timeoutChosen, endedAt }, absorbed };
}

export function fragmentDueAt(fragment: Fragment, rules: SessionRules, held: Reckoning = NOTHING_HELD): Millis {
  return dueAt(headOf(fragment), rules, held);
}

/** The first instant that it does not reach. An ended one reaches its last activity. */
export function reachEnd({ lastSeenAt, timeoutMs, endedAt }: Fragment, held: Reckoning = NOTHING_HELD): Millis {
  return endedAt === undefined ? held.after(lastSeenAt, timeoutMs) : lastSeenAt + 1;
}

/** The timeout that an event brings into a session that has this one in force (S7). */
export function timeoutOf(
  { timeoutMs, timeoutChosen }: Pick<SessionEntry, 'timeoutMs' | 'timeoutChosen'>,
  rules: SessionRules,
  chosen: DurationMs | undefined,
): DurationMs {
  if (chosen !== undefined) return Math.min(Math.max(chosen, rules.minTimeoutMs), rules.maxTimeoutMs);
  return timeoutChosen ? timeoutMs : rules.timeoutMs;
}
