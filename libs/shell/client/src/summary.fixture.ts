import type { SessionSummary } from '@flatline/kinds';

/** A session of two events that fell silent. */
export function summaryOf(sessionId: string, incarnation: string, partition = 0): SessionSummary {
  return {
    key: new TextEncoder().encode(sessionId),
    incarnation,
    revision: 0,
    reason: 'TIMEOUT',
    truncated: false,
    partition,
    startedAt: 1,
    lastSeenAt: 2,
    endedAt: 2,
    durationMs: 1,
    deadlineAt: 32,
    closedAt: 32,
    emittedAt: 40,
    timeoutMs: 30,
    eventCount: 2,
    duplicateCount: 0,
    outOfOrderCount: 0,
    lateCount: 0,
    missingCount: 0,
    countsByType: new Map(),
    attributes: new Map(),
    firstOffset: 0,
    lastOffset: 1,
  };
}
