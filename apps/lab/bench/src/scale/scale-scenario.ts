import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

/** Each instance compiles its code on so many, and is measured afterwards. */
export const WARM_UP_EVENTS = 1_500_000;

export interface ScaleSettings {
  readonly events: number;
  readonly sessions: number;
  readonly partitions: number;
  readonly repeats: number;
  readonly instanceCounts: readonly number[];
}

/** Cost from the moment the input can be read until all of it is committed. */
export interface ScaleCost {
  readonly instances: number;
  readonly events: number;
  readonly elapsedMs: DurationMs;
  /** All instances together. */
  readonly cpuMs: DurationMs;
  /** The worst instance. */
  readonly loopDelay: LoopDelay;
}
