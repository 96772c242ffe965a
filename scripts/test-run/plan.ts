// Which steps a run has: checks of the workspace, the broker, the tests of each project.
import { type RunningBroker, ensureBroker } from '@flatline/dev-broker';
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, runCommand } from './command.ts';
import { countTests, type JestReport, notesIn } from './jest-report.ts';
import { type Outcome, type Step } from './step.ts';
import { importsBroker, tierOf } from './tiers.ts';

/** A step that takes longer hangs. */
const STEP_LIMIT_MS = 15 * 60_000;
/** Room for what lives shortly, four times V8's own: tests and simulation take a twelfth less CPU time. */
const ROOMY = '--max-semi-space-size=64';
/** What talks to a broker waits for it, and for real time to pass, about half of the time. */
const BROKER_LOAD = 0.5;
/** Projects by how long they take; all others take less. */
const LONGEST = ['e2e', 'chaos', 'kafka', 'partition', 'oracle', 'records', 'runtime', 'timing-wheel', 'scripts'];

export interface TestProject {
  /** `kafka`. */
  readonly name: string;
  /** `libs/shell/kafka`. */
  readonly folder: string;
  /** Its tests talk to a broker. */
  readonly usesBroker: boolean;
}

/** Where a run happens, and what it shares between steps. */
export interface Run {
  readonly root: string;
  /** Reports and caches of this run. */
  readonly state: string;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** What has to be stopped at the end. */
  broker: RunningBroker | undefined;
}

/** Projects with tests, in the order of their paths. */
export function testProjects(root: string): TestProject[] {
  return globSync('{libs/*/*,apps/cli,apps/lab/*,scripts}/jest.config.mjs', { cwd: root })
    .map((path) => path.replace('/jest.config.mjs', ''))
    .toSorted()
    .flatMap((folder) => {
      const tests = globSync(['**/*.test.ts'], {
        cwd: join(root, folder),
        exclude: ['dist', 'node_modules'],
      });
      if (tests.length === 0) return [];
      const setUp = readFileSync(join(root, folder, 'jest.config.mjs'), 'utf8').includes('@flatline/dev-broker');
      const usesBroker = setUp || tests.some((path) => importsBroker(readFileSync(join(root, folder, path), 'utf8')));
      return [{ name: folder.split('/').at(-1) ?? folder, folder, usesBroker }];
    });
}

/** All steps of a run. `chosen`: the projects to look at; `undefined` is the whole workspace. */
export function planSteps(run: Run, projects: readonly TestProject[], chosen: readonly string[] | undefined): Step[] {
  const tested = chosen === undefined ? projects : projects.filter(({ folder }) => chosen.includes(folder));
  const paths = chosen ?? ['.'];
  const check = (name: string, command: string, ...args: string[]): Step => ({
    name,
    needs: [],
    load: 1,
    run: async () => outcomeOf(await inRoot(run, command, args)),
  });
  const built = [
    check('built', 'node', 'apps/cli/dist/main.js', '--help'),
    check('built-tidy', 'node', 'scripts/tidy.ts', '--built'),
  ].map((step) => ({ ...step, needs: ['types'] }));
  const pack = check('pack', 'node', '--conditions=@flatline/source', 'scripts/pack.ts');
  return [
    ...(tested.some(({ name, usesBroker }) => usesBroker || name === 'bench') ? [brokerStep(run)] : []),
    // They begin as soon as there is a broker, the longest first: begun later it would be waited for alone.
    ...longestFirst(tested.filter(({ usesBroker }) => usesBroker)).map((project) => jestStep(run, project)),
    // Through nx, because the rule about module boundaries is skipped where no project graph is cached.
    check('lint', 'nx', 'run', 'scripts:lint', '--skip-nx-cache', ...paths),
    check('types', 'tsc', '-b'),
    check('format', 'prettier', '--check', '--cache', '--cache-strategy=content', '--log-level=warn', ...paths),
    check('tidy', 'node', 'scripts/tidy.ts'),
    ...(chosen === undefined ? built : []),
    // It compiles what is not compiled yet.
    ...(tested.some(({ name }) => name === 'install') ? [{ ...pack, needs: ['types'] }] : []),
    ...(tested.some(({ name }) => name === 'worlds') ? simulationSteps(run) : []),
    ...(tested.some(({ name }) => name === 'bench') ? [performanceStep(run)] : []),
    ...longestFirst(tested.filter(({ usesBroker }) => !usesBroker)).map((project) => jestStep(run, project)),
  ];
}

function longestFirst(projects: readonly TestProject[]): TestProject[] {
  const placeOf = ({ name }: TestProject): number => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
  return projects.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Always the same seeds: what fails here fails on every machine. The mutants are a step, and have a limit, of their own. */
function simulationSteps(run: Run): Step[] {
  const step = (name: string, ...args: string[]): Step => ({
    name,
    needs: [],
    load: 1,
    run: async () => {
      const program = [ROOMY, '--conditions=@flatline/source', 'apps/lab/worlds/src/main.ts', ...args];
      const ended = await inRoot(run, 'node', program);
      return { ...outcomeOf(ended), notes: notesIn(ended.output) };
    },
  });
  return [step('simulate', '--seeds', '1000'), step('mutants', '--seeds', '0', '--mutants')];
}

/** A ratio within one run, which holds on a busy machine too; alone among what talks to the broker. */
function performanceStep(run: Run): Step {
  return {
    name: 'performance',
    needs: ['broker'],
    broker: 'alone',
    load: 1,
    run: async () => {
      const args = ['--conditions=@flatline/source', 'apps/lab/bench/src/gate/main.ts'];
      const ended = await inRoot(run, 'node', args, environmentOf(run));
      return { ...outcomeOf(ended), notes: notesIn(ended.output) };
    },
  };
}

function brokerStep(run: Run): Step {
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

function jestStep(run: Run, { name, folder, usesBroker }: TestProject): Step {
  return {
    name,
    needs: [...(usesBroker ? ['broker'] : []), ...(name === 'install' ? ['pack'] : [])],
    ...(usesBroker ? { broker: 'shared', load: BROKER_LOAD } : { load: 1 }),
    run: () => runJest(run, name, folder),
  };
}

async function runJest(run: Run, name: string, folder: string): Promise<Outcome> {
  mkdirSync(run.state, { recursive: true });
  const reportFile = join(run.state, `${name}.json`);
  rmSync(reportFile, { force: true });
  const ended = await runCommand({
    command: 'node',
    args: [
      ROOMY,
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(run.root, 'node_modules/jest/bin/jest.js'),
      '--ci',
      '--maxWorkers=1',
      '--json',
      `--outputFile=${reportFile}`,
    ],
    cwd: join(run.root, folder),
    env: environmentOf(run),
    signal: run.signal,
    limitMs: STEP_LIMIT_MS,
  });
  return jestOutcome(ended, readReport(reportFile), run.root);
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

function inRoot(
  { root, signal }: Run,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  return runCommand({ command, args, cwd: root, env, signal, limitMs: STEP_LIMIT_MS });
}

function outcomeOf({ exitCode, output }: Ended): Outcome {
  return { passed: exitCode === 0, output };
}

function environmentOf({ broker }: Run): NodeJS.ProcessEnv {
  const registry = broker?.registryUrl === undefined ? {} : { SCHEMA_REGISTRY_URL: broker.registryUrl };
  return { ...process.env, ...(broker === undefined ? {} : { KAFKA_BROKERS: broker.bootstrap }), ...registry };
}
