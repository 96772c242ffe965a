// `npm test [-- <project>...]`: format, lint, types, tidiness and every tier of tests, with one broker for all of them; tests that are
// long by nature belong to `npm run gate`. The last line is `N passed, M failed`; the exit code is 0 if and only if nothing failed.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runPart } from './test-run/part.ts';
import { planSteps } from './test-run/plan.ts';
import { choose, testProjects } from './test-run/projects.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// Listeners may be left, but all output is written and everything is stopped.
process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { subtotal: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const projects = testProjects(root);
  const chosen = choose(projects, positionals);
  if (typeof chosen === 'string') {
    console.error(chosen);
    return 2;
  }
  return runPart({
    root,
    name: 'test',
    stepLimitMs: 15 * 60_000,
    isSubtotal: values.subtotal,
    wantsTests: true,
    plan: (run) => planSteps(run, projects, positionals.length === 0 ? undefined : chosen),
  });
}
