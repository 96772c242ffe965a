import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { kill, killAll, type Running } from './child.fixture.ts';
import { expectLedger, readLedger } from './ledger.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { INTERRUPTED, simulateFleet } from './simulated-fleet.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 9);
const TIMEOUT_MS = 3_000;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Two instances, each with a task, and a standby of the other's. Under traffic: a former owner learns of its fence only by a commit. */
async function pair(): Promise<[Running, Running]> {
  const [a, b] = [scenario.start('a'), scenario.start('b')];
  await Promise.all([a, b].map((running) => running.line(/standby follows/)));
  return [a, b];
}

const TAKEN_OVER = /task runs.*"restoredFrom":"standby"/;

describe(`a standby of each partition (rerun: SEED=${SEED} npm test -- e2e)`, () => {
  test('[F1][S4][O1][R1][K6] takes over after kill −9 and after SIGTERM; every session closes exactly once', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 2, pipeline: { standbys: 1 } });
    const ledger = join(scenario.folder, 'ledger.jsonl');
    const fleet = simulateFleet(scenario, { ledger, seed: SEED });
    const [a, b] = await pair();
    await kill(a.child);
    await b.line(TAKEN_OVER);
    const again = scenario.start('a');
    await again.line(/standby follows/);
    expect(await scenario.stop(b)).toBe(0);
    await again.line(TAKEN_OVER);
    expect(await scenario.stop(fleet)).toBe(INTERRUPTED);
    const truth = readLedger(ledger);
    await scenario.outputs(({ tombstones }) => tombstones.length >= truth.length);
    expect(await scenario.stop(again)).toBe(0);
    expectLedger(truth, await scenario.outputsNow(), TIMEOUT_MS);
    await expectVerified(scenario, '--ledger', ledger);
  });
});
