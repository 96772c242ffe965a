import type { Clock } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import type { RuntimeLog } from '@flatline/runtime';
import type { Metrics } from './http/metrics.ts';
import { VERSION } from './version.ts';
import type { OtlpPush } from './otlp/otlp-push.ts';

export interface OtlpParts {
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly metrics: Metrics;
  readonly worker: number | undefined;
}

/** Loads the push only where the configuration asks for it. */
export async function openOtlp(
  { otlp, application, instance }: FlatlineConfig,
  { clock, log, metrics, worker }: OtlpParts,
): Promise<OtlpPush | undefined> {
  if (otlp === undefined) return undefined;
  const push = await import('./otlp/otlp-push.ts');
  const resource = {
    'service.name': application,
    'service.version': VERSION,
    'service.instance.id': instance,
    ...(worker !== undefined && { worker: String(worker) }),
  };
  const source = { resource, version: VERSION, startedAt: clock.wallMs() };
  return new push.OtlpPush({ config: otlp, clock, log, source, samples: () => metrics.samples() });
}
