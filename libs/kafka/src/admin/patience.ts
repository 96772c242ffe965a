import type { Clock, DurationMs } from '@flatline/base';
import { Retriable } from '@flatline/base';
import { patiently } from '../writer/pause.ts';

/** How long an administrative request is tried again: a failover of a leader or coordinator takes some seconds. */
const ADMIN_LIMIT_MS: DurationMs = 20_000;

/** Repeats what may pass, within a bound. @throws the last Retriable then, or at once whatever is not one. */
export function administer<T>(clock: Clock, attempt: () => Promise<T>): Promise<T> {
  return patiently(
    clock,
    { firstMs: 20, mostMs: 1_000, limitMs: ADMIN_LIMIT_MS },
    attempt,
    (error) => error instanceof Retriable,
  );
}
