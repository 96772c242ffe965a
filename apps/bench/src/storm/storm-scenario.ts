import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

export interface StormSettings {
  /** That fall silent together. */
  readonly sessions: number;
  readonly partitions: number;
  /** Of other sessions, which live on. */
  readonly livingSessions: number;
  readonly heartbeatsPerSecond: number;
  /** Long enough for every contender to have read all before the first is due. */
  readonly timeoutMs: DurationMs;
}

/** How long after they were in the log heartbeats were committed, as the group's offsets tell. */
export interface InputDelay {
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
}

export interface StormFigures {
  readonly contender: string;
  /** What ended it before all were closed. */
  readonly failure: string | undefined;
  /** Sessions seen closed, each counted once. */
  readonly closes: number;
  readonly closedTwice: number;
  /** Of the sessions that live on: none may be. */
  readonly closedAlive: number;
  /** From the first session's deadline to the last one's. */
  readonly dueWithinMs: DurationMs;
  /** From the first deadline until a read_committed reader has seen the last close. */
  readonly drainMs: DurationMs;
  /** Of the contender's process over the drain, all its threads; undefined where the system does not tell. */
  readonly cpuMs: DurationMs | undefined;
  /** Over the drain. */
  readonly inputDelay: InputDelay;
  /** Of a contender on Node. */
  readonly loopDelay: LoopDelay | undefined;
}
