import type { DurationMs, Millis } from '@flatline/base';
import type { StateReducer } from '../reducing/index.ts';
import type { SessionDetail } from './detail.ts';
import type { StatisticsRules } from './statistics/statistics-rules.ts';

/**
 * A live session as the rules see it: a view over whatever holds it (columns in a task, a plain object in a test). Fields that a
 * bare heartbeat does not need live in `detail`, absent by default.
 */
export interface SessionEntry {
  /** Effective time of the first activity; the origin of `maxDurationMs`. */
  openedAt: Millis;
  /** Greatest effective time of an activity (S1). */
  lastSeenAt: Millis;
  /** Silence that ends this session, as in force for it (S7). */
  timeoutMs: DurationMs;
  /** True once an event chose the timeout; until then each activity takes the configured one. */
  timeoutChosen: boolean;
  eventCount: number;
  firstOffset: number;
  lastOffset: number;
  detail: SessionDetail | undefined;
}

/** `drop`: counted and no more. `revise`: a dead letter unless it revises the closed session of its time (S9). */
export type Late = 'deadLetter' | 'drop' | 'revise';

/** The session options of a pipeline, validated by the configuration. */
export interface SessionRules {
  readonly timeoutMs: DurationMs;
  readonly minTimeoutMs: DurationMs;
  readonly maxTimeoutMs: DurationMs;
  /** undefined: no maximum. */
  readonly maxDurationMs: DurationMs | undefined;
  /** Deadlines are multiples of it (S2), which no grace goes with. undefined: they are not. */
  readonly bucketMs?: DurationMs | undefined;
  /** How far behind the clock a session's time goes on: it closes so long after its deadline (C7). */
  readonly graceMs: DurationMs;
  /** Decides on a record that comes later. */
  readonly late: Late;
  /** How long after its close a session may be revised (S9). 0, and the default: none is. */
  readonly revisionWindowMs?: DurationMs;
  /** How many event ids are remembered per session (S5). 0: none. */
  readonly dedupeEventIds: number;
  /** How many named sources' sequences are told apart per session (S5). 0: none, all count as the unnamed one's. */
  readonly maxSources: number;
  /** True if each session is told of when it opens (S11). Default: false. */
  readonly sayOpened?: boolean;
  /** A touch tells of a session that was not told of for so long (S11). undefined: none does. */
  readonly updateIntervalMs?: DurationMs | undefined;
  /** Events beyond so many are taken as bare heartbeats (S13). undefined: none is. */
  readonly maxEvents?: number | undefined;
  /** Statistics of sessions (S12). undefined: none. */
  readonly stats?: StatisticsRules | undefined;
  /** Reduces the events that have a value (S10). undefined: none does. */
  readonly reducer?: StateReducer | undefined;
  readonly maxAttributes: number;
  /** Bound on the sum of the UTF-16 lengths of attribute names and values. */
  readonly maxAttributeBytes: number;
}
