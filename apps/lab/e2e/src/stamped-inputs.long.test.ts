// A stream and a table whose producers stamp them, both from long before the application began, on a real broker (S8).
import { afterEach, expect, test } from '@jest/globals';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const VISITORS = 120;
const TIMEOUT_MS = 3_000;
const AN_HOUR_MS = 3_600_000;

let scenario: Scenario;

afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

interface Sent {
  readonly key: string;
  readonly value: string;
  readonly timestamp: number;
}

async function send(topic: string, records: readonly Sent[]): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    await producer.send(
      records.map(({ key, value, timestamp }) => ({ key: Buffer.from(key), value: Buffer.from(value), timestamp })),
    );
    await producer.close();
  } finally {
    connection.close();
  }
}

test('[S8][C2][C4][S4] a backlog older than liveWithinMs is read past a table that is older still', async () => {
  scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: 1 });
  const table = `${scenario.application}-table`;
  const stamped = { timestampType: 'CreateTime' };
  scenario.configure({
    input: [
      { topic: scenario.input, ...stamped },
      { topic: table, touches: false, unknownKey: 'hold', holdMs: 2 * AN_HOUR_MS, ...stamped },
    ],
  } as object);
  const { config } = scenario;
  await succeed(['topics', 'create', '--config', config, '--partitions', '1', '--replication', '1']);
  const now = Date.now();
  const keys = Array.from({ length: VISITORS }, (_, i) => `visitor-${i}`);
  const plan = (key: string): string => JSON.stringify({ attributes: { plan: `of ${key}` } });
  await send(
    table,
    keys.map((key, i) => ({ key, value: plan(key), timestamp: now - 2 * AN_HOUR_MS + i })),
  );
  await send(
    scenario.input,
    keys.map((key, i) => ({ key, value: '', timestamp: now - AN_HOUR_MS + 1_000 * i })),
  );
  const running = scenario.start();
  // Each closes by the beats of others, but the last few, of which nothing proves that no more of them comes.
  await scenario.outputs(({ summaries }) => summaries.length === VISITORS - TIMEOUT_MS / 1_000);
  await send(scenario.input, [{ key: 'visitor-0', value: '', timestamp: Date.now() }]);
  const { summaries } = await scenario.outputs((found) => found.summaries.length === VISITORS + 1);
  const plans = summaries.map(({ summary }) => summary.attributes.get('plan'));
  expect(plans.filter((each) => each !== undefined).sort()).toEqual(keys.map((key) => `of ${key}`).sort());
  expect(await scenario.stop(running)).toBe(0);
  await expectVerified(scenario);
});
