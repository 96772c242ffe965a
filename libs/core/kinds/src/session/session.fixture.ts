import { ByteReader } from '@flatline/base';
import { type Occurrence, openSession, type SessionEntry, type SessionRules, type SessionTexts } from './index.ts';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';

export const RULES: SessionRules = {
  timeoutMs: 1_000,
  minTimeoutMs: 100,
  maxTimeoutMs: 10_000,
  maxDurationMs: undefined,
  graceMs: 0,
  late: 'deadLetter',
  dedupeEventIds: 3,
  maxSources: 3,
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

export interface PlainTexts {
  readonly truncated: boolean;
  readonly eventIds: readonly string[];
  readonly types: readonly (readonly [string, number])[];
  readonly attributes: readonly (readonly [string, string, number])[];
}

/** Bytes of the texts' state before its lists. */
const HEADER_BYTES = 12;

/** The bytes of the lists. */
export function listsOf({ state: { bytes, start, length } }: SessionTexts): Uint8Array {
  return bytes.slice(start + HEADER_BYTES, start + length);
}

/** Reads the texts from their bytes. */
export function plainTexts(texts: SessionTexts): PlainTexts {
  const input = new ByteReader(listsOf(texts));
  const list = <Item>(item: () => Item): Item[] => Array.from({ length: input.varint() }, item);
  const eventIds = list(() => input.text());
  const types = list(() => [input.text(), input.varint()] as const);
  const attributes = list(() => [input.text(), input.text(), input.signedVarint()] as const);
  return { truncated: texts.truncated, eventIds, types, attributes };
}
