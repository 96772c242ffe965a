// Outputs of this process's pipelines to webhooks, with what keeps their deliveries read from its changelog.
import { type Clock, seededRandom } from '@flatline/base';
import type { FlatlineConfig, NotifiedPipeline } from '@flatline/config';
import type { KafkaLogScan, KafkaOptions } from '@flatline/kafka';
import type { KeptState, Notifier } from '@flatline/notifier';
import type { RecordHeader } from '@flatline/ports';
import type { RuntimeLog } from '@flatline/runtime';
import { readPartitionState } from '../entries/partition-state.ts';
import { systemEntropy } from '../entropy.ts';
import { VERSION } from '../version.ts';

export interface NotifierSurroundings {
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

/** undefined: it has none. @throws Misconfigured where an endpoint may not be reached */
export async function openNotifierOf(
  { notifier, application, instance, instanceId, kafka: settings }: FlatlineConfig,
  { kafka, clock, log }: NotifierSurroundings,
): Promise<Notifier | undefined> {
  if (notifier === undefined) return undefined;
  const { openNotifier } = await import('@flatline/notifier');
  const { sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs } = settings;
  const opened = openNotifier({
    config: notifier,
    kafka,
    clock,
    random: seededRandom(systemEntropy.seed()),
    log,
    application,
    instance,
    instanceId,
    sessionTimeoutMs,
    heartbeatIntervalMs,
    transactionTimeoutMs,
    userAgent: `flatline/${VERSION}`,
    readState,
    onFailure: (pipeline, error) => {
      log.error('the deliveries of a pipeline stop; all else goes on', { pipeline, error });
    },
  });
  log.info('delivers outputs', { endpoints: notifier.endpoints.map(({ name }) => name) });
  return opened;
}

async function readState(
  { deliveries }: NotifiedPipeline,
  partition: number,
  scan: KafkaLogScan,
  stop: AbortSignal,
): Promise<KeptState> {
  const place = { pipeline: deliveries, partition, scan, hashSeed: systemEntropy.seed(), stop };
  const state = await readPartitionState(place);
  return {
    position: state.asOf?.position,
    *entries() {
      for (const { key, shown } of state.entries())
        for (const { value, headers } of shown())
          yield { key, value: value as Uint8Array, headers: headers as readonly RecordHeader[] };
    },
  };
}
