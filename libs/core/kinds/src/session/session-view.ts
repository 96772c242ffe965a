// A live session as it is shown: what its summary would say if it were known how it ends.
import type { EntryPlace, EntryView } from '../entry-view.ts';
import type { Reckoning } from '../held-time.ts';
import { idAt } from '../input-place.ts';
import type { ShownEntry } from '../shown-entry.ts';
import { attributesOf, countsByType, deadlineOf } from './deadline.ts';
import { isClosed } from './closed-mark.ts';
import { type ClosedSession, readClosed } from './closed-session.ts';
import { readFragments } from './disorder-bytes.ts';
import { isEarly } from './early-data.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { sessionFormat } from './session-format.ts';
import type { SessionWindow } from './session-window.ts';

export function sessionView(rules: SessionRules): EntryView<SessionWindow> {
  return {
    format: sessionFormat,
    shown(entry, place) {
      // Early data is no session (S8).
      if (isEarly(entry)) return [];
      if (isClosed(entry)) {
        const closed = readClosed(entry);
        return [{ ...liveFields(closed.fragment, rules, place), ...closedFields(closed, rules, place.held) }];
      }
      // Most keys have one session, which is shown as it lies: look-ups ask for half a million a second.
      if (!entry.hasDisorder) return [liveFields(entry, rules, place)];
      return readFragments(entry).map((fragment) => liveFields(fragment, rules, place));
    },
  };
}

/** A copy. What a reducer has come to is not shown: no function of an application is called for whoever looks (S10). */
function liveFields(entry: SessionEntry, rules: SessionRules, { partition, held }: EntryPlace): ShownEntry {
  const { detail, openedAt, lastSeenAt, timeoutMs, eventCount } = entry;
  return {
    incarnation: idAt(partition, entry.firstOffset),
    startedAt: detail?.startedAt ?? openedAt,
    lastSeenAt,
    deadlineAt: deadlineOf(entry, rules, held),
    timeoutMs,
    eventCount,
    countsByType: countsByType(entry),
    attributes: attributesOf(detail?.texts),
  };
}

/** Further fields of a session that has closed, and may be revised until `finalAt` (S9). */
function closedFields(
  { closedAt, reason, revision }: ClosedSession,
  { revisionWindowMs = 0 }: SessionRules,
  held: Reckoning,
): ShownEntry {
  return { state: 'CLOSED', reason, revision, closedAt, finalAt: held.after(closedAt, revisionWindowMs) };
}
