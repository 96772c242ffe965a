import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

/** What a process that sends heartbeats is started with. */
export interface BeatTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly sessions: number;
  readonly eventsPerSecond: number;
}

/** Of the keys of sessions that live under load. */
export const LIVING_SEED = 3;

export interface LatencySettings {
  /** To measure what a contender is capable of. */
  readonly events: number;
  /** That live under load, beside the probes. */
  readonly sessions: number;
  readonly partitions: number;
}

/** How late closes are seen by a read_committed reader of the output, counted from their deadlines. */
export interface LatencyFigures {
  readonly contender: string;
  readonly load: 'idle' | 'busy';
  /** What was really sent, beside the probes. */
  readonly eventsPerSecond: number;
  readonly closes: number;
  /** Sessions that ended and of which no close was seen. */
  readonly missing: number;
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
  /** Of a contender on Node. */
  readonly loopDelay: LoopDelay | undefined;
}

/** The default of both. */
export const COMMIT_INTERVAL_MS: DurationMs = 100;
/** Of a contender's capacity, when it is busy. */
export const BUSY_SHARE = 0.3;
