// Kafka secured as in production: each way in, with sessions that close over it.
import { connect } from '@flatline/client';
import type { RunningBroker, SecuredListener } from '@flatline/dev-broker';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Finished, killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { listenerOf, startSecuredBroker } from './secured.fixture.ts';
import { verify } from './verify.fixture.ts';

const TIMEOUT_MS = 2_000;
/** Sessions of a simulated fleet. */
const FLEET = 5;
const KEYS = Array.from({ length: 20 }, (_, i) => `visitor-${i}`);
const WAYS: readonly SecuredListener['name'][] = [
  'tls',
  'mutual-tls',
  'sasl-plain',
  'sasl-scram-sha-256',
  'sasl-scram-sha-512',
  'sasl-oauthbearer',
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

/** A scenario over this listener, like everything the test starts. */
async function over(listener: SecuredListener, timestampType?: 'CreateTime'): Promise<Scenario> {
  process.env['KAFKA_BROKERS'] = listener.address;
  return Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 2, listener, ...(timestampType && { timestampType }) });
}

describe('sessions close over a secured listener, for commands and SDK alike', () => {
  test.each(WAYS)('[S2][O2] %s', async (name) => {
    const listener = listenerOf(broker, name);
    scenario = await over(listener);
    const command = (...args: readonly string[]): Promise<Finished> => succeed([...args, '--config', scenario.config]);
    const processor = scenario.start();
    const address = /"address":"([^"]+)"/.exec(await processor.line(/answers over HTTP/))![1]!;
    const client = connect({ brokers: listener.address.split(','), ...listener.kafka });
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
    const { stdout: doctor } = await command('doctor');
    expect(doctor).toContain('as they have to be');
    const fleet = ['--topic', scenario.input, '--sessions', String(FLEET), '--rate', '100', '--beats', '2'];
    await command('simulate', ...fleet, '--heartbeat-ms', '100');
    const all = KEYS.length + FLEET;
    const tailed = await command('sessions', 'tail', '--from-beginning', '--limit', String(all));
    expect(tailed.stdout.split('\n').filter((line) => /TIMEOUT|ENDED/.test(line))).toHaveLength(all);
    await command('topics', 'check');
    await command('sessions', 'list');
    await command('dead-letters', 'list');
    await command('status', '--url', address);
    expect(await scenario.stop(processor)).toBe(0);
    expect(await verify(scenario)).toMatchObject({ violations: [], closed: all });
    // Logs of the past have stamps of their own.
    const imported = await over(listener, 'CreateTime');
    try {
      const file = imported.accessLog(0, 20);
      const log = [
        'import',
        file,
        '--topic',
        imported.input,
        '--format',
        'apache',
        '--close',
        '--config',
        imported.config,
      ];
      expect((await succeed(log)).code).toBe(0);
    } finally {
      await imported.dispose();
    }
  });
});
