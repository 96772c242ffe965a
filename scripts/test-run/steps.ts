// Kinds of steps: a command, a broker, the tests of a project.
import { type RunningBroker, ensureBroker } from '@flatline/dev-broker';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, runCommand } from './command.ts';
import { countTests, type JestReport, notesIn } from './jest-report.ts';
import type { TestProject } from './projects.ts';
import { type Outcome, type Step } from './step.ts';
import { tierOf } from './tiers.ts';

/** Young generation, four times V8's own: tests and simulation take a twelfth less CPU time. */
export const ROOMY = '--max-semi-space-size=64';
const LONG = String.raw`\.long\.test\.ts$`;

/** The place of a test run, and the state that its steps share. */
export interface Run {
  readonly root: string;
  /** Reports and caches of this run. */
  readonly state: string;
  readonly signal: AbortSignal;
  /** A step that takes longer counts as hanging. */
  readonly stepLimitMs: number;
  readonly log: (line: string) => void;
  /** To be stopped at the end. */
  broker: RunningBroker | undefined;
}

/** For a plan whose steps are only listed. */
export function planOnly(root: string): Run {
  const { signal } = new AbortController();
  return { root, state: '', signal, stepLimitMs: 0, log: () => undefined, broker: undefined };
}

/** The tests of a project that a step runs, and how. */
export interface JestPart {
  readonly name: string;
  /** Tests of `npm test`, tests of `npm run gate`, or these files. */
  readonly tests: 'short' | 'long' | readonly string[];
  /** Number of files at a time. */
  readonly workers?: number;
  readonly needs?: readonly string[];
  readonly load: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** A command at the root, with the broker of the run if the step needs it. */
export function commandStep(
  run: Run,
  command: readonly [string, ...string[]],
  { needs = [], load = 1, ...step }: Pick<Step, 'name'> & Partial<Step>,
): Step {
  return {
    needs,
    load,
    run: async () => {
      const { root, signal, stepLimitMs: limitMs } = run;
      const [program, ...args] = command;
      const env = step.broker === undefined ? process.env : environmentOf(run);
      const ended = await runCommand({ command: program, args, cwd: root, env, signal, limitMs });
      return { passed: ended.exitCode === 0, output: ended.output, notes: notesIn(ended.output) };
    },
    ...step,
  };
}

export function brokerStep(run: Run): Step {
  return {
    name: 'broker',
    needs: [],
    load: 0,
    run: async () => {
      const { signal, log } = run;
      run.broker = await ensureBroker({ registry: true, ephemeral: true, shortLived: true, signal, log });
      return { passed: true, output: '' };
    },
  };
}

export function jestStep(run: Run, project: TestProject, part: JestPart): Step {
  const { name, needs = [], load } = part;
  return {
    name,
    needs: [...(project.usesBroker ? ['broker'] : []), ...needs],
    ...(project.usesBroker && { broker: 'shared' }),
    load,
    run: () => runJest(run, project, part),
  };
}

async function runJest(run: Run, { folder }: TestProject, part: JestPart): Promise<Outcome> {
  mkdirSync(run.state, { recursive: true });
  const reportFile = join(run.state, `${part.name}.json`);
  rmSync(reportFile, { force: true });
  const ended = await runCommand({
    command: 'node',
    args: [
      ROOMY,
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(run.root, 'node_modules/jest/bin/jest.js'),
      '--ci',
      `--maxWorkers=${part.workers ?? 1}`,
      '--json',
      `--outputFile=${reportFile}`,
      ...selectionOf(part),
    ],
    cwd: join(run.root, folder),
    env: { ...environmentOf(run), ...part.env },
    signal: run.signal,
    limitMs: run.stepLimitMs,
  });
  return jestOutcome(ended, readReport(reportFile), run.root);
}

function selectionOf({ tests }: JestPart): readonly string[] {
  if (tests === 'long') return [LONG];
  if (tests === 'short') return ['--testPathIgnorePatterns', '/node_modules/', LONG];
  return ['--runTestsByPath', ...tests];
}

function readReport(path: string): JestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JestReport;
  } catch {
    return undefined; // it ended before it could write one
  }
}

function jestOutcome({ exitCode, output }: Ended, report: JestReport | undefined, root: string): Outcome {
  if (report === undefined) return { passed: false, output: `${output}\nJest ended without a report` };
  const tests = countTests(report, (path) => tierOf(path.slice(root.length), readFileSync(path, 'utf8')));
  const heldBack = tests.skipped > 0 ? `\n${tests.skipped} tests were held back: let them run, or delete them` : '';
  return {
    passed: exitCode === 0 && tests.failed === 0 && tests.skipped === 0,
    output: output + heldBack,
    tests,
    notes: notesIn(output),
  };
}

function environmentOf({ broker }: Run): NodeJS.ProcessEnv {
  const registry = broker?.registryUrl === undefined ? {} : { SCHEMA_REGISTRY_URL: broker.registryUrl };
  return { ...process.env, ...(broker === undefined ? {} : { KAFKA_BROKERS: broker.bootstrap }), ...registry };
}
