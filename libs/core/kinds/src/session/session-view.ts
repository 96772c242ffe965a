// A live session as it is shown: what its summary would say if it were known how it ends.
import type { EntryView } from '../entry-view.ts';
import type { Reckoning } from '../held-time.ts';
import { summarize } from './deadline.ts';
import { isClosed } from './closed-mark.ts';
import { type ClosedSession, readClosed } from './closed-session.ts';
import { readFragments } from './disorder-bytes.ts';
import { isEarly } from './early-data.ts';
import type { SessionRules } from './entry.ts';
import { sessionFormat } from './session-format.ts';
import type { SessionWindow } from './session-window.ts';

const NO_KEY = new Uint8Array(0);

export function sessionView(rules: SessionRules): EntryView<SessionWindow> {
  // What it has come to is not shown: no function of an application is called for whoever looks (S10).
  const unreduced = { ...rules, reducer: undefined };
  return {
    format: sessionFormat,
    shown(entry, { partition, held }) {
      // Early data is no session (S8).
      if (isEarly(entry)) return [];
      const closed = isClosed(entry) ? readClosed(entry) : undefined;
      const closing = {
        key: NO_KEY,
        partition,
        reason: 'TIMEOUT',
        closedAt: 0,
        endedAt: undefined,
        emittedAt: 0,
      } as const;
      const fragments = closed === undefined ? readFragments(entry) : [closed.fragment];
      const after = closed && closedFields(closed, rules, held);
      return fragments.map((fragment) => {
        const { incarnation, startedAt, lastSeenAt, deadlineAt, timeoutMs, eventCount, countsByType, attributes } =
          summarize(fragment, unreduced, closing, held);
        return {
          incarnation,
          startedAt,
          lastSeenAt,
          deadlineAt,
          timeoutMs,
          eventCount,
          countsByType,
          attributes,
          ...after,
        };
      });
    },
  };
}

/** Further fields of a session that has closed, and may be revised until `finalAt` (S9). */
function closedFields(
  { closedAt, reason, revision }: ClosedSession,
  { revisionWindowMs = 0 }: SessionRules,
  held: Reckoning,
): Readonly<Record<string, unknown>> {
  return { state: 'CLOSED', reason, revision, closedAt, finalAt: held.after(closedAt, revisionWindowMs) };
}
