// Does docs/recipes: their configurations, programs and commands, on a real broker.
import { afterEach, describe, expect, test } from '@jest/globals';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killAll, launch, type Running } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

const PARTITIONS = 2;
const folder = fileURLToPath(new URL('../../../../docs/recipes/', import.meta.url));

let scenario: Scenario;
let service: Server | undefined;
afterEach(async () => {
  service?.close();
  service?.closeAllConnections();
  service = undefined;
  await killAll();
  await scenario.dispose();
});

/** Blocks of a page in that language. */
function blocks(page: string, language: string): string[] {
  const text = readFileSync(join(folder, page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, of]) => of === language)
    .map(([, , block]) => block!);
}

/** Configures the pipeline of a page, with topics of the test's own for `topics` of the page; returns theirs. `at`: instead of the page's. */
async function provision(page: string, topics: readonly string[], at = '/after'): Promise<readonly string[]> {
  const text = blocks(page, 'json')
    .find((block) => block.includes('"pipelines"'))!
    .replace('"at": "/after"', `"at": "${at}"`);
  const { pipelines } = JSON.parse(text) as {
    readonly pipelines: readonly [{ readonly input: readonly { topic: string }[] }];
  };
  const [{ input, ...section }] = pipelines;
  scenario = Scenario.unprovisioned({ partitions: PARTITIONS });
  const own = topics.map((topic) => `${scenario.application}-${topic}`);
  const names = new Map([
    ['visit-events', scenario.input],
    ...topics.map((topic, i): [string, string] => [topic, own[i]!]),
  ]);
  const inputs = input.map((each) => ({ ...each, topic: names.get(each.topic)! }));
  scenario.configure({ ...section, input: inputs, output: { topic: scenario.output } });
  const { config } = scenario;
  await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
  return own;
}

/** Runs a program of the folder. */
function program(name: string, ...args: readonly string[]): Running {
  return launch(process.execPath, ['--conditions=@flatline/source', join(folder, name), ...args]);
}

async function send(
  topic: string,
  records: readonly { readonly key: string; readonly value: string | null }[],
): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    await producer.send(
      records.map(({ key, value }) => ({ key: Buffer.from(key), value: value === null ? null : Buffer.from(value) })),
    );
    await producer.close();
  } finally {
    connection.close();
  }
}

const end = (key: string): { readonly key: string; readonly value: null } => ({ key, value: null });

