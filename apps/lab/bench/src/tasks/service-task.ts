// The work of one service, and its cost.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';

export const WORKS = ['beats', 'events', 'outputs'] as const;
/** Sends bare heartbeats, or events in JSON; or reads summaries in JSON as a consumer of a group. */
export type ServiceWork = (typeof WORKS)[number];

export interface ServiceTask {
  readonly work: ServiceWork;
  readonly brokers: readonly string[];
  readonly topic: string;
  /** New for each reader. */
  readonly group: string;
  /** In all; for outputs the number of summaries, each followed by a null. */
  readonly records: number;
  /** Number of the first records, which are not counted. */
  readonly warmUpRecords: number;
  /** Sessions that records belong to, in turn. */
  readonly sessions: number;
}

/** Cost of the counted records. */
export interface ServiceCost {
  readonly records: number;
  readonly elapsedMs: DurationMs;
  /** CPU time of the process, all threads. */
  readonly cpuMs: DurationMs;
  /** Peak resident memory, including Node's heap. */
  readonly peakRssBytes: number;
}

export interface SessionsCost {
  readonly sessions: number;
  /** Heap and array buffers per session that beats, including its id, after garbage collection. */
  readonly bytesPerSession: number;
}

/** The value of an event, as a service would write it. */
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
