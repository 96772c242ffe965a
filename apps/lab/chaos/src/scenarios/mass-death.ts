// F18: very many sessions die in the same second, and others must not wait for them.
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import { elapse } from '../stage/elapse.ts';
import { produce } from '../stage/settlement.ts';
import { Trial } from '../stage/trial.ts';

const sessions = 1_000_000;
/** Longer than it takes to produce their only beats, so that they all live at once. */
const timeoutMs = 40_000;
const closedWithinMs = 30_000;

export const massDeath: Scenario = {
  id: 'F18',
  title: `${sessions.toLocaleString('en')} sessions die together`,
  nodes: 1,
  variants: 1,
  run,
};

async function run(context: RunContext): Promise<RunResult> {
  const trial = await Trial.begin(context, { timeoutMs });
  const processor = await trial.started();
  const from = Date.now();
  await produce(trial.application, beats(context.seed));
  const tookMs = Date.now() - from;
  trial.armed = 1;
  if (tookMs < timeoutMs) trial.hit();
  trial.variant = `${sessions} sessions, produced in ${(tookMs / 1000).toFixed(1)} s`;
  trial.load({ ratePerSecond: 100 });
  await elapse(timeoutMs / 2);
  const result = await trial.settle([processor]);
  const late = (result.closeDelayMaxMs ?? 0) > closedWithinMs;
  const detail = `the last close came ${result.closeDelayMaxMs} ms after its deadline`;
  return late
    ? { ...result, violations: [...result.violations, { rule: 'F18', subject: trial.application.group, detail }] }
    : result;
}

function* beats(seed: number): Generator<{ readonly key: Buffer; readonly value: Uint8Array }> {
  const value = new Uint8Array();
  for (let index = 0; index < sessions; index += 1) yield { key: Buffer.from(`m${seed}-${index}`), value };
}
