// F6: members come, go and die all the time.
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { sleep } from '../stage/sleep.ts';
import { readOutputs } from '../stage/topic-records.ts';
import { Trial } from '../trial/trial.ts';

const MINUTES_OF_OWN = 1;
const STEADY_MS = 10_000;
const members = ['a', 'b', 'c'] as const;
const PROGRESS_MIN = 0.3;

export const rebalanceStorm: Scenario = {
  id: 'F6',
  title: 'members come, go and die every 2–5 s',
  nodes: 1,
  variants: 1,
  takesMinutes: true,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const { random } = context;
  const trial = await Trial.begin(context, { partitions: 6 });
  const stormMs = (context.minutes ?? MINUTES_OF_OWN) * 60_000;
  trial.variant = `${stormMs / 1000} s of changes to three members`;
  trial.load();
  const living = new Map<string, Child>([['a', await trial.started('a')]]);
  const [begun, stormFrom, stormTo] = [Date.now(), Date.now() + STEADY_MS, Date.now() + STEADY_MS + stormMs];
  await sleep(STEADY_MS);
  while (Date.now() < stormTo) {
    const member = members[random.below(members.length)]!;
    const child = living.get(member);
    // Spares the last member alive: without any, nothing would be processed.
    if (child !== undefined && living.size === 1) continue;
    trial.armed += 1;
    if (child === undefined) living.set(member, trial.processor(member));
    else {
      living.delete(member);
      const { signal } = await (random.chance(0.5) ? child.kill9() : child.terminate());
      trial.facts[signal === null ? 'left' : 'killed'] =
        Number(trial.facts[signal === null ? 'left' : 'killed'] ?? 0) + 1;
    }
    trial.hit();
    await sleep(2_000 + random.below(3_000));
  }
  const progress = await progressIn(trial, { begun, stormFrom, stormTo });
  trial.facts['progressOfSteadyRate'] = Math.round(progress * 100) / 100;
  if (progress < PROGRESS_MIN)
    trial.violations.push({ rule: 'X5', subject: trial.application.group, detail: `progress ${progress} of steady` });
  return trial.conclude([...living.values()]);
}

/** Closes per second in the storm, relative to those before it. */
async function progressIn(
  { application }: Trial,
  { begun, stormFrom, stormTo }: { begun: number; stormFrom: number; stormTo: number },
): Promise<number> {
  const times = (await readOutputs(application)).map(({ timestamp }) => timestamp);
  const rate = (from: number, to: number): number =>
    times.filter((time) => time >= from && time < to).length / (to - from);
  // The first sessions must be silent for a timeout before any can close.
  return rate(stormFrom, stormTo) / rate(begun + STEADY_MS / 2, stormFrom);
}
