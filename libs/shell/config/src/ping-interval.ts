// How often an open socket is asked for a sign of life.
import type { DurationMs } from '@flatline/base';
import type { Configuration } from './schema.ts';

/** Between two pings of a socket its session must not end, even if one gets lost. */
export const PINGS_PER_TIMEOUT = 2;
const INTERVAL_MS = 10_000;
const INTERVAL_MS_LEAST = 100;

/** As it is set, else as the shortest timeout of a session allows. */
export function pingIntervalOf(
  { pingIntervalMs }: NonNullable<Configuration['ingest']>,
  pipelines: Configuration['pipelines'],
): DurationMs {
  if (pingIntervalMs !== undefined) return pingIntervalMs;
  const timeouts = pipelines.flatMap((each) => (each.kind === 'session' ? [each.timeoutMs] : []));
  const allowed = Math.floor(Math.min(...timeouts) / PINGS_PER_TIMEOUT);
  return Math.max(INTERVAL_MS_LEAST, Math.min(INTERVAL_MS, allowed));
}
