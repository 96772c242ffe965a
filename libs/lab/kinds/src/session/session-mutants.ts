// Faults in sessions (S1–S9): what an event changes, and when one closes.
import type { Mutant } from '../mutants/mutant.ts';

export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'gives a whole group the offset of its first record',
    file: 'libs/core/kinds/src/session/session-kind.ts',
    from: 'at.offset = baseOffset + group.offsetDeltas[index]!;',
    to: 'at.offset = baseOffset + group.offsetDeltas[0]!;',
  },
  {
    name: 'passes over what cannot be applied within a group',
    file: 'libs/core/kinds/src/session/session-kind.ts',
    from: 'if (refusal !== undefined) return refusal;',
    to: 'if (refusal !== undefined && index === 0) return refusal;',
  },
  {
    name: 'ignores a heartbeat soon after another',
    file: 'libs/core/kinds/src/session/apply-event.ts',
    from: 'if (at.effectiveAt > entry.lastSeenAt) entry',
    to: 'if (at.effectiveAt > entry.lastSeenAt + 50) entry',
  },
  {
    name: 'forgets event ids',
    file: 'libs/core/kinds/src/session/apply-event.ts',
    from: 'hasEventId(eventId) === true',
    to: 'hasEventId(`${eventId}?`) === true',
  },
  {
    name: 'keeps one window for all sources',
    file: 'libs/core/kinds/src/session/apply-event.ts',
    from: 'if (source === undefined || maxSources === 0)',
    to: 'if (source !== STARTED)',
  },
  {
    name: 'keeps a source more than there may be',
    file: 'libs/core/kinds/src/session/sources.ts',
    from: 'for (; kept >= most; kept -= 1)',
    to: 'for (; kept > most; kept -= 1)',
  },
  {
    name: 'says what was held after the close',
    file: 'libs/core/kinds/src/session/deadline.ts',
    from: 'held.between(entry.lastSeenAt, closing.closedAt)',
    to: 'held.between(entry.lastSeenAt, Infinity)',
    seed: 5,
  },
];
