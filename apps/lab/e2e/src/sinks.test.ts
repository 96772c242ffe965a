// `flatline sink postgres` on a real broker and a real PostgreSQL (docs/SINKS.md).
import { afterEach, expect, test } from '@jest/globals';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { kill, killAll } from './child.fixture.ts';
import { SinkScenario } from './sink.fixture.ts';

const KEYS = Array.from({ length: 40 }, (_, i) => `visitor-${i}`);

const programs = findPostgresql();
let database: Postgresql | undefined;
let sinks: SinkScenario | undefined;
afterEach(async () => {
  await killAll();
  await sinks?.scenario.dispose();
  await database?.stop();
});

async function written(): Promise<void> {
  database = await Postgresql.start(programs!);
  sinks = await SinkScenario.create(database, 1_000, 2);
  const running = sinks.scenario.start();
  const sink = sinks.start();
  await sinks.visits.sessions(KEYS);
  await sinks.visits.final(KEYS.length);
  await kill(sink.child);
  expect((await sinks.finish()).repeated).toBe(0);
  const { log, table } = await sinks.compared();
  expect(table).toEqual(log);
  expect(await sinks.finish()).toMatchObject({ records: 0, rows: 0 });
  expect(await sinks.scenario.stop(running)).toBe(0);
}

if (programs === undefined)
  test('NOT RUN, for want of /usr/lib/postgresql/*/bin/initdb (install postgresql): a sink in PostgreSQL', () => {
    expect(programs).toBeUndefined();
  });
else
  test('[O7][O1] each summary is in the table once, with where it lies, and the sink goes on where that says', written);
