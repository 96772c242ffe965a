// Faults of closed sessions that may be revised (S9).
import type { Mutant } from '../mutants/mutant.ts';

const REVISIONS = 'libs/core/kinds/src/session/revisions.ts';
const CLOSED_SESSION = 'libs/core/kinds/src/session/closed-session.ts';
const SESSION_OPENING = 'libs/core/kinds/src/session/session-opening.ts';
const SESSION_DATA = 'libs/core/kinds/src/session/session-data.ts';
const SESSION_INPUTS = 'libs/core/kinds/src/session/session-inputs.ts';
const SESSION_VOICE = 'libs/core/kinds/src/session/session-voice.ts';
const DISORDERED = 'libs/core/kinds/src/session/disordered-sessions.ts';

export const REVISION_MUTANTS: readonly Mutant[] = [
  {
    name: 'has a tombstone follow a close that may be revised',
    file: SESSION_VOICE,
    from: 'saySummary(summary, { ...options, tombstones: false }, effects);',
    to: 'saySummary(summary, options, effects);',
    seed: 30,
  },
  {
    name: 'says every revision by the number of the first',
    file: REVISIONS,
    from: 'revision: revision + 1,',
    to: 'revision: 1,',
    seed: 36,
  },
  {
    name: 'opens the next session without a word of the one that waited',
    file: REVISIONS,
    from: 'this.#sayFinal(effects);\n    effects.closed(effects.clock);',
    to: 'this.#weigh(-1);\n    effects.closed(effects.clock);',
  },
  {
    name: 'goes by the local clock for the end of a window',
    file: REVISIONS,
    from: 'const closed = readClosed(entry);\n    const placed',
    to: "if (effects.wall > this.dueAt()) return 'late';\n    const closed = readClosed(entry);\n    const placed",
    seed: 84,
  },
  {
    name: 'adds nothing of a late event to what a closed session came to',
    seed: 490,
    file: REVISIONS,
    from: 'const placed = place([closed.fragment], arrival, rules);',
    to: 'const placed = place([closed.fragment], { ...arrival, seen: undefined }, rules);',
  },
  {
    name: 'adds nothing of data to what a closed session came to',
    file: REVISIONS,
    from: 'fragment.detail.reduced = reduced.state;',
    to: 'fragment.detail.reduced ??= reduced.state;',
  },
  {
    name: 'says a revision of an event that its reducer refused',
    seed: 805,
    file: SESSION_DATA,
    from: 'return unreduced ?? revisions.takeData(',
    to: 'return revisions.takeData(',
  },
  {
    name: 'opens the next session without what its first event comes to',
    file: SESSION_OPENING,
    from: 'const unreduced = this.#record.reduce(records, false);\n    if (unreduced !== undefined) return unreduced;\n    if (!this.#hasRoomToSucceed',
    to: 'if (!this.#hasRoomToSucceed',
  },
  {
    name: 'revises a session for a duplicate',
    file: REVISIONS,
    from: 'if (applied.duplicate) {',
    to: 'if (applied.duplicate && applied.clamped) {',
    seed: 36,
  },
  {
    name: 'has the window begin again with each revision',
    file: REVISIONS,
    from: 'const revised: ClosedSession = {\n      fragment,\n      closedAt,',
    to: 'const revised: ClosedSession = {\n      fragment,\n      closedAt: Math.max(closedAt, effects.clock),',
    seed: 36,
  },
  {
    name: 'opens a session by what is late, where a closed one waits',
    file: REVISIONS,
    from: "if (event?.type !== ENDED && !isLate(arrival, rules)) return 'newcomer';",
    to: "if (event?.type !== ENDED) return 'newcomer';",
    seed: 185,
  },
  {
    name: 'forgets across a restart how often a session was revised',
    file: CLOSED_SESSION,
    from: 'out.varint(revision);',
    to: 'out.varint(Math.min(revision, 1));',
    seed: 36,
  },
  {
    name: 'has one of several sessions of a key wait beside open ones',
    file: DISORDERED,
    from: 'const waits = left.length === 0 && revisions.isOn;',
    to: 'const waits = revisions.isOn;',
    seed: 55,
  },
  {
    name: 'lets a session wait for twice its window',
    file: REVISIONS,
    from: 'return held.after(entry.lastSeenAt, this.#windowMs);',
    to: 'return held.after(entry.lastSeenAt, 2 * this.#windowMs);',
    seed: 50,
  },
  {
    name: 'opens a session by data of one that has closed',
    file: SESSION_INPUTS,
    from: 'if (!input.touches) return data.takeOnClosed(records, effects);',
    to: "if (!input.touches && input.unknownKey !== 'open') return data.takeOnClosed(records, effects);",
    seed: 50,
  },
  {
    name: 'leaves the reason of a close that an end revises',
    file: REVISIONS,
    from: 'reason: fragment.endedAt === undefined ? reason : ENDED,',
    to: 'reason,',
    seed: 980,
  },
  {
    name: 'says a session again that has all its events',
    file: REVISIONS,
    from: 'if (isCapped(closed.fragment, rules, closed)) {',
    to: 'if (isCapped(closed.fragment, rules, closed) && closed.revision > 0) {',
    seed: 21_908_458,
  },
];
