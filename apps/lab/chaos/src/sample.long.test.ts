// The sample of the gate: `npm run chaos -- --scenario ci`, each scenario as a test. Rerun one with a seed of its own:
// `npm run chaos -- --scenario F3 --seed 17`.
import { describe, expect, test } from '@jest/globals';
import { ensureBroker } from '@flatline/dev-broker';
import { runPortion } from './campaign.ts';
import { outcomeOf, type TrialResult } from './scenario.ts';
import { scenariosByKind } from './scenarios/by-kind.ts';
import { sample, scenarios } from './scenarios/index.ts';
import type { Guard } from './stage/guards.ts';

const SEED = Number(process.env['SEED'] ?? 1);

async function sampled(id: string, unsafe?: Guard): Promise<{ results: readonly TrialResult[]; shown: unknown }> {
  const broker = await ensureBroker();
  const said: string[] = [];
  try {
    const plan = {
      short: true,
      unsafe,
      minutes: undefined,
      log: (line: string) => said.push(line),
      signal: new AbortController().signal,
    };
    const scenario = [...scenarios, ...scenariosByKind].find((each) => each.id === id)!;
    const portion = { scenario, first: 1, trials: sample.get(id)!, seed: SEED, faults: undefined };
    const { results, broken } = await runPortion(plan, portion, broker);
    return { results, shown: { broken, said } };
  } finally {
    await broker.stop();
  }
}

async function expectGreen(id: string): Promise<void> {
  const { results, shown } = await sampled(id);
  const green = Array.from({ length: sample.get(id)! }, () => 'passed');
  expect({ outcomes: results.map(outcomeOf), shown }).toEqual({ outcomes: green, shown });
}

/** Expects that the faults happen, and that the violation which the guard prevents occurs. */
async function expectRed(id: string, guard: Guard, rule: string): Promise<void> {
  const { results, shown } = await sampled(id, guard);
  const rules = new Set(results.flatMap(({ violations }) => violations.map((each) => each.rule)));
  // Not all of them: a violation may end the processor.
  const happened = results.every(({ fired }) => fired > 0);
  expect({ happened, red: rules.has(rule), shown }).toEqual({ happened: true, red: true, shown });
}

test('[F1][S4][O1][R1][X3] killed between EndTxn and its answer, and between produce and commit', () =>
  expectGreen('F1'));

describe('answers that are dropped after the broker has done it', () => {
  test('[F2][S4][O1] EndTxn: the outcome of a commit is unknown', () => expectGreen('F2'));

  test('[F2][B2][B4] EndTxn: each item is in one batch nevertheless', () => expectGreen('F2/debounce'));

  test('[F2b][S4][O1] Produce', () => expectGreen('F2b'));

  test('[F2] without the look-up of an unknown commit, sessions close twice', () => expectRed('F2', 'look-up', 'V1'));

  test('[F2b] with a writer that is used again after an error, closes get lost', () =>
    expectRed('F2b', 'retire-writer', 'V2'));
});

test('[F3][X4][L3] stopped for twice the session timeout, woken as a zombie: no lease is granted twice or never ends', () =>
  expectGreen('F3/lease'));

test('[F4][C4][X1][X2] a backlog of several timeouts, read late', () => expectGreen('F4'));

test('[F9][R2][R3] an old store, a foreign one, and one whose log was recreated', () => expectGreen('F9'));

test('[F14][I1][I3] hostile records between sound ones', () => expectGreen('F14'));

test('[F15][C6] false timestamps between true ones close no session of an honest device', () => expectGreen('F15'));

test('[F17][C4] the event loop blocked, in a small heap: no early close, and no rebalance below half the session timeout', () =>
  expectGreen('F17'));
