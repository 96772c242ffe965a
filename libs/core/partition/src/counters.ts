import type { SessionCounters } from '@flatline/kinds';

/** What a task has counted since it was created. Plain numbers: the shell turns them into metrics. */
export interface TaskCounters extends SessionCounters {
  recordsRead: number;
  clockRecords: number;
  deadLetters: number;
  /** Of these, records at which we failed (I6). */
  failedRecords: number;
  /** And records that would have opened a session more than there may be (I7). */
  stateFull: number;
  /** Records stamped below evidence that had moved the clock already: closes may have been too early (C3). */
  clockOvertaken: number;
  /** Records of the other timestamp type, from before the input had the configured one: read over (C6). */
  formerTypeRecords: number;
}

export function zeroCounters(): TaskCounters {
  return {
    recordsRead: 0,
    heartbeats: 0,
    events: 0,
    clockRecords: 0,
    sessionsOpened: 0,
    closedByTimeout: 0,
    closedByEnd: 0,
    closedByMaxDuration: 0,
    unmatchedEnds: 0,
    duplicates: 0,
    clampedTimeouts: 0,
    deadLetters: 0,
    failedRecords: 0,
    stateFull: 0,
    clockOvertaken: 0,
    formerTypeRecords: 0,
  };
}
