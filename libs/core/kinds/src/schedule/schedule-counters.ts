import type { KindCounters } from '../contract.ts';

/** Counters of schedules in a task since it was created. */
export interface ScheduleCounters extends KindCounters {
  /** Schedules made, including those that replaced another. */
  schedulesMade: number;
  schedulesReplaced: number;
  schedulesCancelled: number;
  /** Cancels and commands that met no schedule. */
  schedulesNotFound: number;
  scheduleRuns: number;
  /** Schedules that were due when they were made (D2). */
  scheduleRunsInPast: number;
  /** Runs that came too late for `flatline-expires-ms`. */
  scheduleRunsExpired: number;
  /** Runs not made up for (D3). */
  scheduleRunsMissed: number;
  /** Schedules that were due and could not be reckoned (D3). */
  schedulesParked: number;
}

export function zeroScheduleCounters(): ScheduleCounters {
  return {
    schedulesMade: 0,
    schedulesReplaced: 0,
    schedulesCancelled: 0,
    schedulesNotFound: 0,
    scheduleRuns: 0,
    scheduleRunsInPast: 0,
    scheduleRunsExpired: 0,
    scheduleRunsMissed: 0,
    schedulesParked: 0,
  };
}
