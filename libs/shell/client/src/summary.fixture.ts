const utf8 = new TextEncoder();

/** The value of a summary of two events that fell silent, as another writer may put it: what has a default is left out. */
export function summaryJson(sessionId: string, incarnation: string, partition = 0, more: object = {}): Uint8Array {
  const summary = {
    sessionId,
    incarnation,
    reason: 'TIMEOUT',
    startedAt: 1,
    lastSeenAt: 2,
    endedAt: 2,
    durationMs: 1,
    deadlineAt: 32,
    closedAt: 32,
    emittedAt: 40,
    timeoutMs: 30,
    eventCount: 2,
    partition,
    firstOffset: 0,
    lastOffset: 1,
    ...more,
  };
  return utf8.encode(JSON.stringify(summary));
}
