// F18: very many sessions die in the same second, and others must not wait for them.
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { produce } from '../stage/ending.ts';
import { Trial } from '../stage/trial.ts';

const SESSIONS = 1_000_000;
/** Longer than it takes to produce their only beats, so that they all live at once. */
const TIMEOUT_MS = 40_000;
const CLOSED_WITHIN_MS = 30_000;

export const massDeath: Scenario = {
  id: 'F18',
  title: `${SESSIONS.toLocaleString('en')} sessions die together`,
  nodes: 1,
  variants: 1,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context, { timeoutMs: TIMEOUT_MS });
  const processor = await trial.started();
  const from = Date.now();
  await produce(trial.application, beats(context.seed));
  const tookMs = Date.now() - from;
  trial.armed = 1;
  if (tookMs < TIMEOUT_MS) trial.hit();
  trial.variant = `${SESSIONS} sessions, produced in ${(tookMs / 1000).toFixed(1)} s`;
  trial.load({ ratePerSecond: 100 });
  await sleep(TIMEOUT_MS / 2);
  const result = await trial.conclude([processor]);
  const late = (result.closeDelayMaxMs ?? 0) > CLOSED_WITHIN_MS;
  const detail = `the last close came ${result.closeDelayMaxMs} ms after its deadline`;
  return late
    ? { ...result, violations: [...result.violations, { rule: 'F18', subject: trial.application.group, detail }] }
    : result;
}

function* beats(seed: number): Generator<{ readonly key: Buffer; readonly value: Uint8Array }> {
  const value = new Uint8Array();
  for (let index = 0; index < SESSIONS; index += 1) yield { key: Buffer.from(`m${seed}-${index}`), value };
}
