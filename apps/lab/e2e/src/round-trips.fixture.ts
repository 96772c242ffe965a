// Measures the slowness of this machine and its broker while something is timed: the yardstick for a delay.
import { randomBytes } from 'node:crypto';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { type Scenario, sleep } from './scenario.fixture.ts';
import { createTopic } from './topics.fixture.ts';

/** Between two of them: often enough to meet the same delays as a commit, too seldom to cause any. */
const APART_MS = 20;

/** Writes record after record to a topic of its own while `timed` is under way. @returns its result, and the slowest acknowledgement. */
export async function besideRoundTrips<T>(
  { kafka }: Scenario,
  timed: () => Promise<T>,
): Promise<{ readonly result: T; readonly slowestMs: number }> {
  const topic = `round-trips-${randomBytes(6).toString('hex')}`;
  await createTopic(kafka, topic, { partitions: 1, settings: {} });
  const connection = openCluster(kafka);
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  const over = new AbortController();
  let slowestMs = 0;
  const probing = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      const begunAt = systemClock.monotonicMs();
      await sleep(APART_MS);
      await producer.send([{ key: new Uint8Array(1), value: new Uint8Array(1) }]);
      slowestMs = Math.max(slowestMs, systemClock.monotonicMs() - begunAt - APART_MS);
    }
  })();
  try {
    return { result: await timed(), slowestMs };
  } finally {
    over.abort();
    try {
      await probing;
    } finally {
      await producer.close();
      connection.close();
    }
  }
}
