// F17: the event loop is held, or memory is short.
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import { elapse } from '../stage/elapse.ts';
import { Trial } from '../stage/trial.ts';

const sessionTimeoutMs = 3_000;
const holds = [1_200, 5_000];
const livesPerRun = 2;
const afterwardsMs = 2_500;

export const starvation: Scenario = {
  id: 'F17',
  title: 'the event loop held, in a heap of 96 MB',
  nodes: 1,
  variants: holds.length,
  run,
};

async function run(context: RunContext): Promise<RunResult> {
  const trial = await Trial.begin(context, { kafka: { sessionTimeoutMs, heartbeatIntervalMs: 300 } });
  const holdMs = holds[context.index % holds.length]!;
  const lives = context.short ? 1 : livesPerRun;
  trial.variant = `${lives} × held for ${holdMs} ms, session timeout ${sessionTimeoutMs} ms`;
  trial.load({ ratePerSecond: 1_000 });
  let rebalances = 0;
  for (let life = 0; life < lives; life += 1) {
    const env = { FLATLINE_FAILPOINT: `input.read:${30 + context.random.below(30)}:block=${holdMs}` };
    trial.armed += 1;
    const processor = await trial.started('a', { ...env, NODE_OPTIONS: '--max-old-space-size=96' });
    const before = processor.said(/partitions assigned/).length;
    const hit = await processor.line(/event loop was held/, 30_000);
    if (hit !== undefined) trial.hit();
    await elapse(afterwardsMs);
    rebalances += processor.said(/partitions assigned/).length - before;
    const { code } = await processor.terminate();
    if (code !== 0)
      trial.violations.push({ rule: 'R1', subject: 'processor', detail: `SIGTERM ended it with ${code}` });
  }
  trial.facts['rebalances'] = rebalances;
  if (holdMs < sessionTimeoutMs / 2 && rebalances > 0)
    trial.violations.push({ rule: 'X5', subject: trial.application.group, detail: `${rebalances} rebalances` });
  return trial.settle([await trial.started()]);
}
