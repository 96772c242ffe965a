// Task and answer of a peer's program that keeps entries until they are due. Times by the wall clock, which all processes share.
import type { DurationMs, Millis } from '@flatline/base';
import type { DueLoad } from './due-load.ts';

export interface DueTask extends DueLoad {
  /** From the first due instant on. */
  readonly runMaxMs: DurationMs;
  /** Data directory of the server. */
  readonly stateDir: string;
}

export interface StepCost {
  readonly elapsedMs: DurationMs;
  readonly serverCpuMs: DurationMs;
  readonly clientCpuMs: DurationMs;
}

export interface DueCost {
  readonly added: StepCost;
  /** Growth of the server's memory while they wait. */
  readonly pendingBytes: number;
  /** From a second before the first is due until the last of those that are due together was handed over. */
  readonly drained: StepCost;
  readonly drainMs: DurationMs;
  /** Number handed over of those due together, each counted once; and of repetitions among all. */
  readonly count: number;
  readonly twice: number;
  /** Instant at which each of the others was handed over; 0: it was not. */
  readonly othersSeenAt: readonly Millis[];
}
