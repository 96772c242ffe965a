// How often an open socket is asked for a sign of life.
import type { DurationMs } from '@flatline/base';
import { kindOf, type PipelineSection } from '@flatline/kind-modules';
import type { Configuration } from './schema.ts';

/** Between two pings of a socket its entry must not end, even if one gets lost. */
export const PINGS_PER_TIMEOUT = 2;
const INTERVAL_MS = 10_000;
const INTERVAL_MS_LEAST = 100;

/** As it is set, else as the shortest silence allows that a socket keeps off. */
export function pingIntervalOf(
  { pingIntervalMs }: NonNullable<Configuration['ingest']>,
  pipelines: Configuration['pipelines'],
): DurationMs {
  if (pingIntervalMs !== undefined) return pingIntervalMs;
  const shortest = shortestSilence(pipelines)?.silenceMs ?? Infinity;
  const allowed = Math.floor(shortest / PINGS_PER_TIMEOUT);
  return Math.max(INTERVAL_MS_LEAST, Math.min(INTERVAL_MS, allowed));
}

/** Among the pipelines of which a socket is a sign of life; undefined: it is one of none. */
export function shortestSilence(
  pipelines: readonly PipelineSection[],
): { readonly section: PipelineSection; readonly silenceMs: DurationMs } | undefined {
  const silences = pipelines.flatMap((section) => {
    const { intake, resolve, silence } = kindOf(section);
    if (typeof intake === 'string' || !intake.beats) return [];
    const silenceMs = silence(resolve(section, { reducers: {} }));
    return silenceMs === undefined ? [] : [{ section, silenceMs }];
  });
  const [first, ...others] = silences;
  return first && others.reduce((least, each) => (each.silenceMs < least.silenceMs ? each : least), first);
}
