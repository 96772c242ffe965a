// Sinks that are killed and frozen at random moments: the table is what the log says, and no row was ever tried twice (O7).
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { kill, killAll, type Running } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';
import { SinkScenario } from './sink.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const KILLS = Number(process.env['KILLS'] ?? 20);
const SEED = Number(process.env['SEED'] ?? 11);
const PARTITIONS = 4;
/** Sessions for each kill. */
const EACH = 300;
/** From its start a sink needs about a second, and up to three more until the group has given up a dead one. */
const LIFE_MS = 4_500;
/** Longer than the group's session timeout: the partitions have another owner when it wakes. */
const FROZEN_MS = 5_000;
/** Share of faults that freeze a process, which wakes as a zombie, in place of killing it. */
const FROZEN_SHARE = 0.2;
const WINDOW_MS = 8_000;

const programs = findPostgresql();
let database: Postgresql | undefined;
let sinks: SinkScenario | undefined;
afterEach(async () => {
  await killAll();
  await sinks?.scenario.dispose();
  await database?.stop();
});

async function strike(victim: Running, isFrozen: boolean): Promise<void> {
  if (isFrozen) {
    victim.child.kill('SIGSTOP');
    await sleep(FROZEN_MS);
    victim.child.kill('SIGCONT');
  } else await kill(victim.child);
}

async function storm(): Promise<void> {
  database = await Postgresql.start(programs!);
  sinks = await SinkScenario.create(database, WINDOW_MS, PARTITIONS);
  const { scenario } = sinks;
  const random = seededRandom(SEED);
  const processor = scenario.start();
  const living = [sinks.start(), sinks.start()];
  const keysOf = (round: number): string[] => Array.from({ length: EACH }, (_, i) => `visitor-${round}-${i}`);
  for (let round = 0; round < KILLS; round += 1) {
    await sinks.visits.sessions(keysOf(round));
    if (round > 0) await sinks.visits.tell(keysOf(round - 1).slice(0, EACH / 3));
    await sleep(random.below(LIFE_MS));
    const victim = random.below(living.length);
    const isFrozen = random.below(100) < 100 * FROZEN_SHARE;
    await strike(living[victim]!, isFrozen);
    if (!isFrozen) living[victim] = sinks.start();
  }
  await sinks.visits.final(KILLS * EACH);
  for (const { child } of living) await kill(child);
  expect((await sinks.finish()).repeated).toBe(0);
  const { log, table } = await sinks.compared();
  expect(table).toEqual(log);
  expect(await scenario.stop(processor)).toBe(0);
  expect((await expectVerified(scenario)).incarnations).toBe(KILLS * EACH);
}

describe(`${KILLS} kills −9 and frozen processes (rerun: KILLS=${KILLS} npm run gate -- --seed ${SEED} e2e-long)`, () => {
  if (programs === undefined)
    test('NOT RUN, for want of /usr/lib/postgresql/*/bin/initdb (install postgresql): sinks that are killed', () => {
      expect(programs).toBeUndefined();
    });
  else test('[O7][S9][F1][F3][X4] the table has each summary once, as the log does, and no row was tried twice', storm);
});
