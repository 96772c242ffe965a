// F10: an upstream producer leaves a transaction open on the input. The records behind it are not silence.
import { KafkaTransactionalWriters, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { KafkaProxy } from '../proxy/kafka-proxy.ts';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { Trial } from '../trial/trial.ts';

/** Many session timeouts, and longer than the alarm takes; the upstream's own transaction timeout is longer. */
const OPEN_MS = 20_000;
const TRANSACTION_TIMEOUT_MS = 60_000;
const WARM_MS = 2_000;

export const openTransaction: Scenario = {
  id: 'F10',
  title: "an upstream producer's transaction stays open on the input",
  nodes: 1,
  variants: 1,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const proxy = await KafkaProxy.open(context.broker.bootstrap);
  try {
    const trial = await Trial.begin(context);
    trial.variant = `open for ${OPEN_MS / 1000} s`;
    trial.load();
    const processor = await trial.started();
    await sleep(WARM_MS);
    trial.armed = 1;
    const ended = proxy.fault({ api: 'EndTxn', kind: 'late', lateMs: OPEN_MS }, 2 * OPEN_MS);
    await beginUpstream(trial, proxy.bootstrap);
    // Accepted only now: until then a read_committed reader could read nothing behind it.
    if ((await ended) === 0) trial.hit();
    if (processor.said(/holds the input back/).length === 0)
      trial.violations.push({ rule: 'X5', subject: trial.application.input, detail: 'waits without a word' });
    await sleep(WARM_MS);
    return await trial.conclude([processor]);
  } finally {
    proxy.close();
  }
}

/** A record in every partition, of one transaction whose end is under way for a long time. */
async function beginUpstream({ application }: Trial, brokers: string): Promise<void> {
  const connection = openCluster({ ...application.kafka, brokers: brokers.split(',') });
  try {
    const writers = new KafkaTransactionalWriters({
      clock: systemClock,
      connections: [connection],
      transactionTimeoutMs: TRANSACTION_TIMEOUT_MS,
    });
    const writer = await writers.open(`${application.input}-upstream`);
    const records = [{ key: Buffer.from('upstream'), value: new Uint8Array() }];
    const writes = Array.from({ length: application.partitions }, (_, partition) => ({
      topic: application.input,
      partition,
      records,
    }));
    // The proxy ends its connection: it cannot learn the outcome, which does not matter.
    await writer.commit({ writes, offsets: [] }).catch(() => undefined);
  } finally {
    connection.close();
  }
}
