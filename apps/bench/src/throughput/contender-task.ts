// What one measured process is asked to do, and what it says it cost.
import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';
import type { EventFormat } from './event-load.ts';

export interface ContenderTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly partitions: number;
  /** In all partitions together. */
  readonly records: number;
  /** For contenders that keep state. */
  readonly application: string;
  readonly stateDir: string;
  readonly commitIntervalMs: DurationMs;
  /** Where events are in Avro. */
  readonly schemaRegistryUrl?: string | undefined;
}

export interface ThroughputTask extends ContenderTask {
  /** Of the events in the topic. */
  readonly format: EventFormat;
}

/** Of the span from the first record read to the last one dealt with. */
export interface ContenderCost {
  readonly records: number;
  readonly elapsedMs: DurationMs;
  /** Of the contender's process, all its threads; the broker's is not in it. */
  readonly cpuMs: DurationMs;
  readonly peakRssBytes: number;
  /** After the span, garbage collected. */
  readonly rssBytes: number;
  /** It was not done when its time was up. */
  readonly stopped?: boolean;
  readonly processor: ProcessorCost | undefined;
}

/** What only a processor has to say. */
export interface ProcessorCost {
  readonly liveSessions: number;
  /** Resident before anything was started, garbage collected. */
  readonly rssBeforeBytes: number;
  /** Memory of the process that is no file's: the local store's pages are the kernel's to take back. Not on all platforms. */
  readonly anonymousBytes: number | undefined;
  readonly commits: number;
  /** Median over the tasks, and the worst of them. */
  readonly commitP50Ms: DurationMs;
  readonly commitP99Ms: DurationMs;
  /** Over the span. */
  readonly loopDelay: LoopDelay;
  /** CPU from the span's begin until everything is flushed to the local store and closed. */
  readonly cpuToCloseMs: DurationMs;
}
