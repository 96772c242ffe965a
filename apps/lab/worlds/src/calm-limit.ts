// How long a world may take, once nothing goes wrong any more, until everything is finished (X5).
import type { DurationMs } from '@flatline/base';

/** Where nothing holds the work up but the work itself. */
export const LIVENESS_MAX_MS = 240_000;
const SECOND_MS = 1_000;

/**
 * `maxDuePerSecond`: by its own setting the pipeline lets no more take effect (D2); undefined: there is no limit. `dues`: by
 * partition, how many due instants the input has, each partition at a pace of its own.
 */
export function calmLimitMs(maxDuePerSecond: number | undefined, dues: readonly number[]): DurationMs {
  if (maxDuePerSecond === undefined) return LIVENESS_MAX_MS;
  return LIVENESS_MAX_MS + Math.ceil((Math.max(0, ...dues) * SECOND_MS) / maxDuePerSecond);
}
