import type { DurationMs } from '@flatline/base';
import type { InputDelay } from '../input-delay.ts';
import type { LoopDelay } from '../loop-delay.ts';
import type { Spread } from '../statistics.ts';

export interface StormSettings {
  /** That fall silent together. */
  readonly sessions: number;
  readonly partitions: number;
  /** Number of other sessions, which live on. */
  readonly livingSessions: number;
  readonly heartbeatsPerSecond: number;
  /** Long enough for every contender to have read all before the first is due. */
  readonly timeoutMs: DurationMs;
  /** Turns of each contender. */
  readonly repeats: number;
}

/** One turn. */
export interface StormTurn {
  readonly contender: string;
  /** What ended it before all were closed. */
  readonly failure: string | undefined;
  /** Sessions seen closed, each counted once. */
  readonly closes: number;
  readonly closedTwice: number;
  /** Closes of sessions that live on: must be none. */
  readonly closedAlive: number;
  /** From the first session's deadline to the last one's. */
  readonly dueWithinMs: DurationMs;
  /** From the first deadline until a read_committed reader has seen the last close. */
  readonly drainMs: DurationMs;
  /** CPU time of the contender's process over the drain, all threads; undefined where the system does not tell. */
  readonly cpuMs: DurationMs | undefined;
  /** CPU time of the broker's processes over the drain; undefined where they are not ours to see. */
  readonly brokerCpuMs: DurationMs | undefined;
  /** Over the drain. */
  readonly inputDelay: InputDelay;
  /** Undefined where the contender does not run on Node. */
  readonly loopDelay: LoopDelay | undefined;
}

/** All turns of a contender. */
export interface StormFigures {
  readonly contender: string;
  /** What ended turns before all were closed. */
  readonly failures: readonly string[];
  readonly closes: Spread;
  /** Sum over all turns. */
  readonly closedTwice: number;
  readonly closedAlive: number;
  readonly dueWithinMs: Spread;
  readonly drainMs: Spread;
  readonly closesPerSecond: Spread;
  /** Undefined where it was not told in every turn. */
  readonly cpuMs: Spread | undefined;
  readonly closesPerCpuSecond: Spread | undefined;
  readonly brokerCpuMs: Spread | undefined;
  readonly inputDelayP50Ms: Spread;
  readonly inputDelayP99Ms: Spread;
  readonly inputDelayMaxMs: Spread;
  /** The worst turn. */
  readonly loopDelay: LoopDelay | undefined;
}
