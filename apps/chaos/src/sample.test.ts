// The sample of the gate: `npm run chaos -- --scenario ci`, each scenario as a test. Rerun one with a seed of its own:
// `npm run chaos -- --scenario F3 --seed 17`.
import { expect, test } from '@jest/globals';
import { ensureBroker } from '@flatline/dev-broker';
import { runScenario } from './campaign.ts';
import { outcomeOf } from './scenario.ts';
import { sample, scenarios } from './scenarios/index.ts';

const SEED = Number(process.env['SEED'] ?? 1);

async function expectGreen(id: string): Promise<void> {
  const broker = await ensureBroker();
  const said: string[] = [];
  try {
    const plan = {
      ...{ runsOf: (): number => sample.get(id)!, seed: SEED, short: true, unsafe: undefined },
      ...{ log: (line: string) => said.push(line), signal: new AbortController().signal },
    };
    const { results, broken } = await runScenario(
      plan,
      scenarios.find((each) => each.id === id)!,
      broker,
    );
    const outcomes = results.map(outcomeOf);
    expect({ outcomes, broken, said }).toEqual({ outcomes: outcomes.map(() => 'passed'), broken: [], said });
    expect(outcomes).toHaveLength(sample.get(id)!);
  } finally {
    await broker.stop();
  }
}

test('[F1][S4][O1][R1][X3] killed between EndTxn and its answer, between produce and commit, and at random', () =>
  expectGreen('F1'));

test('[F3][X4] stopped for twice the session timeout, its partitions moved, woken as a zombie', () =>
  expectGreen('F3'));

test('[F4][C4][X1][X2] a backlog of several timeouts, read late', () => expectGreen('F4'));

test('[F9][R2][R3] an old store, a foreign one, and one whose log was made anew', () => expectGreen('F9'));

test('[F14][I1][I3] hostile records between sound ones', () => expectGreen('F14'));
