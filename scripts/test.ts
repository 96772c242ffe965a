// `npm test [-- <project>...]`: format, lint, types, tidiness and every tier of tests, with one broker for all of them.
// The last line is `N passed, M failed`; the exit code is 0 if and only if nothing failed.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LiveLine } from './test-run/live-line.ts';
import { planSteps, type Run, testProjects } from './test-run/plan.ts';
import { runSteps } from './test-run/step-runner.ts';
import { finalLine, stepLine, summary, totalsOf } from './test-run/summary.ts';

/** Lint and types take 2 GB each. */
const SLOTS_MAX = 4;

const root = fileURLToPath(new URL('..', import.meta.url));
const state = join(root, '.flatline', 'test');
/** For a gate: what the last line said, or nothing if the run did not get so far. */
const verdictFile = join(state, 'verdict');

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stop.abort(signal);
  });

// Whatever still listens, everything has been said and stopped.
process.exit(await main(process.argv.slice(2)));

async function main(names: readonly string[]): Promise<number> {
  const projects = testProjects(root);
  const unknown = names.filter((name) => !projects.some((project) => project.name === name));
  if (unknown.length > 0) {
    console.error(`no project ${unknown.join(', ')}; those with tests: ${projects.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen = projects.filter(({ name }) => names.includes(name)).map(({ folder }) => folder);
  mkdirSync(state, { recursive: true });
  // Hundreds of processes start from the same sources, which Node need not compile each time.
  process.env['NODE_COMPILE_CACHE'] ??= join(state, 'compile-cache');
  rmSync(verdictFile, { force: true });
  const live = new LiveLine(process.stdout);
  const run: Run = {
    root,
    state,
    signal: stop.signal,
    broker: undefined,
    log: (line) => {
      live.print(`broker: ${line}`);
    },
  };
  const results = await runSteps(planSteps(run, projects, names.length === 0 ? undefined : chosen), {
    slots: Math.min(SLOTS_MAX, Math.max(2, availableParallelism())),
    signal: stop.signal,
    onStart: (name) => {
      live.begin(name);
    },
    onEnd: (result) => {
      live.end(result.name);
      live.print(stepLine(result));
      if (result.status === 'failed') live.print(result.output);
    },
  });
  live.close();
  await run.broker?.stop();
  const totals = totalsOf(results);
  writeFileSync(verdictFile, finalLine(totals));
  console.log(summary(results));
  if (stop.signal.aborted) return 130;
  return totals.failed === 0 ? 0 : 1;
}
