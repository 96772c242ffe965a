// Faults where sessions are made of several inputs (S8): in which order records are taken, and what one that is no activity does.
import type { Mutant } from '../mutants/mutant.ts';

const MERGE_ORDER = 'libs/core/partition/src/input/merge-order.ts';
const SESSION_KIND = 'libs/core/kinds/src/session/session-kind.ts';
const SESSION_OPENING = 'libs/core/kinds/src/session/session-opening.ts';
const SESSION_DATA = 'libs/core/kinds/src/session/session-data.ts';
const TAKEN_RECORD = 'libs/core/kinds/src/session/taken-record.ts';
const APPLY_EVENT = 'libs/core/kinds/src/session/apply-event.ts';
const PLACING = 'libs/core/kinds/src/session/placing.ts';
const DATA_PLACING = 'libs/core/kinds/src/session/data-placing.ts';
const EARLY_DATA = 'libs/core/kinds/src/session/early-data.ts';

export const INPUT_MUTANTS: readonly Mutant[] = [
  {
    name: 'takes what has come, whatever another input may bring',
    file: MERGE_ORDER,
    from: 'return front > place || (front === place && other > input);',
    to: 'return front > place || !this.hasHead(other) || (front === place && other > input);',
  },
  {
    name: 'has data keep a session alive',
    file: SESSION_DATA,
    from: 'const applied = applyData(entry, rules, event, at);',
    to: 'if (hasSession) entry.lastSeenAt = Math.max(entry.lastSeenAt, at.effectiveAt); const applied = applyData(entry, rules, event, at);',
  },
  {
    name: 'forgets what was said before the session came',
    file: SESSION_OPENING,
    from: 'openFromEarly(this.#entry, this.#rules, this.#at, this.#event.occurredAt ?? this.#at.timestamp);',
    to: 'openFromEarly(this.#entry, this.#rules, this.#at, this.#event.occurredAt ?? this.#at.timestamp); this.#entry.detail = undefined; effects.resized();',
  },
  {
    name: 'says of data for which no session came that one has ended',
    file: SESSION_KIND,
    from: 'if (isEarly(this.#entry)) {',
    to: 'if (isEarly(this.#entry) && this.#entry.detail === undefined) {',
    seed: 36,
  },
  {
    name: 'has a row that is deleted end a session',
    file: SESSION_DATA,
    from: '// A row that is deleted from a table ends nothing.',
    to: 'if (hasSession) { this.#parts.closing.end(effects); return undefined; }',
  },
  {
    name: 'keeps data that is to be refused',
    file: SESSION_DATA,
    from: "if (!hasSession && input.unknownKey === 'deadLetter') return UNKNOWN_KEY;",
    to: "if (!hasSession && input.unknownKey === 'open') return UNKNOWN_KEY;",
    seed: 30,
  },
  {
    name: 'holds data since it first came',
    file: EARLY_DATA,
    from: 'if (at.effectiveAt > entry.lastSeenAt) entry.lastSeenAt = at.effectiveAt;',
    to: 'void at;',
    seed: 43,
  },
  {
    name: 'goes on with the offset of another input',
    file: TAKEN_RECORD,
    from: 'if (inputAt(firstOffset) !== input) this.at.offset = lastOffset;',
    to: 'if (inputAt(firstOffset) > input) this.at.offset = lastOffset;',
  },
  {
    name: 'adds to no reducer what is only data',
    file: SESSION_DATA,
    from: 'const unreduced = record.reduce(records, isLive, record.mute(isLive));',
    to: 'record.mute(isLive); const unreduced = record.reduce(records, isLive, true);',
    seed: 49,
  },
  {
    name: 'has data choose how long a session lasts',
    file: APPLY_EVENT,
    from: 'noteContent(entry, rules, event, event.occurredAt ?? at.timestamp);',
    to: 'noteContent(entry, rules, event, event.occurredAt ?? at.timestamp); takeTimeout(entry, rules, event.timeoutMs);',
    seed: 21_908_458,
  },
  {
    name: 'has a session start with what was said before it',
    file: EARLY_DATA,
    from: 'detail.startedAt = occurredAt;',
    to: 'void occurredAt;',
    seed: 21_910_971,
  },
  {
    name: 'keeps what data says of a session that has all its events',
    file: TAKEN_RECORD,
    from: 'resetEvent(this.event);\n    return true;',
    to: 'return true;',
    seed: 21_908_458,
  },
  {
    name: 'takes data for that of the last session, whatever its time',
    file: DATA_PLACING,
    from: 'fragments.find((each) => at.effectiveAt < reachEnd(each, held)) ?? fragments.at(-1)!',
    to: 'fragments.at(-1)!',
    seed: 43,
  },
  {
    name: 'opens another session by what opens none',
    file: PLACING,
    from: 'if (first === undefined && arrival.opensNone === true)',
    to: 'if (first === undefined && fragments.length === 0 && arrival.opensNone === true)',
    seed: 778,
  },
  {
    name: 'keeps in one of several sessions the offset of another input',
    file: PLACING,
    from: 'return inputAt(firstOffset) === inputAt(at.offset) ? at',
    to: 'return firstOffset >= 0 ? at',
    seed: 43,
  },
];
