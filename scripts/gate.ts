// `npm run gate [-- --seed S] [step...]`: the tests that `npm test` leaves out, because they take long or draw fresh seeds.
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { planLongSteps } from './test-run/long-plan.ts';
import { runPart } from './test-run/part.ts';
import { choose, testProjects } from './test-run/projects.ts';
import { withNeeded } from './test-run/schedule.ts';
import { planOnly } from './test-run/steps.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const SEED_MAX = 100_000_000;
const USAGE = `usage: npm run gate -- [--seed S] [step...]

What npm test leaves out: worlds, mutants, chaos, kills, fuzz, secured brokers, packages, speed. What a seed draws is drawn by a fresh one.
A failure is a finding, of a seed as of anything else: its step says how to run it again.

  --seed S     the seed of an earlier run (default: a fresh one)
  --list       the names of the steps
  --subtotal   without the last line: the caller reads .flatline/gate/verdict
  --help       this page

The last line is \`N passed, M failed\`. Exit code 0: nothing failed. 1: something did. 2: wrong flags.

Examples:
  $ npm run gate
  $ npm run gate -- --seed 81723 simulate fuzz
`;

// Listeners may be left, but all output is written and everything is stopped.
process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = flags();
  if (values.help) return say(USAGE);
  const seed = Number(values.seed ?? randomInt(1, SEED_MAX));
  if (!/^\d+$/.test(values.seed ?? '1') || seed < 1 || seed >= SEED_MAX)
    return refuse(`--seed is "${values.seed ?? ''}", wanted a whole number from 1, below ${SEED_MAX}`);
  const projects = testProjects(root);
  const names = planLongSteps(planOnly(root), projects, seed).map(({ name }) => ({ name }));
  if (values.list) return say(`${names.map(({ name }) => name).join('\n')}\n`);
  const chosen = choose(names, positionals);
  if (typeof chosen === 'string') return refuse(chosen);
  const rerun = `npm run gate -- --seed ${seed}`;
  console.log(`seed ${seed}; the same again: ${rerun}`);
  return runPart({
    root,
    name: 'gate',
    stepLimitMs: 40 * 60_000,
    isSubtotal: values.subtotal,
    wantsTests: positionals.length === 0,
    plan: (run) => withNeeded(planLongSteps(run, projects, seed), new Set(chosen.map(({ name }) => name))),
    onFailed: ({ name }) => `${name} failed with seed ${seed}; the whole step again: ${rerun} ${name}`,
  });
}

function flags() {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const options = { seed: { type: 'string' }, list: flag, subtotal: flag, help: flag } as const;
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function refuse(why: string): never {
  process.stderr.write(`gate: ${why}\n\n${USAGE}`);
  process.exit(2);
}
