// What one service does, and what that costs it.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';

export const WORKS = ['beats', 'events', 'outputs'] as const;
/** Sends bare heartbeats, or events in JSON; or reads summaries in JSON as a consumer of a group. */
export type ServiceWork = (typeof WORKS)[number];

export interface ServiceTask {
  readonly work: ServiceWork;
  readonly brokers: readonly string[];
  readonly topic: string;
  /** New to each reader. */
  readonly group: string;
  /** In all; of outputs the summaries, each with a null after it. */
  readonly records: number;
  /** How many come first and are not counted. */
  readonly warmUpRecords: number;
  /** Sessions that records are of, in turns. */
  readonly sessions: number;
}

/** The cost of what is counted. */
export interface ServiceCost {
  readonly records: number;
  readonly elapsedMs: DurationMs;
  /** CPU time of the process, all threads. */
  readonly cpuMs: DurationMs;
  /** The most that was resident, the heap of Node included. */
  readonly peakRssBytes: number;
}

export interface SessionsCost {
  readonly sessions: number;
  /** Heap and array buffers of one that beats, its id included, after garbage collection. */
  readonly bytesPerSession: number;
}

/** The value of an event, as a service would say it. */
export function eventOf(index: number): {
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
} {
  return { type: 'VIEW', attributes: { page: `/p/${index % 1_000}`, campaign: 'autumn' } };
}

export class ServiceMeter {
  #startedAtMs = 0;
  #cpu: NodeJS.CpuUsage = { user: 0, system: 0 };

  start(): void {
    this.#startedAtMs = systemClock.monotonicMs();
    this.#cpu = process.cpuUsage();
  }

  cost(records: number): ServiceCost {
    const { user, system } = process.cpuUsage(this.#cpu);
    const elapsedMs = systemClock.monotonicMs() - this.#startedAtMs;
    return { records, elapsedMs, cpuMs: (user + system) / 1_000, peakRssBytes: process.resourceUsage().maxRSS * 1024 };
  }
}
