// F17: the event loop is held, memory is short, or there is little of a CPU.
import type { SourceEdit } from '@flatline/cluster/source-edits';
import type { RunContext, RunResult, Scenario } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { CpuShare } from '../stage/cpu-share.ts';
import { elapse } from '../stage/elapse.ts';
import { heldAt, HELD_LINE } from '../stage/failpoints.ts';
import { Trial } from '../stage/trial.ts';

const SESSION_TIMEOUT_MS = 3_000;
const LIVES_PER_RUN = 2;
const AFTERWARDS_MS = 2_500;
const HELD_WITHIN_MS = 30_000;
const SHARE = 0.2;
const STARVED_MS = 20_000;

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
  const trial = await Trial.begin(context, {
    kafka: { sessionTimeoutMs: SESSION_TIMEOUT_MS, heartbeatIntervalMs: 300 },
  });
  const variant = variants[context.index % variants.length]!;
  const lives = context.short ? 1 : LIVES_PER_RUN;
  const what = variant === 'share' ? `${SHARE} of a CPU` : `held for ${variant} ms`;
  trial.variant = `${lives} × ${what}, session timeout ${SESSION_TIMEOUT_MS} ms`;
  trial.load({ ratePerSecond: variant === 'share' ? 300 : 1_000 });
  let rebalances = 0;
  for (let life = 0; life < lives; life += 1) {
    trial.armed += 1;
    const processor = variant === 'share' ? await started(trial) : await started(trial, holdOf(context, variant));
    const before = assignments(processor);
    if (variant === 'share' ? await starved(processor) : await held(processor, variant)) trial.hit();
    await elapse(AFTERWARDS_MS);
    rebalances += assignments(processor) - before;
    const { code } = await processor.terminate();
    if (code !== 0)
      trial.violations.push({ rule: 'R1', subject: 'processor', detail: `SIGTERM ended it with ${code}` });
  }
  trial.facts['rebalances'] = rebalances;
  const mayMove = variant !== 'share' && variant >= SESSION_TIMEOUT_MS / 2;
  if (!mayMove && rebalances > 0)
    trial.violations.push({ rule: 'X5', subject: trial.application.group, detail: `${rebalances} rebalances` });
  return trial.conclude([await trial.started()]);
}

function started(trial: Trial, edits: readonly SourceEdit[] = []): Promise<Child> {
  return trial.started('a', { edits, env: { NODE_OPTIONS: '--max-old-space-size=96' } });
}

function holdOf({ random }: RunContext, holdMs: number): readonly SourceEdit[] {
  return heldAt('input.read', 30 + random.below(30), holdMs);
}

const assignments = (processor: Child): number => processor.said(/partitions assigned/).length;

async function held(processor: Child, holdMs: number): Promise<boolean> {
  return (await processor.line(HELD_LINE, holdMs + HELD_WITHIN_MS)) !== undefined;
}

/** True where it was really stopped for most of that time. */
async function starved(processor: Child): Promise<boolean> {
  const cpu = new CpuShare(processor, SHARE);
  await elapse(STARVED_MS);
  await cpu.lift();
  return cpu.withheldMs > STARVED_MS / 2;
}
