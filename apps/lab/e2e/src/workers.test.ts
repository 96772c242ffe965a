// `flatline run --workers`: processes over one state directory and one port, some of which are killed.
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { kill, killAll } from './child.fixture.ts';
import { expectLedger, readLedger } from './ledger.fixture.ts';
import { addressOf, fetchJson, ready } from './metrics.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { INTERRUPTED, simulateFleet } from './simulated-fleet.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 17);
const TIMEOUT_MS = 3_000;
const PARTITIONS = 4;
const LOOK_MS = 50;

interface Workers {
  readonly workers: readonly { readonly worker: number; readonly pid: number; readonly restarts: number }[];
}
interface Partitions {
  readonly partitions: readonly { readonly worker: number; readonly partition: number; readonly state: string }[];
}

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Each partition once, and the number that each worker runs. */
async function spread(address: string): Promise<readonly number[]> {
  const { partitions } = await fetchJson<Partitions>(address, '/api/v1/partitions');
  const running = partitions.filter(({ state }) => state === 'running');
  expect(running.map(({ partition }) => partition).sort()).toEqual([0, 1, 2, 3]);
  return [1, 2].map((worker) => running.filter((each) => each.worker === worker).length);
}

async function workersOf(address: string): Promise<Workers['workers']> {
  return (await fetchJson<Workers>(address, '/api/v1/workers')).workers;
}

/** Resolves once none of them runs any more. Nothing asks them to end here. */
async function gone(workers: Workers['workers']): Promise<void> {
  while (workers.some(({ pid }) => isAlive(pid))) await sleep(LOOK_MS);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe(`two workers (rerun: SEED=${SEED} npm test -- e2e)`, () => {
  test('[F1][S4][O1][R1][X5] one killed is started again, a killed supervisor leaves none; every session closes exactly once', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS });
    const ledger = join(scenario.folder, 'ledger.jsonl');
    const first = scenario.startWorkers(2);
    const address = await addressOf(first);
    await ready(address);
    const fleet = simulateFleet(scenario, { ledger, seed: SEED });
    expect(await spread(address)).toEqual([2, 2]);

    const [, second] = await workersOf(address);
    process.kill(second!.pid, 'SIGKILL');
    await first.line(/worker ended; it is started again/);
    await ready(address);
    const after = await workersOf(address);
    expect(after).toMatchObject([{ restarts: 0 }, { restarts: 1 }]);
    expect(await spread(address)).toEqual([2, 2]);
    const metrics = await (await fetch(`${address}/metrics`)).text();
    for (const worker of [1, 2])
      expect(metrics).toMatch(new RegExp(`^flatline_records_read_total\\{worker="${worker}",`, 'm'));

    await kill(first.child);
    await gone(after);
    const next = scenario.startWorkers(2);
    const again = await addressOf(next);
    await ready(again);
    expect(await spread(again)).toEqual([2, 2]);

    expect(await scenario.stop(fleet)).toBe(INTERRUPTED);
    const truth = readLedger(ledger);
    await scenario.outputs(({ tombstones }) => tombstones.length >= truth.length);
    const last = await workersOf(again);
    expect(await scenario.stop(next)).toBe(0);
    await gone(last);
    expectLedger(truth, await scenario.outputsNow(), TIMEOUT_MS);
    await expectVerified(scenario, '--ledger', ledger);
  });
});
