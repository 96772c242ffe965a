// Counters of each kind, as metrics: a section for each kind, and the compiler names one that is missing.
import type { PipelineConfig } from '@flatline/config';
import { COUNTED_BY_REASON } from '@flatline/kinds';
import type { Described } from './metric-views.ts';

/** By metric name: a counter of the task, and what it counts. */
export type Counted = Readonly<Record<string, readonly [counter: string, help: string]>>;

/** Several counters as one metric, told apart by the label `reason`. */
export interface Ended extends Described {
  readonly counters: Readonly<Record<string, string>>;
}

interface KindMetrics {
  readonly counted: Counted;
  readonly ended?: Ended;
}

export const KIND_METRICS: Readonly<Record<PipelineConfig['kind'], KindMetrics>> = {
  session: {
    counted: {
      flatline_heartbeats_total: ['heartbeats', 'Bare heartbeats applied'],
      flatline_events_total: ['events', 'Events with a payload, and explicit ends, applied'],
      flatline_sessions_opened_total: ['sessionsOpened', 'Incarnations opened'],
      flatline_unmatched_ends_total: ['unmatchedEnds', 'Explicit ends for no live session'],
      flatline_duplicates_total: ['duplicates', 'Events counted as duplicates (S5)'],
      flatline_forgotten_sources_total: ['forgottenSources', 'Sources forgotten for others of their sessions (S5)'],
    },
    ended: {
      name: 'flatline_sessions_closed_total',
      help: 'Sessions closed, by reason (S2)',
      counters: { TIMEOUT: 'closedByTimeout', ENDED: 'closedByEnd', MAX_DURATION: 'closedByMaxDuration' },
    },
  },
  lease: {
    counted: {
      flatline_leases_granted_total: ['leasesGranted', 'Leases granted (L1)'],
      flatline_leases_queued_total: ['leasesQueued', 'Starts that were queued (L4)'],
      flatline_lease_renewals_total: ['leaseRenewals', 'Renewals with the live token'],
      flatline_lease_rejections_total: ['leaseRequestsRejected', 'Requests for leases that were rejected'],
    },
    ended: {
      name: 'flatline_leases_ended_total',
      help: 'Leases that have ended, by reason (L1)',
      counters: {
        RELEASED: 'leasesReleased',
        TIMEOUT: 'leasesExpiredByTimeout',
        MAX_DURATION: 'leasesExpiredByMaxDuration',
        REPLACED: 'leasesReplaced',
      },
    },
  },
  debounce: {
    counted: {
      flatline_items_accepted_total: ['itemsAccepted', 'Items put into windows (B2)'],
      flatline_windows_opened_total: ['windowsOpened', 'Windows opened (B1)'],
      flatline_unmatched_commands_total: ['unmatchedCommands', 'Cancels and flushes without a window (B3)'],
      flatline_clamped_waits_total: ['clampedWaits', 'Waits asked for that were clamped (B1)'],
    },
    ended: {
      name: 'flatline_windows_fired_total',
      help: 'Windows that have fired or were cancelled, by reason (B3)',
      counters: COUNTED_BY_REASON,
    },
  },
  schedule: {
    counted: {
      flatline_schedules_made_total: ['schedulesMade', 'Schedules made, or published again (D1)'],
      flatline_schedules_replaced_total: ['schedulesReplaced', 'Of these, those that took the place of another (D1)'],
      flatline_schedules_cancelled_total: ['schedulesCancelled', 'Schedules cancelled (D1)'],
      flatline_schedules_not_found_total: ['schedulesNotFound', 'Cancels and commands that met no schedule (D4)'],
      flatline_schedule_runs_total: ['scheduleRuns', 'Runs of schedules (D2)'],
      flatline_schedule_runs_in_past_total: ['scheduleRunsInPast', 'Schedules that were due when they were made (D2)'],
      flatline_schedule_runs_expired_total: ['scheduleRunsExpired', 'Runs that came too late for their expiry (D2)'],
      flatline_schedule_runs_missed_total: ['scheduleRunsMissed', 'Runs not made up for (D3)'],
      flatline_schedules_parked_total: ['schedulesParked', 'Schedules that were due and could not be reckoned (D3)'],
    },
  },
};
