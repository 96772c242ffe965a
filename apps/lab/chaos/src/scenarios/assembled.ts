// F1, F3 and F5 of assembled sessions: several inputs, event time, revisions, reducers, statistics, gates and erasures, in the
// combinations that a configuration takes.
import { ASSEMBLIES, type Assembly, assemblyOf, HASH_KEY_FILE } from '@flatline/lab-kinds';
import { seenIn } from '../check/features.ts';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { Trial } from '../trial/trial.ts';
import { breakPair, faultsOf, SESSION_TIMEOUT_MS } from './pair.ts';

/** The judge folds all that lies there at each of its looks. */
const RATE_PER_SECOND = 150;

export const assembled: Scenario = {
  id: 'assembled',
  title: 'assembled sessions: instances killed and frozen, brokers restarted',
  nodes: 1,
  variants: ASSEMBLIES,
  countsFaults: true,
  guards: ['kept-state'],
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const assembly = assemblyOf(context.index, context.seed);
  const { traffic, inputs, timestampType } = assembly;
  const trial = await Trial.begin(
    { ...context, traffic },
    {
      inputs,
      timestampType,
      files: { [HASH_KEY_FILE]: `a key for the hashes of ${context.name}` },
      kafka: { sessionTimeoutMs: SESSION_TIMEOUT_MS, heartbeatIntervalMs: 200 },
    },
  );
  const faults = faultsOf(context);
  trial.variant = `${assembly.name}: ${faults.join(', ')}`;
  trial.load({ ratePerSecond: RATE_PER_SECOND });
  const pair = await breakPair(trial, faults);
  return withSights(trial, assembly, await trial.conclude(pair));
}

/** A feature that was not seen is a fault that did not happen. */
async function withSights(trial: Trial, { sights }: Assembly, result: TrialResult): Promise<TrialResult> {
  const seen = await seenIn(trial.application, sights);
  const count = Object.values(seen).filter((times) => times > 0).length;
  return {
    ...result,
    armed: result.armed + sights.length,
    fired: result.fired + count,
    facts: { ...result.facts, ...seen },
  };
}
