import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import type { KafkaConnection } from '../connection/kafka-connection.ts';
import { patiently } from '@flatline/system';

/** A failover of a leader or coordinator takes about ten seconds. */
const PATIENCE_MS: DurationMs = 20_000;

export interface AdminOptions {
  readonly clock: Clock;
  /** Not closed by the admin. */
  readonly connection: KafkaConnection;
  /** How long a request is tried again, from its first failure on. Default 20 s. */
  readonly patienceMs?: DurationMs;
}

/** Repeats what may pass, within a bound. @throws the last Retriable then, or at once whatever is not one. */
export function administer<T>(
  { clock, patienceMs = PATIENCE_MS }: Pick<AdminOptions, 'clock' | 'patienceMs'>,
  attempt: () => Promise<T>,
): Promise<T> {
  return patiently(
    clock,
    { firstMs: 20, mostMs: 1_000, limitMs: patienceMs },
    attempt,
    (error) => error instanceof Retriable,
  );
}
