// Pages show their token to their visitors: what it may do beside heartbeats is to be said, not come about.
import type { FlatlineConfig } from '@flatline/config';
import type { IngestInputs } from '@flatline/ingest';
import type { RuntimeLog } from '@flatline/runtime';

/** `inputs`: those that are open. Says nothing where it was said which pipelines are. */
export function warnOfPages(
  { ingest, pipelines }: FlatlineConfig,
  inputs: IngestInputs,
  log: Pick<RuntimeLog, 'warn'>,
): void {
  if (ingest === undefined || ingest.origins.length === 0 || ingest.pipelines !== undefined) return;
  const open = pipelines.filter(({ name }) => {
    const input = inputs.get(name);
    return typeof input === 'object' && !input.beats;
  });
  if (open.length === 0) return;
  log.warn('web pages may push, schedule and cancel with a token that they show to their visitors', {
    setting: 'ingest.origins',
    pipelines: open.map(({ name }) => name).join(', '),
    remedy: 'list those that pages may send to in ingest.pipelines, or these, too, if that is meant',
  });
}
