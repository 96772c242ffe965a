import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

/** What a process that sends heartbeats is started with. */
export interface BeatTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly sessions: number;
  readonly eventsPerSecond: number;
}

/** Seed of the keys of sessions that live under load. */
export const LIVING_SEED = 3;

export interface LatencySettings {
  /** To measure what a contender is capable of. */
  readonly events: number;
  /** That live under load, beside the probes. */
  readonly sessions: number;
  readonly partitions: number;
  /** Turns of each contender under each load. */
  readonly repeats: number;
}

export type Load = 'idle' | 'busy' | 'ending';

/** How many sessions end in a second where they end all the time, in all partitions together. */
export const ENDING_PER_SECOND = 2_000;

/** One turn: how late closes are seen by a read_committed reader of the output, counted from their deadlines. */
export interface LatencyTurn {
  readonly contender: string;
  readonly load: Load;
  /** What was really sent, beside the probes; where sessions end all the time, what was to be. */
  readonly eventsPerSecond: number;
  readonly closes: number;
  /** Sessions that ended and of which no close was seen. */
  readonly missing: number;
  /** NaN where none was seen. */
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
  /** Undefined where the contender does not run on Node. */
  readonly loopDelay: LoopDelay | undefined;
  /** CPU time of the broker's processes per second; undefined where they are not ours to see. */
  readonly brokerMsPerSecond: DurationMs | undefined;
}

/** Default of Kafka Streams under exactly once, used where its name says no other. */
export const COMMIT_INTERVAL_MS: DurationMs = 100;
/** Share of a contender's capacity at which it counts as busy. */
export const BUSY_SHARE = 0.3;
