// `flatline/testing` beside a real broker: the same log gives the same outputs, field by field. The content of the input
// topics, including clock records, is read back with the broker's stamps and replayed to pipelines in memory.
import { afterEach, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import type { ConfigurationInput } from '@flatline/config';
import { BatchProducer, openCluster } from '@flatline/kafka';
import type { RawRecord } from '@flatline/oracle';
import { readDeadLetter } from '@flatline/ports';
import { systemClock } from '@flatline/system';
import { type TestPipeline, testPipeline } from '@flatline/test-pipeline';
import { readFileSync, writeFileSync } from 'node:fs';
import { kill, killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { PARTITIONS, type ProducedRecord, recordOf, textOf } from './kinds.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const ACTS = 240;
const LOOK_MS = 250;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Draws a record for a pipeline's input. */
type Act = (random: Random, i: number) => ProducedRecord;

const key = (random: Random): string => `key-${random.below(6)}`;
const bad = (random: Random): string => ['{ no json', '{"type":7}', 'text'][random.below(3)]!;

const visit: Act = (random, i) => {
  const value = {
    type: random.chance(0.1) ? 'STARTED' : 'VIEW',
    sequence: i,
    attributes: { page: `/${random.below(9)}` },
  };
  if (random.chance(0.08)) return recordOf(key(random), null);
  if (random.chance(0.05)) return recordOf(key(random), bad(random));
  if (random.chance(0.1)) return recordOf(key(random), JSON.stringify({ ...value, timeoutMs: 1_200 }));
  return recordOf(key(random), random.chance(0.3) ? '' : JSON.stringify(value));
};
const ask: Act = (random, i) => {
  const request = { 'flatline-request-id': `r${i}` };
  if (random.chance(0.05)) return recordOf(key(random), bad(random), request);
  if (random.chance(0.6))
    return recordOf(key(random), JSON.stringify({ type: 'STARTED', attributes: { i: String(i) } }), request);
  return recordOf(key(random), random.chance(0.5) ? '' : null, { ...request, 'flatline-token': random.below(i + 1) });
};
const push: Act = (random, i) => {
  if (random.chance(0.06)) return recordOf(key(random), null);
  if (random.chance(0.06)) return recordOf(key(random), '', { 'flatline-command': 'FLUSH' });
  if (random.chance(0.1)) return recordOf(key(random), Buffer.alloc(700, 0xf0 + random.below(8)));
  return recordOf(key(random), JSON.stringify({ i, id: random.below(4) }));
};
const plan: Act = (random, i) => {
  const name = { 'flatline-schedule-id': `s${random.below(3)}` };
  const target = random.chance(0.3) ? { 'flatline-target': scenario.output.replace('-out', '-mails') } : {};
  if (random.chance(0.1)) return recordOf(key(random), null, name);
  if (random.chance(0.1)) return recordOf(key(random), `run ${i}`, { ...name, 'flatline-delay-ms': 'soon' });
  if (random.chance(0.5))
    return recordOf(key(random), `run ${i}`, { ...name, ...target, 'flatline-delay-ms': random.below(3_000), app: i });
  const every = { 'flatline-every-ms': 100 + random.below(900), 'flatline-max-runs': 1 + random.below(6) };
  return recordOf(key(random), `run ${i}`, { ...name, ...target, ...every });
};

interface Tried {
  readonly section: ConfigurationInput['pipelines'][number];
  readonly act: Act;
  readonly input: string;
  readonly outputs: readonly string[];
}

/** One pipeline of each kind, and sessions by the stamps of producers, each with topics of its own. */
function tried(application: string): Tried[] {
  const topics = (name: string): { input: { topic: string }; output: { topic: string } } => ({
    input: { topic: `${application}-${name}-in` },
    output: { topic: `${application}-${name}-out` },
  });
  const byProducers = topics('events');
  const of = (section: Tried['section'], act: Act, also: readonly string[] = []): Tried => ({
    section,
    act,
    input: [section.input].flat()[0]!.topic,
    outputs: [section.output.topic, ...also],
  });
  const mails = `${application}-mails`;
  return [
    of({ name: 'visits', kind: 'session', timeoutMs: '2s', maxDurationMs: '9s', ...topics('visits') }, visit),
    of(
      {
        name: 'events',
        kind: 'session',
        timeoutMs: '2s',
        ...byProducers,
        input: { ...byProducers.input, timestampType: 'CreateTime' },
      },
      visit,
    ),
    of(
      {
        name: 'leaders',
        kind: 'lease',
        timeoutMs: '2s',
        onConflict: 'queue',
        lockDelayMs: '300ms',
        ...topics('leaders'),
      },
      ask,
    ),
    of({ name: 'index', kind: 'debounce', waitMs: '700ms', maxItems: 9, dedupeBy: '/id', ...topics('index') }, push),
    of({ name: 'reminders', kind: 'schedule', receipts: 'all', targets: [mails], ...topics('reminders') }, plan, [
      mails,
    ]),
  ];
}

/** A record in the form that is compared: JSON without `emittedAt`, which is the processor's own present; other values unchanged. */
function shown({ key: name, value, headers }: Pick<RawRecord, 'key' | 'value' | 'headers'>): string {
  const text = value === null ? null : Buffer.from(value).toString('latin1');
  const said =
    text?.startsWith('{') === true ? JSON.stringify({ ...(JSON.parse(text) as object), emittedAt: 0 }) : text;
  const named = headers.map((each) => `${each.name}=${each.value === null ? '(null)' : textOf(each.value)}`);
  return `${textOf(name)} ${said} ${named.join(' ')}`;
}

/** By topic, partition and key, each in order: no order is promised between keys (C5). */
function byKey(records: readonly { topic: string; partition: number; record: RawRecord }[]): Map<string, string[]> {
  const all = Map.groupBy(records, ({ topic, partition, record }) => `${topic} ${partition} ${textOf(record.key)}`);
  return new Map([...all].sort().map(([place, each]) => [place, each.map(({ record }) => shown(record))]));
}

async function read(topic: string): Promise<{ topic: string; partition: number; record: RawRecord }[]> {
  const whole = await readWhole(scenario.kafka, { topic, partitions: PARTITIONS });
  return whole.flatMap((records, partition) => records.map((record) => ({ topic, partition, record })));
}

/** The pipeline in memory after reading the present input topic, one partition after the other. */
async function replayed({ section, input }: Tried): Promise<TestPipeline> {
  const p: TestPipeline = testPipeline(section, { partitions: PARTITIONS, startAt: 0 });
  const records = (await read(input)).map(({ partition, record }) => ({ partition, ...record }));
  p.replay(records);
  return p;
}

/** A failure must not leave a connection open: the test run would not end. */
async function producing(
  topics: readonly string[],
  use: (producers: readonly BatchProducer[]) => Promise<void>,
): Promise<void> {
  const connection = openCluster(scenario.kafka);
  const open = (topic: string): Promise<BatchProducer> => BatchProducer.open({ clock: systemClock, connection, topic });
  try {
    const producers = await Promise.all(topics.map(open));
    await use(producers);
    for (const producer of producers) await producer.close();
  } finally {
    connection.close();
  }
}

/** Waits until everything sent has come to its end, by the log, and all of it is out; then compares. */
async function compare(each: Tried): Promise<number> {
  for (;;) {
    const p = await replayed(each);
    const isOver = p.entries().length === 0;
    const expected = p.records().map((record) => ({ ...record, record: record as unknown as RawRecord }));
    const found = (await Promise.all(each.outputs.map(read))).flat();
    if (!isOver || found.length < expected.length) {
      await sleep(LOOK_MS);
      continue;
    }
    expect(byKey(found)).toEqual(byKey(expected));
    const letters = (await read(`${scenario.application}.${each.section.name}.dead-letters`)).map(({ record }) => {
      const { partition, offset, reason, detail } = readDeadLetter(record.headers)!.origin;
      return { partition, offset, reason, detail };
    });
    const refused = p
      .deadLetters()
      .map(({ partition, offset, reason, detail }) => ({ partition, offset, reason, detail }));
    const sorted = (list: typeof refused): typeof refused =>
      list.toSorted((a, b) => a.partition - b.partition || a.offset - b.offset);
    expect(sorted(letters)).toEqual(sorted(refused));
    return found.length;
  }
}

test(`[C5] a pipeline in memory says what one on a broker says of the same log, seed ${SEED}`, async () => {
  scenario = Scenario.unprovisioned({});
  const pipelines = tried(scenario.output.replace(/-out$/, ''));
  const file = JSON.parse(readFileSync(scenario.config, 'utf8')) as ConfigurationInput;
  writeFileSync(scenario.config, JSON.stringify({ ...file, pipelines: pipelines.map(({ section }) => section) }));
  await succeed([
    'topics',
    'create',
    '--config',
    scenario.config,
    '--partitions',
    String(PARTITIONS),
    '--replication',
    '1',
  ]);
  let processor = scenario.start();
  await producing(
    pipelines.map(({ input }) => input),
    async (producers) => {
      const random = seededRandom(SEED);
      for (let i = 0; i < ACTS; i += 1) {
        for (const [at, { act }] of pipelines.entries())
          if (random.chance(0.7)) await producers[at]!.send([act(random, i)]);
        await sleep(random.chance(0.04) ? 1_500 : random.below(40));
        if (i % 80 === 79) {
          await kill(processor.child);
          processor = scenario.start();
        }
      }
    },
  );
  const counts = [];
  for (const each of pipelines) counts.push(await compare(each));
  expect(Math.min(...counts)).toBeGreaterThan(20);
  expect(await scenario.stop(processor)).toBe(0);
});
