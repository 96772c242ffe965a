// More rows than memory holds, written by sinks that are killed meanwhile: the table is what the log says, by a digest of each (O7).
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { kill, killAll } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';
import { SinkScenario } from './sink.fixture.ts';

const ROWS = Number(process.env['SINK_ROWS'] ?? 100_000);
const SEED = Number(process.env['SEED'] ?? 12);
const PARTITIONS = 4;
/** Sessions sent at a time. */
const EACH = Math.min(ROWS, 50_000);
/** A killed sink is started again at once; for seconds the other one has to do its work. The more rows, the longer each lives. */
const LIFE_MIN_MS = 1_500;
const LIFE_MS = 8_000 + ROWS / 500;
const WINDOW_MS = 2_000;

const programs = findPostgresql();
let database: Postgresql | undefined;
let sinks: SinkScenario | undefined;
afterEach(async () => {
  await killAll();
  await sinks?.scenario.dispose();
  await database?.stop();
});

async function flood(): Promise<void> {
  database = await Postgresql.start(programs!);
  sinks = await SinkScenario.create(database, WINDOW_MS, PARTITIONS);
  const { scenario } = sinks;
  const random = seededRandom(SEED);
  const processor = scenario.start();
  const living = [sinks.start(), sinks.start()];
  const { visits } = sinks;
  const state = { isOver: false };
  const send = async (): Promise<void> => {
    for (let from = 0; from < ROWS; from += EACH)
      await visits.sessions(Array.from({ length: Math.min(EACH, ROWS - from) }, (_, i) => `visitor-${from + i}`));
  };
  // A failure of either ends the kills as well.
  const reading = Promise.all([sinks.digestOfLog(ROWS), send()]).finally(() => {
    state.isOver = true;
  });
  reading.catch(() => undefined);
  let kills = 0;
  do {
    await sleep(LIFE_MIN_MS + random.below(LIFE_MS));
    const victim = random.below(living.length);
    await kill(living[victim]!.child);
    living[victim] = sinks.start();
    kills += 1;
  } while (!state.isOver);
  const [log] = await reading;
  for (const { child } of living) await kill(child);
  expect((await sinks.finish()).repeated).toBe(0);
  expect(log.reduce((sum, { rows }) => sum + rows, 0)).toBe(ROWS);
  expect(sinks.digestOfTable()).toEqual({ partitions: log, attempts: ROWS });
  expect(kills).toBeGreaterThan(0);
  expect(await scenario.stop(processor)).toBe(0);
}

describe(`${ROWS} rows (rerun: SINK_ROWS=${ROWS} npm run gate -- --seed ${SEED} e2e-long)`, () => {
  if (programs === undefined)
    test('NOT RUN, for want of /usr/lib/postgresql/*/bin/initdb (install postgresql): very many rows', () => {
      expect(programs).toBeUndefined();
    });
  else test('[O7][F1] a table of very many rows is what the log says, though sinks are killed meanwhile', flood);
});
