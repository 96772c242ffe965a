import fc from 'fast-check';
import { type SessionSummary, SOURCE_BYTES_MAX } from '@flatline/ports/formats';
import type { OutgoingEvent } from './events/event-shape.ts';
import { EVENT_ID_LENGTH_MAX, TYPE_LENGTH_MAX } from './limits.ts';
import { anySafeInteger, anyTextMap, boundedText } from './fuzz.fixture.ts';

const notNegative = fc.oneof(fc.constantFrom(0, 1, 2 ** 53 - 1), fc.maxSafeNat());

const anyInstant = fc.oneof(fc.constantFrom(0, 1, 2 ** 52, 8.64e15), fc.nat({ max: 8.64e15 }));

/** Any event that is allowed. */
export const anyEvent: fc.Arbitrary<OutgoingEvent> = fc.record(
  {
    type: boundedText(TYPE_LENGTH_MAX),
    occurredAt: anyInstant,
    eventId: boundedText(EVENT_ID_LENGTH_MAX),
    sequence: notNegative,
    timeoutMs: notNegative.map((value) => Math.max(1, value)),
    attributes: anyTextMap,
    source: boundedText(SOURCE_BYTES_MAX).filter((name) => Buffer.byteLength(name) <= SOURCE_BYTES_MAX),
  },
  { requiredKeys: [] },
);

const anyCounts = fc
  .array(fc.tuple(boundedText(TYPE_LENGTH_MAX), fc.maxSafeNat()), { maxLength: 5 })
  .map((entries) => new Map(entries));

/** Any summary, with keys that are mostly not UTF-8. */
export const anySummary: fc.Arbitrary<SessionSummary> = fc.record({
  key: fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constantFrom(...['', 'a', '\uFEFFa', '🎈'].map(bytesOf))),
  incarnation: boundedText(64),
  revision: anySafeInteger,
  state: fc.constantFrom('OPENED', 'UPDATED', 'CLOSED'),
  reason: fc.constantFrom('', 'TIMEOUT', 'ENDED', 'MAX_DURATION', 'EVICTED'),
  startedAt: anySafeInteger,
  lastSeenAt: anySafeInteger,
  endedAt: anySafeInteger,
  durationMs: anySafeInteger,
  deadlineAt: anySafeInteger,
  closedAt: anySafeInteger,
  emittedAt: anySafeInteger,
  timeoutMs: anySafeInteger,
  eventCount: anySafeInteger,
  duplicateCount: anySafeInteger,
  outOfOrderCount: anySafeInteger,
  lateCount: anySafeInteger,
  missingCount: anySafeInteger,
  countsByType: anyCounts,
  attributes: anyTextMap,
  truncated: fc.boolean(),
  capped: fc.boolean(),
  partition: anySafeInteger,
  firstOffset: anySafeInteger,
  lastOffset: anySafeInteger,
});

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** One of each field, none at its default; with names that objects treat specially, and text that JSON escapes. */
export const sampleEvent = {
  type: 'page_view',
  occurredAt: 1_700_000_000_123,
  eventId: 'e-1',
  sequence: 12,
  timeoutMs: 30_000,
  attributes: new Map([
    ['country', 'NL'],
    ['__proto__', '🎈\u0000"\\'],
    ['1', 'one'],
  ]),
  source: 'web-\u00fc',
} satisfies OutgoingEvent;

/** The same of a summary. */
export function sampleSummary(over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    key: bytesOf('session-1'),
    incarnation: '3-123456',
    revision: 1,
    state: 'CLOSED',
    reason: 'ENDED',
    startedAt: 1_700_000_000_123,
    lastSeenAt: 1_700_000_060_123,
    endedAt: 1_700_000_060_124,
    durationMs: 60_001,
    deadlineAt: 1_700_001_860_123,
    closedAt: 1_700_001_860_124,
    emittedAt: 1_700_001_860_223,
    timeoutMs: 1_800_000,
    eventCount: 61,
    duplicateCount: 2,
    outOfOrderCount: 3,
    lateCount: 4,
    missingCount: 5,
    countsByType: new Map([['page_view', 61]]),
    attributes: new Map([['country', 'NL']]),
    truncated: true,
    capped: true,
    partition: 3,
    firstOffset: 123_456,
    lastOffset: 130_000,
    ...over,
  };
}
