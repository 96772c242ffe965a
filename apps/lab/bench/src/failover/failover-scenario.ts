import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

/** How the instance that is measured goes: killed, or told to stop. */
export type Departure = 'kill' | 'leave';

export interface FailoverScenario {
  readonly departure: Departure;
  readonly standbys: number;
  /** Sessions that live all the time: the state that moves. */
  readonly sessions: number;
  readonly partitions: number;
  readonly sessionTimeoutMs: DurationMs;
}

export interface FailoverSettings extends Omit<FailoverScenario, 'departure' | 'standbys'> {
  readonly repeats: number;
}

export interface FailoverFigures extends FailoverScenario {
  readonly movedPartitions: number;
  /** From a kill to the first close of the new owner that a read_committed reader sees; the slowest partition. */
  readonly firstCloseMs: DurationMs | undefined;
  /** The longest time without a close on a moved partition, where one was due every PROBE_EVERY_MS. */
  readonly longestGapMs: DurationMs;
  /** The latest close: from its deadline to its being seen. */
  readonly latestMs: DurationMs;
  /** As the new owner says: from the assignment, and from the fence, to running; the slowest partition. */
  readonly restoreMs: DurationMs;
  readonly takeoverMs: DurationMs;
  readonly closes: number;
}

/** One probe, and so one close, per partition in this time. */
export const PROBE_EVERY_MS: DurationMs = 25;
/** What a probe lives without another sign of life. */
export const PROBE_TIMEOUT_MS: DurationMs = 1_000;

/** What one member's process is started with. */
export interface MemberTask {
  readonly instance: string;
  readonly application: string;
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly stateDir: string;
  readonly standbys: number;
  readonly sessionTimeoutMs: DurationMs;
  /** The silence that ends a session. Default: that of a probe. */
  readonly timeoutMs?: DurationMs;
  /** How often a quiet partition may be asked for the time (C2). Default: the processor's own, 100. */
  readonly proofIntervalMs?: DurationMs | undefined;
  /** Compression of its output. Default: the processor's own, zstd. */
  readonly compression?: 'none';
}

/** Cost of one member's process, between `beginCost` and `cost`. */
export interface MemberCost {
  readonly cpuMs: DurationMs;
  readonly loopDelay: LoopDelay;
}
