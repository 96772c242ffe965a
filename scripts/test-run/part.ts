// One part, `npm test` or `npm run gate`, from its first step to its last line.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { LiveLine } from './live-line.ts';
import { type Result, type Step } from './step.ts';
import { runSteps } from './step-runner.ts';
import { type Run } from './steps.ts';
import { finalLine, stepLine, summary, totalsOf } from './summary.ts';

/** Lint and types take 2 GB each. */
const SLOTS_MAX = 4;

export interface Part {
  readonly root: string;
  /** Folder of its reports, in `.flatline`. */
  readonly name: string;
  readonly stepLimitMs: number;
  /** True if the caller, who reads the file `verdict`, prints the last line. */
  readonly isSubtotal: boolean;
  /** True if it fails without a single test. */
  readonly wantsTests: boolean;
  readonly plan: (run: Run) => readonly Step[];
  /** Text below a failed step. */
  readonly onFailed?: (result: Result) => string;
}

/** Resolves with the exit code: 0 if and only if nothing failed. */
export async function runPart({
  root,
  name,
  stepLimitMs,
  isSubtotal,
  wantsTests,
  plan,
  onFailed,
}: Part): Promise<number> {
  const state = join(root, '.flatline', name);
  const verdictFile = join(state, 'verdict');
  mkdirSync(state, { recursive: true });
  // Hundreds of processes start from the same sources, which Node need not compile each time.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, '.flatline', 'compile-cache');
  rmSync(verdictFile, { force: true });
  const live = new LiveLine(process.stdout);
  const { signal } = stopOnSignal();
  const log = (line: string): void => {
    live.print(`broker: ${line}`);
  };
  const run: Run = { root, state, signal, stepLimitMs, broker: undefined, log };
  const results = await runSteps(plan(run), {
    slots: Math.min(SLOTS_MAX, Math.max(2, availableParallelism())),
    signal,
    onStart: (step) => {
      live.begin(step);
    },
    onEnd: (result) => {
      live.end(result.name);
      live.print(stepLine(result));
      if (result.status === 'failed') live.print([result.output, onFailed?.(result) ?? ''].join('\n').trimEnd());
    },
  });
  live.close();
  await run.broker?.stop();
  const totals = totalsOf(results, wantsTests);
  writeFileSync(verdictFile, `${finalLine(totals)}\n`);
  const lines = summary(results, wantsTests).split('\n');
  console.log((isSubtotal ? lines.slice(0, -1) : lines).join('\n'));
  if (signal.aborted) return 130;
  return totals.failed === 0 ? 0 : 1;
}

function stopOnSignal(): AbortController {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      stop.abort(signal);
    });
  return stop;
}
