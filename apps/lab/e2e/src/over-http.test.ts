// Does docs/recipes/over-http.md: its configuration and its blocks of curl, on a real broker, with no client of Kafka's.
import { afterEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { killAll, launch } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { WebhookSink } from './webhook-sink.fixture.ts';

const TOKEN = 'a token of servers';
const page = readFileSync(new URL('../../../../docs/recipes/over-http.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].filter(([, of]) => of === language).map(([, , block]) => block!);

let scenario: Scenario;
let sink: WebhookSink;
afterEach(async () => {
  await killAll();
  sink.close();
  await scenario.dispose();
});

/** Names of topics and of deliveries are a broker's: those of the page become the test's own. */
const own = randomBytes(4).toString('hex');
const named = (text: string): string =>
  text.replaceAll('edits', `edits-${own}`).replaceAll('reminders', `reminders-${own}`);

async function serve(): Promise<string> {
  scenario = Scenario.unprovisioned({});
  sink = await WebhookSink.open();
  const text = named(blocks('json').find((block) => block.includes('"pipelines"'))!).replaceAll(
    '127.0.0.1:8080',
    `127.0.0.1:${sink.port}`,
  );
  const { ingest, ...config } = JSON.parse(text) as { readonly ingest: object };
  const kept = { ...config, application: scenario.application, brokers: scenario.kafka.brokers, http: { port: 0 } };
  writeFileSync(scenario.config, JSON.stringify({ ...kept, ingest: { ...ingest, port: 0 } }));
  await succeed(['topics', 'create', '--config', scenario.config, '--partitions', '2', '--replication', '1']);
  const running = scenario.start('a', { TOKEN, SECRET: sink.secret });
  const { address } = JSON.parse(await running.line(/takes heartbeats over HTTP/)) as { readonly address: string };
  return address;
}

/** The block of the page, as a shell runs it. */
async function curl(block: string, address: string): Promise<string[]> {
  const script = named(block).replaceAll('http://127.0.0.1:7071', address);
  const { code, stdout, stderr } = await launch('sh', ['-euc', script], { env: { TOKEN } }).finished;
  expect([code, stderr]).toEqual([0, '']);
  return [...stdout.matchAll(/\{[^}]*\}/g)].map(([answer]) => answer);
}

interface Hook {
  readonly type: string;
  readonly data: {
    readonly key: string;
    readonly value?: unknown;
    readonly items?: readonly { readonly value: unknown }[];
  };
}

test('[I10][N1] a debounced drain and a reminder with cancel, in by curl and out by webhooks, as the page has them', async () => {
  const address = await serve();
  const [drain, reminder] = blocks('sh');
  const accepted = '{"accepted":true}';
  expect(await curl(drain!, address)).toEqual([accepted, accepted, accepted, '{"accepted":true,"count":2}']);
  expect(await curl(reminder!, address)).toEqual(new Array(5).fill(accepted));
  for (const block of [drain!, reminder!]) expect(block.trim().split('\n').length).toBeLessThanOrEqual(10);
  await sink.until(3);
  const hooks = sink.received.map(({ body }) => JSON.parse(body) as Hook);
  expect(sink.received.every(({ isVerified }) => isVerified)).toBe(true);
  const said = hooks.map(({ type, data: { key, value, items } }) => [
    type,
    key,
    items?.map((item) => item.value) ?? value,
  ]);
  expect(said.toSorted()).toEqual([
    ['batch.fired', 'doc-17', [{ line: 3 }, { line: 4 }, { line: 5 }]],
    ['batch.fired', 'doc-18', [{ line: 1 }]],
    ['schedule.due', 'invoice-7', { remind: 'pay' }],
  ]);
});
