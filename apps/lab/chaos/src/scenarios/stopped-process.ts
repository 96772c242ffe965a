// F3: a process that is stopped, loses its partitions, and wakes up as a zombie.
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { Trial } from '../trial/trial.ts';

/** Multiples of the group's session timeout: too short to be noticed, long enough, and long after everything has moved on. */
const factors = [0.5, 2, 10];
const SESSION_TIMEOUT_MS = 2_000;
const STOPS_PER_TRIAL = 3;
const AFTERWARDS_MS = 2_000;

export const stoppedProcess: Scenario = {
  id: 'F3',
  title: 'a stopped process, its partitions moved, woken as a zombie',
  nodes: 1,
  variants: factors.length,
  countsFaults: true,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const factor = context.short ? 2 : factors[context.index % factors.length]!;
  const stops = context.faults ?? (context.short ? 1 : STOPS_PER_TRIAL);
  const trial = await Trial.begin(context, {
    kafka: { sessionTimeoutMs: SESSION_TIMEOUT_MS, heartbeatIntervalMs: 200 },
  });
  trial.variant = `${stops} × stopped for ${factor} × the session timeout`;
  trial.load();
  const instances = [trial.processor('a'), trial.processor('b')];
  await Promise.all(instances.map((instance) => instance.line(/task runs/)));
  let letGo = 0;
  for (let stop = 0; stop < stops; stop += 1) {
    const [zombie, other] = stop % 2 === 0 ? [instances[0]!, instances[1]!] : [instances[1]!, instances[0]!];
    await bothShare(zombie.lines, other.lines);
    const before = { assigned: takeovers(other.lines), letGo: zombie.said(/task is let go/).length };
    trial.armed += 1;
    zombie.signal('SIGSTOP');
    await sleep(factor * SESSION_TIMEOUT_MS);
    // Too short a stop must move nothing; a longer one counts if the other instance got everything.
    const moved = takeovers(other.lines) > before.assigned;
    if (moved || factor < 1) trial.hit();
    zombie.signal('SIGCONT');
    await sleep(AFTERWARDS_MS);
    letGo += zombie.said(/task is let go/).length - before.letGo;
  }
  trial.facts['tasksLetGoByZombies'] = letGo;
  return trial.conclude(instances);
}

/** Number of times that this process was assigned all partitions. */
export function takeovers(lines: readonly string[]): number {
  return lines.filter((line) => /partitions assigned.*"partitions":\[0,1,2,3\]/.test(line)).length;
}

/** Waits until both share the partitions: only then can one take over. */
export async function bothShare(...both: readonly (readonly string[])[]): Promise<void> {
  const shareOf = (lines: readonly string[]): number => {
    const last = lines.findLast((line) => line.includes('partitions assigned')) ?? '{}';
    return (JSON.parse(last) as { partitions?: number[] }).partitions?.length ?? 0;
  };
  for (let looks = 0; looks < 200 && !both.every((lines) => shareOf(lines) === 2); looks += 1) await sleep(50);
}
