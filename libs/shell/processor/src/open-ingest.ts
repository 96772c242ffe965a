// Records over HTTP into the inputs of this process's pipelines.
import type { Clock } from '@flatline/base';
import type { FlatlineConfig, HttpCertificate, PipelineConfig } from '@flatline/config';
import { reread } from '@flatline/http';
import type { IngestInput, IngestServer } from '@flatline/ingest';
import type { KafkaOptions } from '@flatline/kafka';
import { kindOf } from '@flatline/kind-modules';
import type { RuntimeLog } from '@flatline/runtime';
import { warnOfPages } from './open-to-pages.ts';

export interface IngestParts {
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly worker: number | undefined;
}

/** undefined: it has none. @throws Misconfigured where the address cannot be bound */
export async function openIngest(
  config: FlatlineConfig,
  { kafka, clock, log, worker }: IngestParts,
): Promise<IngestServer | undefined> {
  const { ingest, pipelines } = config;
  // A port is one process's: of several workers, the first one's.
  if (ingest === undefined || (worker ?? 1) !== 1) return undefined;
  const { certificate, maxPerSecond: perSecondMax, maxSockets: socketsMax, ...others } = ingest;
  const { openIngestServer } = await import('@flatline/ingest');
  const inputs = new Map(pipelines.filter(isOpen(config)).map((pipeline) => [pipeline.name, inputOf(pipeline, clock)]));
  const opened = await openIngestServer({
    ...others,
    certificate: certificate?.(),
    clock,
    kafka,
    inputs,
    eventBytesMax: ingest.maxEventBytes,
    perSecondMax,
    socketsMax,
  });
  log.info('takes heartbeats over HTTP', { address: opened.address });
  warnOfPages(config, inputs, log);
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

/** All that `ingest.pipelines` names, and none that keeps deliveries. */
function isOpen({ ingest }: FlatlineConfig): (pipeline: PipelineConfig) => boolean {
  return ({ name, deliveriesOf }) => deliveriesOf === undefined && (ingest?.pipelines?.includes(name) ?? true);
}

/** A text: why it takes nothing. */
function inputOf(pipeline: PipelineConfig, clock: Clock): IngestInput | string {
  const { topic, maxKeyBytes } = pipeline.input;
  const { intake } = kindOf(pipeline);
  if (typeof intake === 'string') return intake;
  return { ...intake.open(pipeline, clock), beats: intake.beats, topic, keyBytesMax: maxKeyBytes };
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
