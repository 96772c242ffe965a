import type { CounterOf } from '@flatline/kinds';
import type { ScheduleCounters } from '@flatline/kinds/schedule';
import type { KindMetrics } from '../kind-module.ts';

export const scheduleMetrics: KindMetrics<CounterOf<ScheduleCounters>> = {
  counted: {
    flatline_schedules_made_total: ['schedulesMade', 'Schedules made, or published again (D1)'],
    flatline_schedules_replaced_total: ['schedulesReplaced', 'Schedules that took the place of another (D1)'],
    flatline_schedules_cancelled_total: ['schedulesCancelled', 'Schedules cancelled (D1)'],
    flatline_schedules_not_found_total: ['schedulesNotFound', 'Cancels and commands that met no schedule (D4)'],
    flatline_schedule_runs_total: ['scheduleRuns', 'Runs of schedules (D2)'],
    flatline_schedule_runs_in_past_total: ['scheduleRunsInPast', 'Schedules that were due when they were made (D2)'],
    flatline_schedule_runs_expired_total: ['scheduleRunsExpired', 'Runs that came too late for their expiry (D2)'],
    flatline_schedule_runs_missed_total: ['scheduleRunsMissed', 'Runs not made up for (D3)'],
    flatline_schedules_parked_total: ['schedulesParked', 'Schedules that were due and could not be reckoned (D3)'],
  },
  // Schedules have runs instead of ends, each kind of which is a metric above.
  endings: {
    RUN: 'scheduleRuns',
    CANCELLED: 'schedulesCancelled',
    EXPIRED: 'scheduleRunsExpired',
    MISSED: 'scheduleRunsMissed',
  },
};
