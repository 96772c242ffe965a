// F16: the processor's own clock steps, drifts and stands still. It is no evidence of anything.
import { fileURLToPath } from 'node:url';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { Trial } from '../trial/trial.ts';

const preload = fileURLToPath(new URL('../stage/warped-clock.mjs', import.meta.url));
const warps = ['forward', 'back', 'drift', 'frozen'] as const;
const FOR_MS = 7_000;

export const wrongClock: Scenario = {
  id: 'F16',
  title: "the processor's wall clock steps by 50 minutes, drifts, stands still",
  nodes: 1,
  variants: warps.length,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  const warp = warps[context.index % warps.length]!;
  trial.variant = warp;
  trial.load();
  trial.armed = 1;
  const env = { NODE_OPTIONS: `--import ${preload}`, WARPED_CLOCK: warp };
  const processor = await trial.started('a', { env });
  if (processor.said(/clock warped/).length > 0) trial.hit();
  await sleep(FOR_MS);
  return trial.conclude([processor], { stampsAreTrue: false });
}
