// Heartbeats over HTTP into the inputs of this process's pipelines.
import type { Clock } from '@flatline/base';
import type { FlatlineConfig, HttpCertificate } from '@flatline/config';
import { reread } from '@flatline/http';
import type { IngestServer } from '@flatline/ingest';
import type { KafkaOptions } from '@flatline/kafka';
import { EventFormats } from '@flatline/records/events';
import type { RuntimeLog } from '@flatline/runtime';

export interface IngestParts {
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly worker: number | undefined;
}

/** undefined: it has none. @throws Misconfigured where the address cannot be bound */
export async function openIngest(
  { ingest, pipelines }: FlatlineConfig,
  { kafka, clock, log, worker }: IngestParts,
): Promise<IngestServer | undefined> {
  // A port is one process's: of several workers, the first one's.
  if (ingest === undefined || (worker ?? 1) !== 1) return undefined;
  const { certificate, maxPerSecond: perSecondMax, maxSockets: socketsMax, ...others } = ingest;
  const { openIngestServer } = await import('@flatline/ingest');
  const sessions = pipelines.filter(({ kind }) => kind === 'session');
  const opened = await openIngestServer({
    ...others,
    certificate: certificate?.(),
    clock,
    kafka,
    inputs: new Map(
      sessions.map(({ name, input: { topic, format } }) => {
        // Events sent over HTTP are JSON, which needs no registry.
        const decoder = new EventFormats({ format, registry: undefined, clock });
        return [name, { topic, decoder }];
      }),
    ),
    keyBytesMax: Math.min(...sessions.map(({ input }) => input.maxKeyBytes)),
    eventBytesMax: ingest.maxEventBytes,
    perSecondMax,
    socketsMax,
  });
  log.info('takes heartbeats over HTTP', { address: opened.address });
  return certificate === undefined ? opened : renewed(opened, certificate, { clock, log });
}

/** Serves with what the files have by then, while it is open. */
function renewed(
  server: IngestServer,
  read: () => HttpCertificate,
  { clock, log }: Pick<IngestParts, 'clock' | 'log'>,
): IngestServer {
  let isFirst = true;
  const stop = reread({
    read,
    take: (certificate) => {
      server.renew(certificate);
      if (!isFirst) log.info('ingest has another certificate');
      isFirst = false;
    },
    clock,
    onTrouble: (why) => {
      log.warn('the certificate of ingest stays what it was', { why });
    },
  });
  return {
    ...server,
    close: () => {
      stop();
      return server.close();
    },
  };
}

/**
 * For a supervisor, whose workers would find out only once the others have joined their groups.
 * @throws Misconfigured where the address cannot be bound
 */
export async function requireIngestPort({ ingest }: FlatlineConfig): Promise<void> {
  if (ingest === undefined) return;
  const { requireFree } = await import('@flatline/ingest');
  await requireFree(ingest);
}
