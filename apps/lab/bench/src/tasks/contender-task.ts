// The task of one measured process, and the cost that it reports.
import type { DurationMs, Millis } from '@flatline/base';
import type { BrokerSpent } from '../broker-cpu.ts';
import type { Application } from './application.ts';
import type { LoopDelay } from '../loop-delay.ts';
import type { EventFormat } from './event-format.ts';

/** Contenders on Node, which are always there. The first is measured; ratios refer to kafkajs. */
export type OwnContender = 'flatline' | 'kafkajs' | 'reader';

export interface ContenderTask extends Application {
  /** In all partitions together. */
  readonly records: number;
  /** Sessions alive at the same time: caches are sized for them. */
  readonly sessions: number;
  /**
   * First records, left out of the cost: code is compiled on them. A contender stopped by time leaves out at most
   * WARM_UP_TIME_SHARE of that time. Undefined: none.
   */
  readonly warmUpRecords?: number;
  readonly commitIntervalMs: DurationMs;
  /** Set if events are in Avro. */
  readonly schemaRegistryUrl?: string | undefined;
}

export interface ThroughputTask extends ContenderTask {
  /** Format of the events in the topic. */
  readonly format: EventFormat;
}

export const WARM_UP_TIME_SHARE = 0.25;

/** Cost from the first record read, or the end of the warm-up, to the last one finished. */
export interface ContenderCost {
  readonly records: number;
  readonly elapsedMs: DurationMs;
  /** When the span ended, by the wall clock. */
  readonly endedAt: Millis;
  /** CPU time of the contender's process, all threads, without the broker. */
  readonly cpuMs: DurationMs;
  readonly peakRssBytes: number;
  /** After the span, garbage collected. */
  readonly rssBytes: number;
  /** True if it was not done when its time was up; its records are those that it finished. */
  readonly stopped?: boolean;
  readonly processor: ProcessorCost | undefined;
}

/** The cost as third-party programs report it. */
export type ProgramCost = Omit<ContenderCost, 'processor'>;

/** One turn of a contender, and what the broker took in the same span, seen by the process that started it. */
export interface TurnCost extends ContenderCost, BrokerSpent {}

/** Figures that only a processor has. */
export interface ProcessorCost {
  readonly liveSessions: number;
  /** Resident before anything was started, garbage collected. */
  readonly rssBeforeBytes: number;
  /** Memory of the process that no file backs: the kernel may drop pages of the local store. Not on all platforms. */
  readonly anonymousBytes: number | undefined;
  readonly commits: number;
  /** Median over the tasks, and the worst of them. */
  readonly commitP50Ms: DurationMs;
  readonly commitP99Ms: DurationMs;
  /** Over the span. */
  readonly loopDelay: LoopDelay;
  /** CPU from the beginning of the span until everything is flushed to the local store and closed. */
  readonly cpuToCloseMs: DurationMs;
}
