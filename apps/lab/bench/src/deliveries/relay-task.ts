// The work of a consumer that stands in for a route: it reads outputs and produces a record of each, in transactions.
import type { DurationMs } from '@flatline/base';

export interface RelayTask {
  readonly brokers: readonly string[];
  readonly from: string;
  readonly to: string;
  /** Outputs in `from`, without tombstones. */
  readonly outputs: number;
  /** The first of them, which are not counted: code gets warm, and a group meets. */
  readonly warmUpOutputs: number;
}

export interface RelayCost {
  readonly outputs: number;
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
}
