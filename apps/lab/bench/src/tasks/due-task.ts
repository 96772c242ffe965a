// What a peer's program is told of what waits in it until it is due, and answers. Times by the wall clock, which all processes share.
import type { DurationMs, Millis } from '@flatline/base';
import type { DueLoad } from './due-load.ts';

export interface DueTask extends DueLoad {
  /** From the first due instant on. */
  readonly runMaxMs: DurationMs;
  /** Where the server has its data. */
  readonly stateDir: string;
}

export interface StepCost {
  readonly elapsedMs: DurationMs;
  readonly serverCpuMs: DurationMs;
  readonly clientCpuMs: DurationMs;
}

export interface DueCost {
  readonly added: StepCost;
  /** What the server's memory has grown by while they wait. */
  readonly pendingBytes: number;
  /** From a second before the first is due until the last of those that are due together was handed over. */
  readonly drained: StepCost;
  readonly drainMs: DurationMs;
  /** Handed over of those that are due together, each counted once; and of all, again. */
  readonly count: number;
  readonly twice: number;
  /** When each of the others was handed over; 0: it was not. */
  readonly othersSeenAt: readonly Millis[];
}
