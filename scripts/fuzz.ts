// The decoders against damaged bytes, for longer than a test run: `npm run fuzz -- --cases 1000000 --seed 7`.
//
// A case that fails is printed with the command that runs it again, and added to the regressions beside its test.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const USAGE = `usage: npm run fuzz -- [--cases N] [--seed S] [--target PROJECT/WHAT [--case I]]

Damaged bytes into every decoder. A case that fails is printed with the command that runs it again, and kept in
fuzz-regressions.txt beside its test.

  --cases N    cases of each decoder (default: 200000)
  --seed S     another seed makes other cases (default: the time of day)
  --target T   only this decoder, for example records/event
  --case I     only this case
  --help       this page

Exit code 0: no case failed. 1: some did. 2: wrong flags.

Examples:
  $ npm run fuzz
  $ npm run fuzz -- --cases 1000000 --seed 7
`;

function wholeNumber(name: string, value: string | undefined): string | undefined {
  if (value === undefined || /^\d{1,9}$/.test(value)) return value;
  return refuse(`--${name} is "${value}", wanted a whole number below 10^9`);
}

function refuse(why: string): never {
  process.stderr.write(`fuzz: ${why}\n\n${USAGE}`);
  process.exit(2);
}

function flags() {
  const text = { type: 'string' } as const;
  try {
    const help = { type: 'boolean', default: false } as const;
    return parseArgs({ options: { cases: text, seed: text, target: text, case: text, help } }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function main(): number {
  const values = flags();
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const seed = wholeNumber('seed', values.seed) ?? String(Math.floor(Date.now() / 1000) % 100_000_000);
  const only = wholeNumber('case', values.case);
  const { target } = values;
  const environment = {
    FUZZ_SEED: seed,
    FLATLINE_FUZZ_RUNS: wholeNumber('cases', values.cases) ?? '200000',
    FLATLINE_FUZZ_KEEP: '1',
    ...(target !== undefined && { FLATLINE_FUZZ_TARGET: target }),
    ...(only !== undefined && { FLATLINE_FUZZ_CASE: only }),
  };
  const files = globSync('libs/*/*/src/**/{fuzz,second-reading}.test.ts', { cwd: root }).filter(
    (path) => !path.startsWith('libs/core/base/'),
  );
  const projects = [...new Set(files.map((path) => path.split('/src/')[0]!))]
    .filter((project) => target === undefined || target.startsWith(`${basename(project)}/`))
    .toSorted();
  if (projects.length === 0) return refuse(`--target is "${target ?? ''}", and there is no such decoder`);
  process.stdout.write(`fuzzing ${projects.map((project) => basename(project)).join(', ')} with seed ${seed}\n`);
  const failed = projects.filter((project) => run(project, environment) !== 0);
  return failed.length === 0 ? 0 : 1;
}

function run(project: string, environment: Readonly<Record<string, string>>): number {
  const args = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    // A decoder that wants all memory fails before the machine does.
    '--max-old-space-size=2048',
    join(root, 'node_modules/jest/bin/jest.js'),
    // Not the project's own configuration: it may start a broker, which nothing here needs.
    `--config=${join(root, 'jest.preset.mjs')}`,
    `--rootDir=${join(root, project)}`,
    '--runInBand',
    '(fuzz|second-reading)\\.test\\.ts',
  ];
  const { status } = spawnSync(process.execPath, args, {
    cwd: join(root, project),
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
  return status ?? 1;
}

process.exitCode = main();
