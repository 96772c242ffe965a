// Outputs of this process's pipelines to webhooks, with what keeps their deliveries read from its changelog.
import { type Clock, seededRandom } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import type { KafkaOptions } from '@flatline/kafka';
import type { Notifier } from '@flatline/notifier';
import type { RuntimeLog } from '@flatline/runtime';
import { systemEntropy } from '../entropy.ts';
import { VERSION } from '../version.ts';
import { readKept } from './kept-state.ts';

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
    readState: ({ deliveries }, partition, scan, stop) =>
      readKept(deliveries, { partition, scan, hashSeed: systemEntropy.seed(), stop }),
    onFailure: (pipeline, error) => {
      log.error('the deliveries of a pipeline stop; all else goes on', { pipeline, error });
    },
  });
  log.info('delivers outputs', { endpoints: notifier.endpoints.map(({ name }) => name) });
  return opened;
}
