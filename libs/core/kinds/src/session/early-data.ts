// Early data: what an input that only adds data said of a key before its session (S8). It lies in an entry of its own, which the
// first activity makes the session, and which goes without a word where none comes.
import type { DurationMs, Millis } from '@flatline/base';
import type { Occurrence } from './apply-event.ts';
import { blankDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';

/** As the offsets of an entry: no activity has been seen. */
export const NO_ACTIVITY = -1;

export function isEarly(entry: SessionEntry): boolean {
  return entry.firstOffset === NO_ACTIVITY;
}

/** Makes `entry` early data that says nothing yet. */
export function openEarly(entry: SessionEntry, holdMs: DurationMs, at: Occurrence): void {
  entry.openedAt = at.effectiveAt;
  entry.lastSeenAt = at.effectiveAt;
  entry.timeoutMs = holdMs;
  entry.timeoutChosen = false;
  entry.eventCount = 0;
  entry.firstOffset = NO_ACTIVITY;
  entry.lastOffset = NO_ACTIVITY;
  entry.detail = undefined;
}

/** More of it has come: it is kept from now on as long as that. True if the hold is another than before. */
export function renewEarly(entry: SessionEntry, holdMs: DurationMs, at: Occurrence): boolean {
  if (at.effectiveAt > entry.lastSeenAt) entry.lastSeenAt = at.effectiveAt;
  if (entry.timeoutMs === holdMs) return false;
  entry.timeoutMs = holdMs;
  return true;
}

/** Makes it the session that an activity opens, which is applied next; `occurredAt`: the activity's event time. */
export function openFromEarly(entry: SessionEntry, rules: SessionRules, at: Occurrence, occurredAt: Millis): void {
  entry.openedAt = at.effectiveAt;
  entry.lastSeenAt = at.effectiveAt;
  entry.timeoutMs = rules.timeoutMs;
  entry.firstOffset = at.offset;
  entry.lastOffset = at.offset;
  const { detail } = entry;
  // Events told before it opened tell neither start nor end.
  if (detail !== undefined) {
    detail.startedAt = occurredAt;
    detail.lastEventAt = occurredAt;
  } else if (occurredAt !== at.effectiveAt) entry.detail = blankDetail(occurredAt, occurredAt);
}
