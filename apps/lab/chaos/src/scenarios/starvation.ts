// F17: the event loop is held, memory is short, or there is little of a CPU.
import type { SourceEdit } from '@flatline/cluster/source-edits';
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { CpuShare } from '../stage/cpu-share.ts';
import { elapse } from '../stage/elapse.ts';
import { heldAt, heldLine } from '../stage/failpoints.ts';
import { Trial } from '../stage/trial.ts';

const sessionTimeoutMs = 3_000;
const livesPerRun = 2;
const afterwardsMs = 2_500;
const heldWithinMs = 30_000;
const share = 0.2;
const starvedMs = 20_000;

/** How long the event loop is held; `share`: it is not, and the process gets a fifth of a CPU. */
const variants = [1_200, 5_000, 200, 30_000, 'share'] as const;

export const starvation: Scenario = {
  id: 'F17',
  title: 'the event loop held, a fifth of a CPU, in a heap of 96 MB',
  nodes: 1,
  variants: variants.length,
  run,
};

async function run(context: RunContext): Promise<RunResult> {
  const trial = await Trial.begin(context, { kafka: { sessionTimeoutMs, heartbeatIntervalMs: 300 } });
  const variant = variants[context.index % variants.length]!;
  const lives = context.short ? 1 : livesPerRun;
  const what = variant === 'share' ? `${share} of a CPU` : `held for ${variant} ms`;
  trial.variant = `${lives} × ${what}, session timeout ${sessionTimeoutMs} ms`;
  trial.load({ ratePerSecond: variant === 'share' ? 300 : 1_000 });
  let rebalances = 0;
  for (let life = 0; life < lives; life += 1) {
    trial.armed += 1;
    const processor = variant === 'share' ? await started(trial) : await started(trial, holdOf(context, variant));
    const before = assignments(processor);
    if (variant === 'share' ? await starved(processor) : await held(processor, variant)) trial.hit();
    await elapse(afterwardsMs);
    rebalances += assignments(processor) - before;
    const { code } = await processor.terminate();
    if (code !== 0)
      trial.violations.push({ rule: 'R1', subject: 'processor', detail: `SIGTERM ended it with ${code}` });
  }
  trial.facts['rebalances'] = rebalances;
  const mayMove = variant !== 'share' && variant >= sessionTimeoutMs / 2;
  if (!mayMove && rebalances > 0)
    trial.violations.push({ rule: 'X5', subject: trial.application.group, detail: `${rebalances} rebalances` });
  return trial.settle([await trial.started()]);
}

function started(trial: Trial, edits: readonly SourceEdit[] = []): Promise<Child> {
  return trial.started('a', { edits, env: { NODE_OPTIONS: '--max-old-space-size=96' } });
}

function holdOf({ random }: RunContext, holdMs: number): readonly SourceEdit[] {
  return heldAt('input.read', 30 + random.below(30), holdMs);
}

const assignments = (processor: Child): number => processor.said(/partitions assigned/).length;

async function held(processor: Child, holdMs: number): Promise<boolean> {
  return (await processor.line(heldLine, holdMs + heldWithinMs)) !== undefined;
}

/** True where it was really stopped for most of that time. */
async function starved(processor: Child): Promise<boolean> {
  const cpu = new CpuShare(processor, share);
  await elapse(starvedMs);
  await cpu.lift();
  return cpu.withheldMs > starvedMs / 2;
}
