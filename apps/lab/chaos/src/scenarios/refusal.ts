// The duty of a processor whose log is not the one it knows: refuse it, and reset nothing silently (R3).
import type { TrialResult } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { sleep } from '../stage/sleep.ts';
import { readOutputs } from '../stage/topic-records.ts';
import type { Trial } from '../trial/trial.ts';

const REFUSES_WITHIN_MS = 30_000;

/** True if every partition stops for its operator, or the process ends with the reason. */
export async function refuses(processor: Child, partitions: number): Promise<boolean> {
  for (let looks = 0; looks < REFUSES_WITHIN_MS / 100; looks += 1) {
    const stopped = processor.said(/partition stopped/).length;
    if (stopped >= partitions) return true;
    if (processor.ending !== undefined) return processor.ending.code !== 0 && processor.ending.signal === null;
    await sleep(100);
  }
  return false;
}

/** The result of a trial in which the processor had to refuse: any output since is a violation. */
export async function refusedResult(trial: Trial, outputsBefore: number, violation: string): Promise<TrialResult> {
  const { application, variant, armed, fired, violations, facts } = trial;
  const outputs = await readOutputs(application);
  if (outputs.length !== outputsBefore) violations.push({ rule: 'R3', subject: application.output, detail: violation });
  return {
    variant,
    armed,
    fired,
    violations,
    recoveriesMs: [],
    closes: outputsBefore / 2,
    records: 0,
    closeDelayMaxMs: undefined,
    facts,
  };
}
