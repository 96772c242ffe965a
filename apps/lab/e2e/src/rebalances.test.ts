import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll, type Running } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { expectLedger, readLedger } from './ledger.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 5);
const TIMEOUT_MS = 5_000;
const ROUNDS = 2;
/** Exit code of an interrupted `simulate`: it has no end here, so that every rebalance meets live traffic. */
const INTERRUPTED = 130;
/** A generous limit for "a few seconds": drained, committed, flushed, and the group left. */
const LEAVES_WITHIN_MS = 10_000;

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

function simulate(ledger: string): Running {
  const load = ['--sessions', '1000000', '--rate', '1000', '--heartbeat-ms', '250', '--beats', '10'];
  const disorder = ['--format', 'json', '--duplicates', '0.02', '--lose', '0.02', '--reorder', '0.02'];
  const where = ['--topic', scenario.input, '--brokers', scenario.kafka.brokers.join(',')];
  return flatline(['simulate', ...where, ...load, ...disorder, '--seed', String(SEED), '--ledger', ledger]);
}

async function leave(running: Running): Promise<void> {
  const from = performance.now();
  expect(await scenario.stop(running)).toBe(0);
  expect(performance.now() - from).toBeLessThan(LEAVES_WITHIN_MS);
}

/** Starts a member and waits until it has a partition: the group has rebalanced. */
async function joined(instance: string): Promise<Running> {
  const running = scenario.start(instance);
  await running.line(/task runs/);
  return running;
}

describe(`two instances come and go (rerun: SEED=${SEED} npm test -- e2e)`, () => {
  test('[S4][S5][S6][O1] every session of a fleet exactly once, with the counts of its ledger; SIGTERM ends with 0', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
    const ledger = join(scenario.folder, 'ledger.jsonl');
    let a = await joined('a');
    const fleet = simulate(ledger);
    let b = await joined('b');
    for (let round = 0; round < ROUNDS; round += 1) {
      await leave(a);
      a = await joined('a');
      await leave(b);
      b = await joined('b');
    }
    expect(await scenario.stop(fleet)).toBe(INTERRUPTED);
    const truth = readLedger(ledger);
    await scenario.outputs(({ tombstones }) => tombstones.length >= truth.length);
    await Promise.all([leave(a), leave(b)]);
    expectLedger(truth, await scenario.outputsNow(), TIMEOUT_MS);
    await expectVerified(scenario, '--ledger', ledger);
  });
});
