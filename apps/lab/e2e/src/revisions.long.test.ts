// Sessions that data comes to after their close, through kills, on a real broker, and in a database (S9).
import { afterEach, describe, expect, test } from '@jest/globals';
import type { SummaryRecord, TombstoneRecord } from '@flatline/client/parts';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { readFileSync } from 'node:fs';
import { kill, killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { addressOf } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const PARTITIONS = 2;
const VISITORS = 400;
const KILLS = 3;
/** From its start a processor needs about a second to own its tasks. */
const LIFE_MS = 2_500;
const TIMEOUT_MS = 1_500;
/** Long enough for all rows to come within it, however slow the machine. */
const WINDOW_MS = 20_000;
const PARTS = 4;

let scenario: Scenario;
let table: string;
let database: Postgresql | undefined;

afterEach(async () => {
  await database?.stop();
  database = undefined;
  await killAll();
  await scenario.dispose();
});

type Word = SummaryRecord | TombstoneRecord;

/** Sessions are reduced and counted, too. */
function configure(output = scenario.output): void {
  const rows = { topic: table, touches: false, unknownKey: 'deadLetter' };
  scenario.configure({
    input: [{ topic: scenario.input }, rows],
    revisionWindowMs: WINDOW_MS,
    output: { topic: output },
    reducer: { n: { sum: '/n' }, plan: { last: '/attributes/plan' } },
    stats: { windows: ['10s'] },
  } as object);
}

/** Statistics that were said of an output, each partition's as it lies there. */
async function statsOf(output: string): Promise<readonly string[][]> {
  const all = await readWhole(scenario.kafka, { topic: `${output}.stats`, partitions: PARTITIONS });
  return all.map((records) => records.map(({ value }) => Buffer.from(value!).toString()));
}

async function createTopics(): Promise<void> {
  const { config } = scenario;
  await succeed(['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1']);
}

/** Into any topic: murmur2 chooses the partitions, as everywhere. */
async function send(topic: string, records: readonly (readonly [key: string, value: string])[]): Promise<void> {
  const connection = openCluster(scenario.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
    await producer.send(records.map(([key, value]) => ({ key: Buffer.from(key), value: Buffer.from(value) })));
    await producer.close();
  } finally {
    connection.close();
  }
}

const row = (key: string): readonly [string, string] => [
  key,
  JSON.stringify({ attributes: { plan: `of ${key}` }, n: 7 }),
];

/** All that is said until there are so many tombstones, by incarnation, in short. */
async function saidUntil(tombstones: number, topic = scenario.output): Promise<ReadonlyMap<string, readonly string[]>> {
  const said = new Map<string, string[]>();
  let left = tombstones;
  const hear = (record: Word): boolean => {
    const incarnation = record.kind === 'summary' ? record.summary.incarnation : record.incarnation!;
    said.set(incarnation, [...(said.get(incarnation) ?? []), wordOf(record)]);
    if (record.kind === 'tombstone') left -= 1;
    return left === 0;
  };
  await scenario.following(hear, { topic });
  return said;
}

function wordOf(record: Word): string {
  if (record.kind === 'tombstone') return 'final';
  const { revision, reason, attributes, eventCount, reduced } = record.summary;
  const of = attributes.get('plan') ?? 'no plan';
  return `${revision} ${reason} ${eventCount} ${of} ${String(Object.values(reduced as object))}`;
}

const visitors = Array.from({ length: VISITORS }, (_, i) => `visitor-${i}`);

describe('a stream, and a table whose rows come after the close', () => {
  test('[S9][S8][S10][S12][F1][R1][O1][C5] each session is said again with its row, once, whatever is killed; a replay says the same', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
    table = `${scenario.application}-table`;
    configure();
    await createTopics();
    await send(
      scenario.input,
      visitors.map((key) => [key, '']),
    );
    const first = scenario.start();
    await scenario.outputs(({ summaries }) => summaries.length === VISITORS);
    await kill(first.child);
    for (let part = 0; part < KILLS; part += 1) {
      const { child } = scenario.start();
      const rows = visitors.filter((_, i) => i % KILLS === part);
      await Promise.all([send(table, rows.map(row)), sleep(LIFE_MS)]);
      await kill(child);
    }
    const survivor = scenario.start();
    // The first visitor comes back: the window of its first session ends there.
    await send(scenario.input, [['visitor-0', '']]);
    const said = await saidUntil(VISITORS + 1);
    expect(await scenario.stop(survivor)).toBe(0);
    const words = [...said.values()].map((each) => each.join(', ')).sort();
    expect(words).toEqual(
      [
        ...visitors.map((key) => `0 TIMEOUT 1 no plan 0,, 1 TIMEOUT 2 of ${key} 7,of ${key}, final`),
        '0 TIMEOUT 1 no plan 0,, final',
      ].sort(),
    );
    const counted = await statsOf(scenario.output);
    const cells = counted
      .flat()
      .map((value) => JSON.parse(value) as { readonly opened: number; readonly closed: number });
    // A revision counts nothing.
    for (const name of ['opened', 'closed'] as const)
      expect(cells.reduce((sum, cell) => sum + cell[name], 0)).toBe(VISITORS + 1);
    await expectVerified(scenario);
    scenario.rename();
    const again = `${scenario.output}-again`;
    configure(again);
    await createTopics();
    const second = scenario.start('again');
    expect(await saidUntil(VISITORS + 1, again)).toEqual(said);
    expect(await scenario.stop(second)).toBe(0);
    expect(await statsOf(again)).toEqual(counted);
  });
});

