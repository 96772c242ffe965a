import type { CounterOf } from '@flatline/kinds';
import type { SessionCounters } from '@flatline/kinds/session';
import type { KindMetrics } from '../kind-module.ts';

export const sessionMetrics: KindMetrics<CounterOf<SessionCounters>> = {
  counted: {
    flatline_heartbeats_total: ['heartbeats', 'Bare heartbeats applied'],
    flatline_events_total: ['events', 'Events with a payload, and explicit ends, applied'],
    flatline_sessions_opened_total: ['sessionsOpened', 'Incarnations opened'],
    flatline_sessions_absorbed_total: ['sessionsAbsorbed', 'Incarnations that turned out to be one with another (C7)'],
    flatline_late_records_total: ['lateRecords', 'Records that came too late for their session (C7)'],
    flatline_revisions_total: ['revisions', 'Summaries said again, since data came after the close (S9)'],
    flatline_erasures_total: ['erasures', 'Acts that erase a key, whether or not anything of it lived (E1)'],
    flatline_unmatched_ends_total: ['unmatchedEnds', 'Explicit ends for no live session'],
    flatline_duplicates_total: ['duplicates', 'Events counted as duplicates (S5)'],
    flatline_sessions_capped_total: ['cappedSessions', 'Sessions closed with more than maxEvents (S13)'],
    flatline_sessions_zero_length_total: ['zeroLengthSessions', 'Sessions closed that lasted no time (S13)'],
    flatline_data_events_total: ['dataEvents', 'Records that only add data, applied (S8)'],
    flatline_early_data_kept_total: ['earlyKept', 'Keys of which data was kept before any activity (S8)'],
    flatline_early_data_joined_total: ['earlyJoined', 'Keys whose early data was kept, and whose session came (S8)'],
    flatline_early_data_dropped_total: [
      'earlyDropped',
      'Keys whose early data was kept, and of which no session came within holdMs (S8)',
    ],
    flatline_unfinished_reductions_total: ['unfinishedReductions', "Closes at which a reducer's finish threw (S10)"],
    flatline_forgotten_sources_total: ['forgottenSources', 'Sources forgotten for others of their sessions (S5)'],
  },
  gauged: {
    flatline_closed_sessions_waiting: ['closedWaiting', 'Closed sessions that may still be revised (S9)'],
    flatline_closed_sessions_waiting_bytes: [
      'closedWaitingBytes',
      'What these count towards maxStateBytes (I7): entries, keys and states',
    ],
  },
  endings: {
    TIMEOUT: 'closedByTimeout',
    ENDED: 'closedByEnd',
    MAX_DURATION: 'closedByMaxDuration',
    EVICTED: 'closedByEviction',
  },
  ended: { name: 'flatline_sessions_closed_total', help: 'Sessions closed, by reason (S2)' },
};
