// The plan of `npm test`: the checks of the workspace, and all tests that are not long by nature.
import type { TestProject } from './projects.ts';
import { type Step } from './step.ts';
import { brokerStep, commandStep, type JestPart, jestStep, ROOMY, type Run } from './steps.ts';

/** Enough seeds to see every kind of pipeline and most faults. Always the same: a failure here is one on every machine. */
const WORLDS = 200;
/** Projects by how long they take; all others take less. */
const LONGEST = ['e2e', 'kafka', 'cli', 'dev-broker', 'partition', 'runtime', 'records', 'worlds', 'scripts'];
/** Tests with a broker mostly wait for it, and for real time to pass. */
const BROKER_LOAD = 0.5;
/** Files at a time, for the one project whose tests wait for longer than all others take together. */
const WORKERS: Readonly<Record<string, Pick<JestPart, 'workers' | 'load'>>> = { e2e: { workers: 4, load: 1 } };

/** `chosen`: the projects to test; `undefined`: the whole workspace. */
export function planSteps(
  run: Run,
  projects: readonly TestProject[],
  chosen: readonly TestProject[] | undefined,
): Step[] {
  const tested = longestFirst((chosen ?? projects).filter(({ hasShort }) => hasShort));
  const paths = chosen?.map(({ folder }) => folder) ?? ['.'];
  const tests = (project: TestProject): Step => {
    const load = project.usesBroker ? BROKER_LOAD : 1;
    return jestStep(run, project, { name: project.name, tests: 'short', load, ...WORKERS[project.name] });
  };
  return [
    ...(tested.some(({ usesBroker }) => usesBroker) ? [brokerStep(run)] : []),
    // They begin as soon as there is a broker, the longest first: begun later, it would run on alone at the end.
    ...tested.filter(({ usesBroker }) => usesBroker).map(tests),
    ...checks(run, paths),
    ...(chosen === undefined ? ofBuilt(run) : []),
    ...(tested.some(({ name }) => name === 'worlds') ? [worlds(run)] : []),
    ...tested.filter(({ usesBroker }) => !usesBroker).map(tests),
  ];
}

function longestFirst(projects: readonly TestProject[]): TestProject[] {
  const placeOf = ({ name }: TestProject): number => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
  return projects.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function checks(run: Run, paths: readonly string[]): Step[] {
  const prettier = ['prettier', '--check', '--cache', '--cache-strategy=content', '--log-level=warn'] as const;
  return [
    commandStep(run, ['eslint', '--max-warnings', '0', ...paths], { name: 'lint' }),
    commandStep(run, ['oxlint', '--deny-warnings', '--format', 'unix', ...paths], { name: 'lint-types' }),
    commandStep(run, ['tsc', '-b'], { name: 'types' }),
    commandStep(run, [...prettier, ...paths], { name: 'format' }),
    commandStep(run, ['node', 'scripts/tidy.ts'], { name: 'tidy' }),
  ];
}

function ofBuilt(run: Run): Step[] {
  const needs = ['types'];
  return [
    commandStep(run, ['node', 'apps/cli/dist/main.js', '--help'], { name: 'built', needs }),
    commandStep(run, ['node', 'scripts/tidy.ts', '--built'], { name: 'built-tidy', needs }),
    commandStep(run, ['npm', 'run', '--silent', 'build'], { name: 'build', needs }),
    // Also compiles what is not compiled yet.
    commandStep(run, ['node', '--conditions=@flatline/source', 'scripts/pack.ts'], { name: 'pack', needs }),
  ];
}

function worlds(run: Run): Step {
  const program = ['node', ROOMY, '--conditions=@flatline/source', 'apps/lab/worlds/src/main.ts'] as const;
  return commandStep(run, [...program, '--seeds', String(WORLDS), '--workers', '1'], { name: 'simulate' });
}
