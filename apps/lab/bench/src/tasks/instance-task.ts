// The task of a processor in a separate process, the questions to it, and its answers.
import type { DurationMs, KindName } from '@flatline/base';
import type { Application } from './application.ts';
import type { LoopDelay } from '../loop-delay.ts';
import type { MemoryParts } from '../process-stat.ts';

export interface PipelineSection {
  readonly kind: KindName;
  readonly [setting: string]: unknown;
}

/** Undefined: the processor's own default. */
export interface InstanceTask extends Application {
  /** Kind of its pipeline, with settings of that kind. Default: sessions that end after `timeoutMs`. */
  readonly section?: PipelineSection;
  /** The silence that ends a session. Default: none falls silent. */
  readonly timeoutMs?: DurationMs;
  readonly commitIntervalMs?: DurationMs | undefined;
  /** Set if events are in Avro. */
  readonly schemaRegistryUrl?: string | undefined;
  readonly instance?: string | undefined;
  readonly standbys?: number;
  readonly sessionTimeoutMs?: DurationMs;
  /** Least time between two requests for the time of a quiet partition (C2). */
  readonly proofIntervalMs?: DurationMs | undefined;
  readonly compression?: 'none';
  /** Further settings of its pipeline, in place of those above: several inputs, statistics. */
  readonly settings?: object;
  /** Section of the same name: the process delivers what the output says, and does not run the pipeline. */
  readonly notifier?: object;
  /** The load sends each key to its own partition, so that it can be looked up. Default: it chooses the partition. */
  readonly isKeyed?: boolean;
  /** Where it answers. Default: any free one. */
  readonly httpPort?: number;
  /** True to measure from when its code is loaded. */
  readonly isTimed?: boolean;
}

/** No session falls silent during a turn. */
export const NEVER_MS: DurationMs = 3_600_000;

/** A population, and the part of it that is asked for. */
export interface LookedUp {
  readonly seed: number;
  readonly sessions: number;
  readonly batch: number;
}

export type InstanceQuestion =
  /** Answered once all partitions run; ends the span that began with the process. */
  | { readonly kind: 'running' }
  /** Answered once that many events have been applied since its start, and all is committed; measured after the warm-up. */
  | { readonly kind: 'applied'; readonly events: number; readonly warmUpEvents: number }
  /** Answered after that time. */
  | { readonly kind: 'watch'; readonly forMs: DurationMs }
  /** Keys of a population, those in its partitions, looked up in the process itself, in batches; answered with how long that took. */
  | { readonly kind: 'lookUps'; readonly keys: number; readonly of: LookedUp }
  /** A measured span lasts from the first of these to the second. */
  | { readonly kind: 'begin' | 'cost' }
  /** As `begin`, and the loop is not watched meanwhile: that costs a hundredth of a core, which a bare server does not pay. */
  | { readonly kind: 'beginCpu' }
  /** The present state, garbage collected. */
  | { readonly kind: 'look' };

/** Cost of a span of its time. */
export interface SpanCost {
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
  readonly loopDelay: LoopDelay;
}

/** The span is the question's: `applied` from the first event after the warm-up to the last commit; all 0 for one without a span. */
export interface InstanceAnswer extends Omit<SpanCost, 'loopDelay'> {
  readonly liveSessions: number;
  readonly closed: number;
  readonly memory: MemoryParts;
  readonly peakRssBytes: number;
  /** Applied in that span. */
  readonly heartbeats: number;
  /** Undefined if there is no span. */
  readonly loopDelay?: LoopDelay;
  /** The slowest partition, from its assignment until it ran. */
  readonly restoreMs: DurationMs;
}

/** A contender's process, which runs until it is ended. */
export interface RunningContender {
  readonly pid: number | undefined;
  /** Its consumer group. */
  readonly group: string;
  /** Rejects if it ends by itself. */
  readonly ended: Promise<never>;
  beginCost(): void;
  /** Cost since `beginCost`; undefined if the system does not tell, or the process does not run on Node. */
  cost(): Promise<{ readonly cpuMs: DurationMs | undefined; readonly loopDelay: LoopDelay | undefined }>;
  /** Stops it cleanly. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}
