// Kafka as it is secured in earnest: each way in, with sessions that close over it.
import { connect } from '@flatline/client';
import type { RunningBroker, SecuredListener } from '@flatline/dev-broker';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { listenerOf, optionsOf, startSecuredBroker } from './secured.fixture.ts';
import { verify } from './verify.fixture.ts';

const TIMEOUT_MS = 2_000;
const KEYS = Array.from({ length: 20 }, (_, i) => `visitor-${i}`);
const WAYS: readonly SecuredListener['name'][] = [
  'tls',
  'mutual-tls',
  'sasl-plain',
  'sasl-scram-sha-256',
  'sasl-scram-sha-512',
];

let broker: RunningBroker;
let scenario: Scenario;
beforeAll(async () => {
  broker = await startSecuredBroker();
});
afterAll(() => broker.stop());
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Over this listener, as everything the test starts. */
async function over(listener: SecuredListener): Promise<Scenario> {
  process.env['KAFKA_BROKERS'] = listener.address;
  return Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 2, listener });
}

describe('sessions close over a secured listener, for commands and SDK alike', () => {
  test.each(WAYS)('[S2][O2] %s', async (name) => {
    const listener = listenerOf(broker, name);
    scenario = await over(listener);
    const processor = scenario.start();
    const client = connect(optionsOf(listener) as Parameters<typeof connect>[0]);
    try {
      const heartbeats = await client.heartbeats({ topic: scenario.input });
      for (const key of KEYS) await heartbeats.beat(key);
      await heartbeats.flush();
      const seen = new Set<string>();
      const group = { topic: scenario.output, group: scenario.application };
      for await (const { summary } of client.completedSessions(group)) {
        seen.add(Buffer.from(summary.key).toString());
        if (seen.size === KEYS.length) break;
      }
      expect([...seen].toSorted()).toEqual(KEYS.toSorted());
    } finally {
      await client.close();
    }
    expect((await succeed(['doctor', '--config', scenario.config])).stdout).toContain('as they have to be');
    expect(await scenario.stop(processor)).toBe(0);
    expect(await verify(scenario)).toMatchObject({ violations: [], closed: KEYS.length });
  });
});
