// Maximum time for a world, once no more faults happen, until everything is finished (X5).
import type { DurationMs } from '@flatline/base';

/** For work that nothing but itself delays. */
export const LIVENESS_MAX_MS = 240_000;
const SECOND_MS = 1_000;

/**
 * `maxDuePerSecond`: the pipeline's own limit of what takes effect (D2); undefined: none. `dues`: by partition, the number of due
 * instants of the input; the limit applies to each partition by itself.
 */
export function calmLimitMs(maxDuePerSecond: number | undefined, dues: readonly number[]): DurationMs {
  if (maxDuePerSecond === undefined) return LIVENESS_MAX_MS;
  return LIVENESS_MAX_MS + Math.ceil((Math.max(0, ...dues) * SECOND_MS) / maxDuePerSecond);
}
