// When a live session was last told of, by a record of its opening or of an update (S11).
//
// It is kept with the session's texts, since the least distance between two updates has to survive a restart. Sessions of a
// pipeline that says no updates keep none of it. Those that were open before it said any have no place for it, and get none:
// what a touch needs would depend on how much room there is (I7), and so would the output (C5). They are told of by what
// needs no memory: once in each span of that length since they opened.
import type { Millis } from '@flatline/base';
import { textsOf } from './apply-event.ts';
import { blankDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { blankTexts } from './texts.ts';

const TOLD_BYTES = blankTold();

/** True if a touch that has been applied has to tell of the session. `seenBefore`: when it was last seen before that touch. */
export function owesUpdate(entry: SessionEntry, { updateIntervalMs }: SessionRules, seenBefore: Millis): boolean {
  if (updateIntervalMs === undefined) return false;
  const { lastSeenAt, openedAt } = entry;
  const toldAt = entry.detail?.texts?.toldAt;
  if (toldAt !== undefined) return lastSeenAt - toldAt >= updateIntervalMs;
  const spanOf = (at: Millis): number => Math.floor((at - openedAt) / updateIntervalMs);
  return spanOf(lastSeenAt) > spanOf(seenBefore);
}

/** Bytes of state that a session opens with, whatever its first event says: texts with a place for it. */
export function toldBytes({ updateIntervalMs }: SessionRules): number {
  return updateIntervalMs === undefined ? 0 : TOLD_BYTES;
}

/** Makes the place where there is none. */
export function openTold(entry: SessionEntry): void {
  entry.detail ??= blankDetail(entry.openedAt, entry.lastSeenAt);
  // A setter may keep a copy: what is edited is what the entry has now.
  textsOf(entry.detail).noteTold(entry.openedAt);
}

/** No-op for a session without a place for it. */
export function noteTold(entry: SessionEntry): void {
  const texts = entry.detail?.texts;
  if (texts?.toldAt !== undefined) texts.noteTold(entry.lastSeenAt);
}

function blankTold(): number {
  const texts = blankTexts();
  texts.noteTold(0);
  return texts.state.length;
}
