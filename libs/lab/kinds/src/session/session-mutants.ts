// Faults in sessions (S1–S9): the effects of an event, and the time of a close.
import type { Mutant } from '../mutants/mutant.ts';
import { ATTRIBUTE_MUTANTS } from '../worlds/attribute-mutants.ts';
import { ACT_MUTANTS } from './act-mutants.ts';
import { ERASURE_MUTANTS } from './erasure-mutants.ts';
import { INPUT_MUTANTS } from './input-mutants.ts';
import { REVISION_MUTANTS } from './revision-mutants.ts';
import { STATS_MUTANTS } from './stats-mutants.ts';

export const SESSION_MUTANTS: readonly Mutant[] = [
  ...INPUT_MUTANTS,
  ...REVISION_MUTANTS,
  ...STATS_MUTANTS,
  ...ATTRIBUTE_MUTANTS,
  ...ERASURE_MUTANTS,
  ...ACT_MUTANTS,
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
  {
    name: 'closes at the deadline, whatever the grace',
    file: 'libs/core/kinds/src/session/deadline.ts',
    from: 'return deadlineOf(entry, rules, held) + rules.graceMs;',
    to: 'return deadlineOf(entry, rules, held);',
    seed: 10,
  },
  {
    name: 'calls late what comes within the grace',
    file: 'libs/core/kinds/src/session/placing.ts',
    from: 'timeoutOf(NOT_CHOSEN, rules, event?.timeoutMs) + rules.graceMs <= clock',
    to: 'timeoutOf(NOT_CHOSEN, rules, event?.timeoutMs) <= clock',
    seed: 10,
  },
  {
    name: 'lets one of two sessions that an event joins go',
    file: 'libs/core/kinds/src/session/placing.ts',
    from: 'for (const each of more) union.join(each);',
    to: 'void more;',
    seed: 10,
  },
  {
    name: 'has a session that was ended go on',
    file: 'libs/core/kinds/src/session/fragment.ts',
    from: 'return endedAt === undefined ? held.after(lastSeenAt, timeoutMs) : lastSeenAt + 1;',
    to: 'return held.after(lastSeenAt, endedAt === undefined ? timeoutMs : timeoutMs);',
    seed: 19,
  },
  {
    name: 'forgets the next session of a key when the first closes',
    file: 'libs/core/kinds/src/session/disordered-sessions.ts',
    from: 'this.close(closing, fragments.slice(closing.length), effects);',
    to: 'this.close(closing, fragments.slice(closing.length + 1), effects);',
    seed: 10,
  },
  {
    name: 'forgets that a session was ended',
    file: 'libs/core/kinds/src/session/disorder-bytes.ts',
    from: 'return endedAt !== undefined || absorbed.length > 0;',
    to: 'return endedAt === 0 || absorbed.length > 0;',
    seed: 10,
  },
  {
    name: 'tells of each touch, whatever the interval',
    file: 'libs/core/kinds/src/session/told.ts',
    from: 'if (toldAt !== undefined) return lastSeenAt - toldAt >= updateIntervalMs;',
    to: 'if (toldAt !== undefined) return lastSeenAt > toldAt;',
  },
  {
    name: 'forgets that it has told of a session',
    file: 'libs/core/kinds/src/session/told.ts',
    from: 'if (texts?.toldAt !== undefined) texts.noteTold(entry.lastSeenAt);',
    to: 'void texts;',
  },
  {
    name: 'tells of no session that opens with an event',
    file: 'libs/core/kinds/src/session/session-kind.ts',
    from: 'this.#apply(isLive, effects);',
    to: 'this.#apply(isLive, effects, isLive && this.#tells);',
  },
  {
    name: 'follows what is said of a live session with a tombstone',
    file: 'libs/core/kinds/src/session/session-voice.ts',
    from: "if (state === 'CLOSED' && options.tombstones)",
    to: 'if (options.tombstones && state.length > 0)',
  },
  {
    name: 'lets a session have an event more than it takes',
    file: 'libs/core/kinds/src/session/session-kind.ts',
    from: 'maxEvents !== undefined && this.#entry.eventCount >= maxEvents;',
    to: 'maxEvents !== undefined && this.#entry.eventCount > maxEvents;',
  },
  {
    name: 'calls a session capped that has just as many events as it takes',
    file: 'libs/core/kinds/src/session/deadline.ts',
    from: "(reason === 'ENDED' && !byOperator ? 1 : 0) > maxEvents;",
    to: "(reason === 'ENDED' && !byOperator ? 1 : 0) >= maxEvents;",
  },
  {
    name: 'reduces a duplicate again',
    file: 'libs/core/kinds/src/session/session-reducing.ts',
    from: 'if (isDuplicate(detail, this.#rules, event)) return undefined;',
    to: 'if (isDuplicate(detail, { ...this.#rules, maxSources: 0 }, { ...event, eventId: undefined })) return undefined;',
  },
  {
    name: 'takes an event whose reducer threw',
    file: 'libs/core/kinds/src/session/session-kind.ts',
    from: "if (reduced !== undefined && 'kind' in reduced) return reduced;",
    to: "if (reduced !== undefined && 'kind' in reduced) return undefined;",
  },
  {
    name: 'keeps a state that is too large',
    file: 'libs/core/kinds/src/reducing/state-reducer.ts',
    from: 'if (length > maxStateBytes)',
    to: 'if (length > 2 * maxStateBytes)',
  },
  {
    name: 'forgets what a session came to where an event joins it to another',
    file: 'libs/core/kinds/src/session/joined-fragments.ts',
    from: 'return spanOf(merged);',
    to: 'return later;',
    seed: 10,
  },
  {
    name: 'says what a session came to before its last event',
    file: 'libs/core/kinds/src/session/session-kind.ts',
    from: 'entry.detail.reduced = state;',
    to: 'entry.detail.reduced ??= state;',
  },
  {
    name: 'adds doubles as they come',
    file: 'libs/core/kinds/src/reducing/built-in/exact-sum.ts',
    from: 'return normalized(grown([...parts].reverse(), addend));',
    to: 'return [(parts[0] ?? 0) + addend];',
  },
  {
    name: 'goes by the log for what came first',
    file: 'libs/core/kinds/src/reducing/built-in/part.ts',
    from: 'return a.at < b.at || (a.at === b.at && a.offset < b.offset);',
    to: 'return a.offset < b.offset;',
  },
  {
    name: 'keeps one value more than a set may have',
    file: 'libs/core/kinds/src/reducing/built-in/values.ts',
    from: 'values: inOrder.slice(0, max)',
    to: 'values: inOrder.slice(0, max + 1)',
  },
  {
    name: 'lets a funnel go back in time',
    file: 'libs/core/kinds/src/reducing/built-in/funnel.ts',
    from: 'find((each) => each >= from)',
    to: 'find((each) => each >= 0 * from)',
  },
  {
    name: 'reads a state of a former schema as it lies',
    file: 'libs/core/kinds/src/reducing/state-reducer.ts',
    from: 'readingAs(former.type, this.state.type)',
    to: 'readingAs(this.state.type, this.state.type)',
  },
];
