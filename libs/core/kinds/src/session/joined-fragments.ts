// Two open sessions of a key that an event has shown to be one (C7): another of both. Nothing of either is changed.
//
// Exact: times, counts of events and types, attributes but for two at one instant. Not exact, as what it would take is not kept:
// sequences (joined-windows.ts), an event id that came in both, and what is out of order, which each counted by itself.
import { inputAt } from '../input-place.ts';
import type { Caller } from '../reducing/index.ts';
import type { Bad } from '../refusals.ts';
import { type BytesSpan, spanOf } from '../state-bytes.ts';
import { COUNT_MAX } from './counts.ts';
import { blankDetail, type SessionDetail } from './detail.ts';
import type { SessionRules } from './entry.ts';
import { ABSORBED_MAX, type Fragment } from './fragment.ts';
import { joinTexts, type Pair } from './joined-texts.ts';
import { joinWindows } from './joined-windows.ts';
import { blankTexts } from './texts.ts';

/** The reducer has refused the event that is being placed. */
export class Unreduced extends Error {
  override readonly name = 'Unreduced';
  readonly refusal: Bad;

  constructor(refusal: Bad) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

export interface Joined {
  readonly fragment: Fragment;
  /** Sources that were forgotten for others (S5). */
  readonly forgottenSources: number;
}

/** `caller`: the event that joins them. @throws Unreduced where the reducer cannot merge what they have come to. */
export function joinFragments(a: Fragment, b: Fragment, rules: SessionRules, caller: Caller): Joined {
  const kept = inOrder(a, b, ({ firstOffset }) => firstOffset);
  const inTime = inOrder(a, b, ({ openedAt }) => openedAt);
  const heard = inOrder(a, b, ({ lastOffset }) => lastOffset);
  const { first: survivor, second: other } = kept;
  const { first: earlier, second: later } = inTime;
  // A choice lasts, unless the later one has another (S7).
  const { timeoutMs, timeoutChosen } = later.timeoutChosen || !earlier.timeoutChosen ? later : earlier;
  const absorbed = [...survivor.absorbed, ...other.absorbed, other.firstOffset];
  const { texts, forgottenSources } = joinTexts(
    { kept: textsOf(kept), inTime: textsOf(inTime), heard: textsOf(heard) },
    rules,
  );
  const detail = joinedDetail(inTime);
  if (detail !== undefined) {
    detail.texts = texts;
    detail.reduced = joinedReductions(inTime, rules, caller);
  }
  const fragment = {
    openedAt: earlier.openedAt,
    lastSeenAt: Math.max(a.lastSeenAt, b.lastSeenAt),
    timeoutMs,
    timeoutChosen,
    eventCount: sum(a.eventCount, b.eventCount),
    firstOffset: survivor.firstOffset,
    lastOffset: lastOffsetOf(survivor, heard.second),
    detail,
    endedAt: later.endedAt ?? earlier.endedAt,
    absorbed: absorbed.slice(0, ABSORBED_MAX),
  };
  if (absorbed.length > ABSORBED_MAX) markTruncated(fragment);
  return { fragment, forgottenSources };
}

/** Offsets of a session are those of the input on which it began (S8). */
function lastOffsetOf(survivor: Fragment, heardLast: Fragment): number {
  return inputAt(heardLast.firstOffset) === inputAt(survivor.firstOffset) ? heardLast.lastOffset : survivor.lastOffset;
}

function inOrder(a: Fragment, b: Fragment, by: (fragment: Fragment) => number): Pair<Fragment> {
  return by(a) <= by(b) ? { first: a, second: b } : { first: b, second: a };
}

function textsOf({ first, second }: Pair<Fragment>): Pair<NonNullable<SessionDetail['texts']> | undefined> {
  return { first: first.detail?.texts, second: second.detail?.texts };
}

/** Without texts. Undefined: bare heartbeats in order are all there is. */
function joinedDetail({ first, second }: Pair<Fragment>): SessionDetail | undefined {
  if (first.detail === undefined && second.detail === undefined) return undefined;
  const [earlier, later] = [detailOf(first), detailOf(second)];
  const startedAt = Math.min(earlier.startedAt, later.startedAt);
  const { sequence } = earlier;
  return {
    ...blankDetail(startedAt, Math.max(earlier.lastEventAt, later.lastEventAt)),
    duplicateCount: sum(earlier.duplicateCount, later.duplicateCount),
    outOfOrderCount: sum(earlier.outOfOrderCount, later.outOfOrderCount),
    sequence: sequence && later.sequence ? joinWindows(sequence, later.sequence) : (sequence ?? later.sequence),
    hasSources: earlier.hasSources || later.hasSources,
  };
}

/** Where the reducer is gone, so is a part of what it came to. */
function joinedReductions(
  { first, second }: Pair<Fragment>,
  { reducer }: SessionRules,
  caller: Caller,
): BytesSpan | undefined {
  const [earlier, later] = [first.detail?.reduced, second.detail?.reduced];
  if (earlier === undefined || later === undefined || reducer === undefined) return earlier ?? later;
  const merged = reducer.merge(earlier, later, caller);
  if ('kind' in merged) throw new Unreduced(merged);
  return spanOf(merged);
}

function detailOf({ detail, openedAt, lastSeenAt }: Fragment): SessionDetail {
  return detail ?? blankDetail(openedAt, lastSeenAt);
}

function markTruncated(fragment: Fragment): void {
  fragment.detail ??= detailOf(fragment);
  fragment.detail.texts ??= blankTexts();
  fragment.detail.texts.truncated = true;
}

function sum(a: number, b: number): number {
  return Math.min(a + b, COUNT_MAX);
}
