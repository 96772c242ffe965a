// A live session as it is shown: what its summary would say if it were known how it ends.
import type { EntryView } from '../entry-view.ts';
import { summarize } from './deadline.ts';
import { readFragments } from './disorder-bytes.ts';
import { isEarly } from './early-data.ts';
import type { SessionRules } from './entry.ts';
import { sessionFormat } from './session-format.ts';
import type { SessionWindow } from './session-window.ts';

const NO_KEY = new Uint8Array(0);

export function sessionView(rules: SessionRules): EntryView<SessionWindow> {
  return {
    format: sessionFormat,
    shown(entry, { partition, held }) {
      // Early data is no session (S8).
      if (isEarly(entry)) return [];
      const closing = {
        key: NO_KEY,
        partition,
        reason: 'TIMEOUT',
        closedAt: 0,
        endedAt: undefined,
        emittedAt: 0,
      } as const;
      return readFragments(entry).map((fragment) => {
        const { incarnation, startedAt, lastSeenAt, deadlineAt, timeoutMs, eventCount, countsByType, attributes } =
          summarize(fragment, rules, closing, held);
        return { incarnation, startedAt, lastSeenAt, deadlineAt, timeoutMs, eventCount, countsByType, attributes };
      });
    },
  };
}
