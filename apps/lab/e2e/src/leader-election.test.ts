// The example of leader election: workers that queue for a lease, and a database that its token guards (docs/LEASES.md).
import { afterEach, expect, test } from '@jest/globals';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { kill, killAll, launch, type Running } from './child.fixture.ts';
import { buildExample } from './example-programs.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const TABLES = `
  CREATE TABLE fence (token bigint NOT NULL); INSERT INTO fence VALUES (0);
  CREATE TABLE report (line bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token bigint NOT NULL, writer text NOT NULL)`;
const programs = findPostgresql();

let scenario: Scenario | undefined;
let database: Postgresql | undefined;
afterEach(async () => {
  await database?.stop();
  await killAll();
  await scenario?.dispose();
});

function work(name: string): Running {
  const { kafka, input, output } = scenario!;
  const [program, ...args] = buildExample('leader-election').command;
  return launch(program!, [...args, name, kafka.brokers.join(','), input, output, database!.address]);
}

/** Waits until that many workers have been told that they wait. */
async function queued(count: number): Promise<void> {
  for (;;) {
    const said = await readWhole(scenario!.kafka, { topic: scenario!.output, partitions: 1 });
    const waiting = said.flat().filter(({ value }) => value !== null && Buffer.from(value).includes('"QUEUED"'));
    if (waiting.length >= count) return;
    await sleep(100);
  }
}

async function tokenOf(worker: Running): Promise<number> {
  return Number((await worker.line(/leads with/u)).split(' ').at(-1));
}

async function election(folder: string): Promise<void> {
  database = await Postgresql.start(folder);
  database.query(TABLES);
  const pipeline = { kind: 'lease', onConflict: 'queue' } as const;
  scenario = await Scenario.create({ timeoutMs: 3_000, partitions: 1, pipeline });
  const processor = scenario.start();
  const a = work('a');
  const first = await tokenOf(a);
  const b = work('b');
  await queued(1);
  const c = work('c');
  await queued(2);
  await a.line(/wrote/u);
  // In the middle of its next piece of work, for which it has checked its lease.
  a.child.kill('SIGSTOP');
  const second = await tokenOf(b);
  await b.line(/wrote/u);
  expect(c.printed()).toBe('');
  a.child.kill('SIGCONT');
  await a.line(/was refused/u);
  expect((await a.finished).code).toBe(0);
  await kill(b.child);
  const third = await tokenOf(c);
  await c.line(/wrote/u);
  await kill(c.child);
  expect([second > first, third > second]).toEqual([true, true]);
  expect(database.query('SELECT writer FROM report ORDER BY line').join('')).toMatch(/^a+b+c+$/u);
  expect(await scenario.stop(processor)).toBe(0);
  await expectSound(scenario);
}

if (programs === undefined)
  test('NOT RUN, for want of /usr/lib/postgresql/*/bin/initdb (install postgresql): the example of leader election', () => {
    expect(programs).toBeUndefined();
  });
else
  test('[L3][L4] who waits leads in order, and the database refuses a leader that was paused, by its token', () =>
    election(programs));
