// Outputs to webhooks on a real broker, signed.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ConfigurationInput } from '@flatline/config';
import { randomBytes } from 'node:crypto';
import { killAll, type Running } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { WebhookSink } from './webhook-sink.fixture.ts';

type Endpoint = NonNullable<ConfigurationInput['notifier']>['endpoints'][number];

let scenario: Scenario;
const sinks: WebhookSink[] = [];
afterEach(async () => {
  await killAll();
  for (const sink of sinks.splice(0)) sink.close();
  await scenario.dispose();
});

async function openSink(): Promise<WebhookSink> {
  const sink = await WebhookSink.open();
  sinks.push(sink);
  return sink;
}

/** Topics of deliveries bear the pipeline's name alone. */
async function createScenario(endpoints: readonly Partial<Endpoint>[]): Promise<{ readonly name: string }> {
  const name = `hooks-${randomBytes(4).toString('hex')}`;
  scenario = await Scenario.create({
    timeoutMs: 1_000,
    partitions: 2,
    pipeline: { name },
    notifier: {
      endpoints: endpoints.map((endpoint, i) => ({
        name: `sink${i}`,
        url: sinks[i]!.url,
        secrets: [{ env: `SECRET${i}` }],
        allow: ['127.0.0.1'],
        ...endpoint,
      })),
    },
  });
  return { name };
}

function start(instance = 'a'): Running {
  return scenario.start(instance, Object.fromEntries(sinks.map(({ secret }, i) => [`SECRET${i}`, secret])));
}

function beat(...keys: readonly string[]): Promise<unknown> {
  return scenario.producing((producer) => producer.send(keys.map((key) => recordOf(key, ''))));
}

describe('webhooks of sessions that have closed', () => {
  test('[N1] are signed, and say what the output says under an id of its own', async () => {
    const sink = await openSink();
    const { name } = await createScenario([{}]);
    const processor = start();
    await beat('anna', 'bert');
    await sink.until(2);
    const { summaries } = await scenario.outputs((all) => all.summaries.length === 2);
    for (const { body, id, isVerified, headers } of sink.received) {
      expect(isVerified).toBe(true);
      expect(headers['content-type']).toBe('application/json');
      const { type, timestamp, data } = JSON.parse(body) as {
        type: string;
        timestamp: string;
        data: { incarnation: string; reason: string };
      };
      expect([type, data.reason]).toEqual(['session.closed', 'TIMEOUT']);
      const said = summaries.find(({ summary }) => summary.incarnation === data.incarnation)!;
      expect([id, timestamp]).toEqual([`${name}:${data.incarnation}:0`, new Date(said.timestamp).toISOString()]);
    }
    expect(await scenario.stop(processor)).toBe(0);
  });
});
