// What a process with a population is, is asked and answers.
import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';
import type { MemoryParts } from './memory-parts.ts';

export interface PopulationTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly partitions: number;
  readonly application: string;
  readonly stateDir: string;
  readonly timeoutMs: DurationMs;
}

export type PopulationQuestion =
  /** Answered once so many events have been applied since it started, and all that is applied is committed; measured after the first ones. */
  | { readonly kind: 'applied'; readonly events: number; readonly warmUpEvents: number }
  /** Answered after so long. */
  | { readonly kind: 'watch'; readonly forMs: DurationMs }
  /** As it is now, garbage collected. */
  | { readonly kind: 'look' }
  /** Leaves in good order; answered before it has. */
  | { readonly kind: 'stop' };

export interface PopulationAnswer {
  readonly liveSessions: number;
  readonly closed: number;
  readonly memory: MemoryParts;
  readonly peakRssBytes: number;
  /** `applied`: from the first event of this question that was applied after the warm-up to the last commit; `watch`: of its time. */
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
  /** Applied in that time. */
  readonly heartbeats: number;
  /** Over the same span; undefined where there is none. */
  readonly loopDelay?: LoopDelay;
  /** The slowest partition, from its assignment until it ran. */
  readonly restoreMs: DurationMs;
}
