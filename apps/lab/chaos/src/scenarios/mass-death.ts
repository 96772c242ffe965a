// F18: very many sessions die in the same second, and others must not wait for them.
import type { Act } from '@flatline/lab-kinds';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { produce } from '../stage/topic-records.ts';
import { Trial } from '../trial/trial.ts';

const SESSIONS = 1_000_000;
/** Longer than it takes to produce their only beats, so that they are all alive at once. */
const TIMEOUT_MS = 40_000;
const CLOSED_WITHIN_MS = 30_000;
/** For other kinds than sessions: the judge keeps every entry. */
const lessOfKind = { entries: 100_000, timeoutMs: 20_000 };

export const massDeath: Scenario = {
  id: 'F18',
  title: `${SESSIONS.toLocaleString('en')} sessions die together`,
  nodes: 1,
  variants: 1,
  run,
};

export const massDeathOfKind: Scenario = {
  ...massDeath,
  title: `${lessOfKind.entries.toLocaleString('en')} die together`,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const { traffic, seed } = context;
  const { plural, sender } = traffic;
  const { entries, timeoutMs } = sender.by === 'fleet' ? { entries: SESSIONS, timeoutMs: TIMEOUT_MS } : lessOfKind;
  const trial = await Trial.begin(context, { timeoutMs });
  const processor = await trial.started();
  const from = Date.now();
  const act = (): Act => traffic.lonely(from + timeoutMs);
  await produce(trial.application, lonely(seed, entries, act));
  const tookMs = Date.now() - from;
  trial.armed = 1;
  if (tookMs < timeoutMs) trial.hit();
  trial.variant = `${entries} ${plural}, produced in ${(tookMs / 1000).toFixed(1)} s`;
  trial.load({ ratePerSecond: 100 });
  await sleep(timeoutMs / 2);
  const result = await trial.conclude([processor]);
  const late = (result.closeDelayMaxMs ?? 0) > CLOSED_WITHIN_MS;
  const detail = `the last close came ${result.closeDelayMaxMs} ms after its deadline`;
  return late
    ? { ...result, violations: [...result.violations, { rule: 'F18', subject: trial.application.group, detail }] }
    : result;
}

function* lonely(seed: number, entries: number, act: () => Act): Generator<Act & { readonly key: Buffer }> {
  for (let index = 0; index < entries; index += 1) yield { key: Buffer.from(`m${seed}-${index}`), ...act() };
}
