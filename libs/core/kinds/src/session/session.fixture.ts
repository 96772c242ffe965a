import {
  blankEvent,
  type Occurrence,
  openSession,
  type SessionEntry,
  type SessionEvent,
  type SessionRules,
} from '../index.ts';

export const RULES: SessionRules = {
  timeoutMs: 1_000,
  minTimeoutMs: 100,
  maxTimeoutMs: 10_000,
  maxDurationMs: undefined,
  dedupeEventIds: 3,
  maxAttributes: 3,
  maxAttributeBytes: 40,
};

export const rules = (changes: Partial<SessionRules>): SessionRules => ({ ...RULES, ...changes });

export const event = (changes: Partial<SessionEvent>): SessionEvent => ({ ...blankEvent(), ...changes });

/** A record at offset and append time `at`. */
export const at = (effectiveAt: number, offset = effectiveAt, timestamp = effectiveAt): Occurrence => ({
  offset,
  effectiveAt,
  timestamp,
});

/** A session opened by a record at `at`, which is not applied yet. */
export function opened(occurrence: Occurrence, using: SessionRules = RULES): SessionEntry {
  const entry: SessionEntry = {
    openedAt: -1,
    lastSeenAt: -1,
    timeoutMs: -1,
    timeoutChosen: true,
    eventCount: -1,
    firstOffset: -1,
    lastOffset: -1,
    detail: undefined,
  };
  openSession(entry, using, occurrence);
  return entry;
}

const KEY = new TextEncoder().encode('k');

export const closing = {
  key: KEY,
  partition: 3,
  reason: 'TIMEOUT',
  closedAt: 0,
  endedAt: undefined,
  emittedAt: 7,
} as const;
