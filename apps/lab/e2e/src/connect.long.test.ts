// The connectors of docs/SINKS.md as they are printed, in a worker of Kafka Connect, on outputs of sessions. In place of the
// connectors themselves, which are not among what is fetched, stands Kafka's own sink into a file: their own settings stay, and
// nothing reads them. All else is the page's: isolation, converters, transforms, predicates, the worker's settings.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { SummaryRecord } from '@flatline/client/parts';
import { killAll } from './child.fixture.ts';
import { type Connector, ConnectWorker, settingsOfPage, whyNoConnect } from './connect.fixture.ts';
import { openTransaction } from './kafkajs-transaction.fixture.ts';
import type { Outputs, Scenario } from './scenario.fixture.ts';
import { Visits } from './visits.fixture.ts';

const PARTITIONS = 2;
const WINDOW_MS = 10_000;
const keysOf = (round: string): string[] => Array.from({ length: 40 }, (_, i) => `visitor-${round}-${i}`);
const EARLY = keysOf('early');
const LATE = keysOf('late');
const REVISED = EARLY.slice(0, 10);
const GHOST = 'ghost';
/** The printed path of the file with a password. */
const SECRETS = '/etc/connect/secrets.properties';

const missing = await whyNoConnect();
let visits: Visits | undefined;
afterEach(async () => {
  await killAll();
  await visits?.scenario.dispose();
});

/** A connector with a file to write in place of a database or a bucket. Where it has a password, the file is named by that. */
function standIn({ name, config }: Connector, { application, folder, output }: Scenario): Connector {
  const file = fileOf(name, folder);
  const secrets = join(folder, `${name}.properties`);
  writeFileSync(secrets, `clickhouse=${file}\n`);
  const password = config['password']?.replace(SECRETS, secrets);
  return {
    name: `${application}-${name}`,
    config: {
      ...config,
      ...(password !== undefined && { password }),
      'connector.class': 'org.apache.kafka.connect.file.FileStreamSinkConnector',
      topics: output,
      file: password ?? file,
    },
  };
}

const fileOf = (name: string, folder: string): string => join(folder, `${name}.txt`);

/** The same without what keeps back records that are taken back, and tombstones. */
function careless({ config }: Connector): Connector {
  const { 'consumer.override.isolation.level': isolation, transforms, ...others } = config;
  expect([isolation, transforms]).toEqual(['read_committed', 'outputs']);
  return { name: 'careless', config: others };
}

/** One of each partition. */
async function takenBack({ kafka, output }: Scenario): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    const value = JSON.stringify({ sessionId: GHOST, incarnation: `${GHOST}-${partition}`, revision: 0 });
    await (await openTransaction(kafka.brokers, { topic: output, partition, value })).abort();
  }
}

/** A map as Java prints it: `{sessionId=anna, revision=0, attributes={row=of anna}}`. */
function wordOfMap(line: string): string {
  const fieldOf = (name: string): string => new RegExp(`[{ ]${name}=([^,}]*)`).exec(line)?.[1] ?? '-';
  return ['incarnation', 'revision', 'sessionId', 'reason', 'closedAt', 'eventCount', 'row'].map(fieldOf).join(' ');
}

function wordOf({ summary }: SummaryRecord): string {
  const { incarnation, revision, key, reason, closedAt, eventCount, attributes } = summary;
  const text = Buffer.from(key).toString();
  return [incarnation, revision, text, reason, closedAt, eventCount, attributes.get('row') ?? '-'].join(' ');
}

/** Behind the last record of each partition. */
function endsOf({ summaries, tombstones }: Outputs): number[] {
  const ends = Array.from({ length: PARTITIONS }, () => 0);
  for (const { partition, offset } of [...summaries, ...tombstones])
    ends[partition] = Math.max(ends[partition]!, offset + 1);
  return ends;
}

async function connected(): Promise<void> {
  visits = await Visits.create(WINDOW_MS, PARTITIONS);
  const { scenario } = visits;
  const page = settingsOfPage();
  expect(page.connectors.map(({ name }) => name)).toEqual(['visits-to-clickhouse', 'visits-to-s3']);
  const processor = scenario.start();
  const worker = await ConnectWorker.start(scenario.folder, scenario.kafka.brokers, page.worker);
  await visits.sessions(EARLY);
  await visits.said(EARLY.length);
  await visits.tell(REVISED);
  const connectors = [...page.connectors, careless(page.connectors[0]!)];
  for (const connector of connectors) await worker.create(standIn(connector, scenario));
  await takenBack(scenario);
  await visits.sessions(LATE);
  await visits.final(EARLY.length + LATE.length);
  expect(await scenario.stop(processor)).toBe(0);

  const log = await scenario.outputsNow();
  expect(log.tombstones.length).toBe(EARLY.length + LATE.length);
  // On a busy machine some come too late to revise anything.
  expect(log.summaries.length).toBeGreaterThan(EARLY.length + LATE.length);
  const linesOf = async ({ name }: Connector): Promise<string[]> => {
    await worker.reaches(`${scenario.application}-${name}`, endsOf(log));
    return readFileSync(fileOf(name, scenario.folder), 'utf8').trimEnd().split('\n');
  };
  const words = log.summaries.map(wordOf).sort();
  for (const connector of page.connectors) expect((await linesOf(connector)).map(wordOfMap).sort()).toEqual(words);
  const all = await linesOf(connectors.at(-1)!);
  expect(all.filter((line) => line.includes(GHOST))).toHaveLength(PARTITIONS);
  expect(all.filter((line) => line === 'null')).toHaveLength(log.tombstones.length);
  expect(all).toHaveLength(log.summaries.length + log.tombstones.length + PARTITIONS);
}

if (missing === undefined)
  test(
    '[O1][O2][S9] the connectors of the page read each summary once, no tombstone, and nothing that is taken back',
    connected,
  );
else
  test(`NOT RUN, for want of ${missing}: the connectors of docs/SINKS.md`, () => {
    expect(missing).not.toBe('');
  });
