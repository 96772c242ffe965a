import type { DurationMs } from '@flatline/base';

/** Treatment of a start while another holds the lease (L4). */
export type OnConflict = 'reject' | 'replace' | 'queue';

/** The lease options of a pipeline, validated by the configuration. */
export interface LeaseRules {
  /** Timeout of a start that asks for none. */
  readonly timeoutMs: DurationMs;
  readonly minTimeoutMs: DurationMs;
  readonly maxTimeoutMs: DurationMs;
  /** Deadlines are multiples of it (L2). 0: they are not. */
  readonly bucketMs: DurationMs;
  readonly onConflict: OnConflict;
  readonly maxWaiters: number;
  /** How long starts are refused after a lease has expired (L6). 0: not at all. */
  readonly lockDelayMs: DurationMs;
  /** undefined: no maximum. */
  readonly maxDurationMs: DurationMs | undefined;
  /** Raised by whoever recreates or moves the input (L3). */
  readonly tokenEpoch: number;
  readonly maxAttributes: number;
  /** Bound on the sum of the UTF-16 lengths of attribute names and values. */
  readonly maxAttributeBytes: number;
}
