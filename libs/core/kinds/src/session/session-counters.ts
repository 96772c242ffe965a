import type { KindCounters } from '../contract.ts';

/** Counters of sessions in a task since it was created, and what waits in it. Plain numbers: the shell turns them into metrics. */
export interface SessionCounters extends KindCounters {
  heartbeats: number;
  events: number;
  sessionsOpened: number;
  /** Opened sessions that turned out to be one with another (C7). */
  sessionsAbsorbed: number;
  closedByTimeout: number;
  closedByEnd: number;
  closedByMaxDuration: number;
  /** By an operator's eviction (Q4). */
  closedByEviction: number;
  /** Explicit ends for no live session: nothing to end. */
  unmatchedEnds: number;
  duplicates: number;
  /** Timeouts outside [minTimeoutMs, maxTimeoutMs] that were clamped (S7). */
  clampedTimeouts: number;
  /** Sessions with more events than `maxEvents` (S13). */
  cappedSessions: number;
  /** Closes of sessions that lasted no time: those of one event, as a rule (S13). */
  zeroLengthSessions: number;
  /** Records that only add data, to a session or to what waits for one (S8). */
  dataEvents: number;
  /** Keys of which early data was kept; those whose session came; those of which none came in time. */
  earlyKept: number;
  earlyJoined: number;
  earlyDropped: number;
  /** Sources whose windows gave way to another's (S5). */
  forgottenSources: number;
  /** Acts that erase a key, whether or not anything of it lived (E1). */
  erasures: number;
  /** Records that came too late for their session (C7). */
  lateRecords: number;
  /** Summaries said again after the close (S9). */
  revisions: number;
  /** Now: closed sessions that may still be revised (S9), and their bytes as they count towards `maxStateBytes` (I7). */
  closedWaiting: number;
  closedWaitingBytes: number;
  /** Closes at which the reducer's `finish` threw, which it had not when the state was made (S10). */
  unfinishedReductions: number;
}

export function zeroCounters(): SessionCounters {
  return {
    heartbeats: 0,
    events: 0,
    sessionsOpened: 0,
    sessionsAbsorbed: 0,
    closedByTimeout: 0,
    closedByEnd: 0,
    closedByMaxDuration: 0,
    closedByEviction: 0,
    unmatchedEnds: 0,
    duplicates: 0,
    clampedTimeouts: 0,
    cappedSessions: 0,
    zeroLengthSessions: 0,
    dataEvents: 0,
    earlyKept: 0,
    earlyJoined: 0,
    earlyDropped: 0,
    forgottenSources: 0,
    erasures: 0,
    lateRecords: 0,
    revisions: 0,
    closedWaiting: 0,
    closedWaitingBytes: 0,
    unfinishedReductions: 0,
  };
}
