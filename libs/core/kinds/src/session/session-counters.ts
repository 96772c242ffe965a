/** What sessions have counted in a task since it was created. Plain numbers: the shell turns them into metrics. */
export interface SessionCounters {
  heartbeats: number;
  events: number;
  sessionsOpened: number;
  closedByTimeout: number;
  closedByEnd: number;
  closedByMaxDuration: number;
  /** Explicit ends for no live session: nothing to end. */
  unmatchedEnds: number;
  duplicates: number;
  /** Timeouts outside [minTimeoutMs, maxTimeoutMs] that were clamped (S7). */
  clampedTimeouts: number;
}