describe('a database, by change capture', () => {
  /** As the connector wrote them: key, value, operation by operation (data/README.md). */
  const captured = (file: string): { readonly key: string; readonly value: string | null }[] =>
    readFileSync(new URL(`../data/${file}`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([key, value]) => ({ key: key!, value: value === 'null' ? null : value! }));

  test.each([
    ['as the page has it', 'debezium-customers.tsv', '/after'],
    ['with its schema beside it', 'debezium-customers-with-schema.tsv', '/payload/after'],
  ])('[S8][E1] rows that Debezium captured are attributes of the sessions that come: %s', async (_how, file, at) => {
    const [table] = await provision('change-capture.md', ['shop.public.customers'], at);
    const running = scenario.start();
    const changes = captured(file);
    const keys = ['1', '2', '3', '4'];
    // A snapshot of two rows, and one inserted; then two updates, a deletion and its tombstone.
    await send(table!, changes.slice(0, 3));
    await send(
      scenario.input,
      keys.map((key) => ({ key, value: '' })),
    );
    await send(table!, changes.slice(3));
    await send(scenario.input, keys.map(end));
    const { summaries } = await scenario.outputs((found) => found.summaries.length === keys.length);
    const of = new Map(
      summaries.map(({ summary }) => [Buffer.from(summary.key).toString(), Object.fromEntries(summary.attributes)]),
    );
    expect(Object.fromEntries(of)).toEqual({
      1: { plan: 'gold', credit: '12345678901234567890.25' },
      2: { plan: 'free' },
      3: { plan: 'free', credit: '0.50' },
      4: {},
    });
    expect(await scenario.stop(running)).toBe(0);
    await expectSound(scenario);
  });
});

describe('a REST service', () => {
  test('[S8][S11] is asked once a session, again where it fails, and not for what it has said', async () => {
    const [details] = await provision('rest-lookup.md', ['visitor-details']);
    const asked: string[] = [];
    service = createServer(({ url = '' }, response) => {
      asked.push(url);
      if (asked.length === 1) response.writeHead(503).end();
      else if (url.endsWith('/bert')) response.writeHead(404).end();
      else response.end(JSON.stringify({ plan: 'gold', since: 2019 }));
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const running = scenario.start();
    const brokers = scenario.kafka.brokers.join(',');
    const enricher = program('enrich.js', brokers, scenario.output, details!, `http://127.0.0.1:${port}/visitors/`);
    await send(
      scenario.input,
      ['anna', 'bert'].map((key) => ({ key, value: '' })),
    );
    await Promise.all([enricher.line(/^anna \{"plan":"gold","since":"2019"\}/), enricher.line(/^bert \{\}/)]);
    await send(scenario.input, ['anna', 'bert'].map(end));
    await scenario.outputs((found) => found.summaries.length === 2);
    await send(scenario.input, [{ key: 'anna', value: '' }]);
    while (enricher.printed().match(/^anna \{/gm)?.length !== 2) await sleep(50);
    await send(scenario.input, [end('anna')]);
    const { summaries } = await scenario.outputs((found) => found.summaries.length === 3);
    const plans = summaries.map(({ summary }) => [
      Buffer.from(summary.key).toString(),
      summary.attributes.get('plan') ?? 'none',
    ]);
    expect(plans.sort()).toEqual([
      ['anna', 'gold'],
      ['anna', 'gold'],
      ['bert', 'none'],
    ]);
    expect(asked.filter((url) => url === '/visitors/anna').length).toBeLessThanOrEqual(2);
    enricher.child.kill('SIGTERM');
    expect((await enricher.finished).code).toBe(0);
    expect(await scenario.stop(running)).toBe(0);
    await expectSound(scenario);
  });
});

describe('a file', () => {
  test('of past events becomes the sessions that it tells of', async () => {
    scenario = await Scenario.create({ timeoutMs: 60_000, timestampType: 'CreateTime', partitions: PARTITIONS });
    const file = join(scenario.folder, 'visits.csv');
    writeFileSync(file, blocks('files.md', 'csv')[0]!);
    const running = scenario.start();
    const [command] = blocks('files.md', 'sh');
    const args = command!.trim().split(' ').slice(1);
    const own = args.map((each) => (each === 'visits.csv' ? file : each === 'visit-events' ? scenario.input : each));
    await succeed([...own, '--config', scenario.config]);
    const { summaries } = await scenario.outputs((found) => found.summaries.length === 2);
    expect(
      summaries.map(({ summary }) => [Buffer.from(summary.key).toString(), summary.attributes.get('page')]).sort(),
    ).toEqual([
      ['anna', '/cart'],
      ['bert', '/'],
    ]);
    expect(await scenario.stop(running)).toBe(0);
  });

  test('[S8] with a table is data of a second input, whatever its lines hold; one that is none sends nothing', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: 600_000, partitions: PARTITIONS });
    const table = `${scenario.application}-stores`;
    const said = JSON.parse(blocks('files.md', 'json')[0]!) as object;
    scenario.configure({ input: [{ topic: scenario.input }, { ...said, topic: table }] });
    const { config } = scenario;
    await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
    const brokers = scenario.kafka.brokers.join(',');
    const load = async (name: string, text: string): Promise<string> => {
      writeFileSync(join(scenario.folder, name), text);
      const running = program('load.js', brokers, table, join(scenario.folder, name), 'store');
      const { code, stdout, stderr } = await running.finished;
      return code === 0 ? stdout : stderr;
    };
    expect(await load('broken.csv', 'store,city\ns1,Berlin\ns9,"Bonn\n')).toContain('line 3 of');
    expect(await load('stores.csv', blocks('files.md', 'csv')[1]!)).toBe(`2 lines are in ${table}`);
    expect(await load('more.jsonl', '{"store":"s1","area":120,"closed":null}\n')).toBe(`1 lines are in ${table}`);
    const running = scenario.start();
    await send(
      scenario.input,
      ['s1', 's2', 's9'].flatMap((key) => [{ key, value: '' }, end(key)]),
    );
    const { summaries } = await scenario.outputs((found) => found.summaries.length === 3);
    const of = new Map(
      summaries.map(({ summary }) => [Buffer.from(summary.key).toString(), Object.fromEntries(summary.attributes)]),
    );
    expect(of.get('s1')).toEqual({ city: 'Berlin', opens: '08:00', area: '120' });
    expect(of.get('s2')).toEqual({ city: 'Frankfurt, Main', opens: '07:30' });
    expect(of.get('s9')).toEqual({});
    expect(await scenario.stop(running)).toBe(0);
    await expectSound(scenario);
  });
});