/** Resolves once a processor has read all that there is, and nothing lives. */
async function settled(address: string, partitions: number): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${address}/metrics`)).text();
    const valuesOf = (name: string): string[] =>
      [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'gm'))].map(([, value]) => value!);
    const left = ['flatline_lag_records', 'flatline_live_entries', 'flatline_closed_sessions_waiting'].map(valuesOf);
    const running = [...text.matchAll(/^flatline_task_state\{.*state="running".*\} 1$/gm)];
    if (running.length === partitions && left.flat().every((value) => value === '0')) return;
    await sleep(250);
  }
}

describe('a real access log, out of order by up to 59 s', () => {
  test('[S9][C7][F1][R1][O1] with a grace of a second what comes later revises, whatever is killed', async () => {
    scenario = await Scenario.create({
      timeoutMs: 30_000,
      partitions: 3,
      timestampType: 'CreateTime',
      pipeline: { graceMs: 1_000, late: 'revise', revisionWindowMs: 300_000 } as object,
    });
    for (let part = 0; part < PARTS; part += 1) {
      const { child } = scenario.start();
      await Promise.all([scenario.import(scenario.accessLog(part, PARTS), part === PARTS - 1), sleep(LIFE_MS)]);
      await kill(child);
    }
    const survivor = scenario.start();
    await settled(await addressOf(survivor), scenario.partitions);
    expect(await scenario.stop(survivor)).toBe(0);
    const verified = await expectVerified(scenario);
    const { summaries } = await scenario.outputsNow();
    expect(summaries.filter(({ summary }) => summary.revision > 0).length).toBeGreaterThan(10);
    expect(new Set(summaries.map(({ summary }) => summary.incarnation)).size).toBe(verified.incarnations);
  });
});

/** The statements of the page, in order. */
function statementsOfPage(): readonly string[] {
  const page = readFileSync(new URL('../../../../docs/REVISIONS.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql]) => sql!);
}

const quoted = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

function inDatabase(programs: string): void {
  test('[S9] a table in PostgreSQL has the newest, the first and the final summaries, whatever is read twice', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
    table = `${scenario.application}-table`;
    scenario.configure({
      input: [{ topic: scenario.input }, { topic: table, touches: false, unknownKey: 'deadLetter' }],
      revisionWindowMs: 4_000,
    } as object);
    await createTopics();
    const running = scenario.start();
    await send(
      scenario.input,
      ['anna', 'ben'].map((key) => [key, '']),
    );
    await scenario.outputs(({ summaries }) => summaries.length === 2);
    await send(table, [row('anna')]);
    const words: Word[] = [];
    await scenario.following(
      (record) => words.push(record) > 0 && words.filter(({ kind }) => kind === 'tombstone').length === 2,
    );
    expect(await scenario.stop(running)).toBe(0);
    await expectVerified(scenario);
    const [tables, insertSummary, insertEnd, newestTable, upsert] = statementsOfPage();
    database = await Postgresql.start(programs);
    database.query(`${tables!}${newestTable!}`);
    const run = (statement: string, ...values: readonly (string | number)[]): void => {
      database!.query(`PREPARE it AS ${statement} EXECUTE it(${values.map(quoted).join()});`);
    };
    for (const record of [...words, ...[...words].reverse()])
      if (record.kind === 'tombstone') run(insertEnd!, record.incarnation!);
      else {
        const { incarnation, revision, key, closedAt, attributes } = record.summary;
        const values = [
          incarnation,
          revision,
          Buffer.from(key).toString(),
          closedAt,
          JSON.stringify(Object.fromEntries(attributes)),
        ];
        run(insertSummary!, ...values);
        run(upsert!, ...values);
      }
    const rows = (from: string): readonly string[] =>
      database!.query(`SELECT session_id, revision, summary FROM ${from} ORDER BY 1`);
    const newest = ['anna|1|{"plan":"of anna"}', 'ben|0|{}'];
    expect(rows('first_summaries')).toEqual(['anna|0|{}', 'ben|0|{}']);
    expect([rows('newest_summaries'), rows('final_summaries'), rows('sessions')]).toEqual([newest, newest, newest]);
  });
}

const programs = findPostgresql();
if (programs === undefined)
  test('without PostgreSQL only the statements are tried, in SQLite', () => {
    expect(programs).toBeUndefined();
  });
else
  describe('what is read from the output', () => {
    inDatabase(programs);
  });
