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

/** Of the span from the moment the input was there to be read until all of it was committed. */
export interface ScaleCost {
  readonly instances: number;
  readonly events: number;
  readonly elapsedMs: DurationMs;
  /** Of all instances together. */
  readonly cpuMs: DurationMs;
  /** The worst instance. */
  readonly loopDelay: LoopDelay;
}
