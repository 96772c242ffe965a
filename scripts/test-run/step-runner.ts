// Runs steps as the schedule says and reports each as it ends.
//
// Owns: which steps wait, run and have ended.
// Does not own: processes (the steps), output (the listener).
import { nextSteps } from './schedule.ts';
import { type Outcome, type Result, type Step } from './step.ts';

export interface RunOptions {
  /** Maximum load at a time. */
  readonly slots: number;
  /** Once aborted no step starts; running ones are waited for. */
  readonly signal: AbortSignal;
  readonly onStart: (name: string) => void;
  readonly onEnd: (result: Result) => void;
}

/** Resolves with the results, in the order in which the steps ended. Never rejects: a step that throws has failed. */
export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<Result[]> {
  const results: Result[] = [];
  const running = new Map<Step, Promise<void>>();
  let waiting: readonly Step[] = steps;
  const end = (result: Result): void => {
    results.push(result);
    options.onEnd(result);
  };
  for (;;) {
    const ended = new Map(results.map(({ name, status }) => [name, status]));
    const { start, blocked } = options.signal.aborted
      ? { start: [], blocked: [] }
      : nextSteps({ waiting, running: [...running.keys()], ended, slots: options.slots });
    waiting = waiting.filter((step) => !start.includes(step) && !blocked.includes(step));
    for (const { name } of blocked) end({ name, status: 'blocked', durationMs: 0, output: '' });
    for (const step of start) {
      options.onStart(step.name);
      running.set(
        step,
        runStep(step, options.signal).then((result) => {
          running.delete(step);
          end(result);
        }),
      );
    }
    if (running.size > 0) await Promise.race(running.values());
    else if (blocked.length === 0) break;
  }
  for (const { name } of waiting) end({ name, status: 'stopped', durationMs: 0, output: '' });
  return results;
}

async function runStep(step: Step, signal: AbortSignal): Promise<Result> {
  const begunAt = performance.now();
  const { passed, output, tests, notes } = await outcomeOf(step);
  const failure = signal.aborted ? 'stopped' : 'failed';
  return {
    name: step.name,
    status: passed ? 'passed' : failure,
    durationMs: performance.now() - begunAt,
    output,
    tests,
    notes,
  };
}

async function outcomeOf(step: Step): Promise<Outcome> {
  try {
    return await step.run();
  } catch (error) {
    return { passed: false, output: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
