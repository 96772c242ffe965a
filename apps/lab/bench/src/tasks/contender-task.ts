// What one measured process is asked to do, and what it says it cost.
import type { DurationMs, Millis } from '@flatline/base';
import type { Application } from './application.ts';
import type { LoopDelay } from '../loop-delay.ts';
import type { EventFormat } from './event-format.ts';

/** Those that run on Node and are always there. The first is what is measured; kafkajs is what ratios refer to. */
export type OwnContender = 'flatline' | 'kafkajs' | 'reader';

export interface ContenderTask extends Application {
  /** In all partitions together. */
  readonly records: number;
  /** Sessions that live at the same time: caches are sized for them. */
  readonly sessions: number;
  /**
   * Dealt with first and left out of the cost: code is compiled on them. A contender stopped by time leaves out at most
   * WARM_UP_TIME_SHARE of that time. Undefined: none.
   */
  readonly warmUpRecords?: number;
  readonly commitIntervalMs: DurationMs;
  /** Where events are in Avro. */
  readonly schemaRegistryUrl?: string | undefined;
}

export interface ThroughputTask extends ContenderTask {
  /** Format of the events in the topic. */
  readonly format: EventFormat;
}

export const WARM_UP_TIME_SHARE = 0.25;

/** Cost from the first record read, or the end of the warm-up, to the last one dealt with. */
export interface ContenderCost {
  readonly records: number;
  readonly elapsedMs: DurationMs;
  /** When the span ended, by the wall clock. */
  readonly endedAt: Millis;
  /** CPU time of the contender's process, all threads; the broker's is not in it. */
  readonly cpuMs: DurationMs;
  readonly peakRssBytes: number;
  /** After the span, garbage collected. */
  readonly rssBytes: number;
  /** It was not done when its time was up; its records are those that it got through. */
  readonly stopped?: boolean;
  readonly processor: ProcessorCost | undefined;
}

/** The cost as programs of others say it. */
export type ProgramCost = Omit<ContenderCost, 'processor'>;

/** One turn of a contender, seen by the process that started it. */
export interface TurnCost extends ContenderCost {
  /** CPU time of the broker's processes in the same span; undefined where they are not ours to see. */
  readonly brokerCpuMs: DurationMs | undefined;
}

/** Figures that only a processor has. */
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
