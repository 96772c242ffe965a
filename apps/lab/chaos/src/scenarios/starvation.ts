// F17: the event loop is blocked, memory is short, or there is little of a CPU.
import type { SourceEdit } from '@flatline/cluster/source-edits';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { CpuShare } from '../stage/cpu-share.ts';
import { sleep } from '../stage/sleep.ts';
import { blockedAt, BLOCKED_LINE } from '../stage/failpoints.ts';
import { Trial } from '../trial/trial.ts';

const SESSION_TIMEOUT_MS = 3_000;
const LIVES_PER_TRIAL = 2;
const AFTERWARDS_MS = 2_500;
const BLOCKED_WITHIN_MS = 30_000;
const SHARE = 0.2;
const STARVED_MS = 20_000;

/** Time for which the event loop is blocked; `share`: not blocked, but the process gets a fifth of a CPU. */
const variants = [1_200, 5_000, 200, 30_000, 'share'] as const;

export const starvation: Scenario = {
  id: 'F17',
  title: 'the event loop blocked, a fifth of a CPU, in a heap of 96 MB',
  nodes: 1,
  variants: variants.length,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context, {
    kafka: { sessionTimeoutMs: SESSION_TIMEOUT_MS, heartbeatIntervalMs: 300 },
  });
  const variant = variants[context.index % variants.length]!;
  const lives = context.short ? 1 : LIVES_PER_TRIAL;
  const what = variant === 'share' ? `${SHARE} of a CPU` : `blocked for ${variant} ms`;
  trial.variant = `${lives} × ${what}, session timeout ${SESSION_TIMEOUT_MS} ms`;
  trial.load({ ratePerSecond: variant === 'share' ? 300 : 1_000 });
  let rebalances = 0;
  for (let life = 0; life < lives; life += 1) {
    trial.armed += 1;
    const processor = variant === 'share' ? await started(trial) : await started(trial, editsFor(context, variant));
    const before = assignments(processor);
    if (variant === 'share' ? await starved(processor) : await blocked(processor, variant)) trial.hit();
    await sleep(AFTERWARDS_MS);
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

function editsFor({ random }: TrialContext, blockMs: number): readonly SourceEdit[] {
  return blockedAt('input.read', 30 + random.below(30), blockMs);
}

const assignments = (processor: Child): number => processor.said(/partitions assigned/).length;

async function blocked(processor: Child, blockMs: number): Promise<boolean> {
  return (await processor.line(BLOCKED_LINE, blockMs + BLOCKED_WITHIN_MS)) !== undefined;
}

/** True if it was really stopped for most of that time. */
async function starved(processor: Child): Promise<boolean> {
  const cpu = new CpuShare(processor, SHARE);
  await sleep(STARVED_MS);
  await cpu.lift();
  return cpu.withheldMs > STARVED_MS / 2;
}
