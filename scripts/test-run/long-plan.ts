// The plan of `npm run gate`: tests that take long by nature, and every seeded one with a fresh seed.
import type { TestProject } from './projects.ts';
import { type Step } from './step.ts';
import { brokerStep, commandStep, jestStep, ROOMY, type Run } from './steps.ts';

/** `REACH_SEEDS_MIN` and some: a kind of fault that never happens fails. A slow machine lives as many as it can in the time. */
const WORLDS = 2_200;
const WORLDS_MINUTES = 12;
/** Each run hunts one part of the mutants: which, its seed chooses. All take too long. */
const MUTANT_PARTS = 10;
/** And it tries one of so many kinds besides sessions in chaos. */
const KIND_PARTS = 3;
/** Answers for keys that are judged in worlds of their own; a million takes some minutes (docs/TESTING.md). */
const ANSWERS = 50_000;
/** Histories that each file of tests draws. */
const HISTORIES = 40;
/** Cases of each decoder. */
const FUZZ_CASES = 2_000;
/** Most variants of a scenario of chaos; a trial's number chooses one. */
const VARIANTS = 10;
/** Assemblies of the six that there are: each takes some four minutes. */
const ASSEMBLIES = 1;
const WAITING = 0.5;
/** Files of long tests of a project from which on two run at a time. */
const MANY_FILES = 10;

export function planLongSteps(run: Run, projects: readonly TestProject[], seed: number): Step[] {
  return [
    brokerStep(run),
    ...projects.filter(({ longFiles }) => longFiles > 0).map((project) => longTests(run, project, seed)),
    ...chaos(run, seed),
    ...simulation(run, seed),
    commandStep(run, [...fuzzer, '--cases', String(FUZZ_CASES), '--seed', String(seed)], { name: 'fuzz' }),
    ...projects.filter(({ bySeed }) => bySeed.length > 0).map((project) => freshCases(run, project, seed)),
    packStep(run),
    performanceStep(run),
  ];
}

const source = ['node', '--conditions=@flatline/source'] as const;
const fuzzer = [...source, 'scripts/fuzz.ts'] as const;

/** `e2e-long` and others. */
function longTests(run: Run, project: TestProject, seed: number): Step {
  const needs = project.name === 'install' ? ['pack'] : [];
  // One that waits most of its time leaves room for a second; where there are many files, a second is there.
  const workers = project.usesBroker && project.longFiles >= MANY_FILES ? 2 : 1;
  const load = project.usesBroker ? workers * WAITING : 1;
  return jestStep(run, project, {
    name: `${project.name}-long`,
    tests: 'long',
    needs,
    workers,
    load,
    env: seedsOf(seed),
  });
}

/** The seeded tests of `npm test`, with other cases. */
function freshCases(run: Run, project: TestProject, seed: number): Step {
  return jestStep(run, project, {
    name: `${project.name}-fresh`,
    tests: project.bySeed,
    load: 1,
    env: { ...seedsOf(seed), SEEDS: String(HISTORIES) },
  });
}

function seedsOf(seed: number): NodeJS.ProcessEnv {
  return { SEED: String(seed), FUZZ_SEED: String(seed) };
}

/**
 * Each scenario once of a kind besides sessions, on a broker of its own, a chain of pipelines, and an assembly of sessions. The seed
 * chooses kind, variants and assembly.
 */
function chaos(run: Run, seed: number): Step[] {
  const program = [...source, '--max-old-space-size=8192', 'apps/lab/chaos/src/main.ts'] as const;
  const first = String(1 + (seed % VARIANTS));
  const step = (name: string, ...flags: string[]): Step => {
    const all = [...program, ...flags, '--seed', String(seed), '--report', `${run.state}/${name}`] as const;
    return commandStep(run, all, { name, load: WAITING });
  };
  return [
    step('chaos-kinds', '--scenario', 'kinds', '--trials', '1', '--first', first, '--part', partBy(seed, KIND_PARTS)),
    step('chaos-chain', '--scenario', 'chain', '--trials', '1', '--first', first),
    step('chaos-assembled', '--scenario', 'assembled', '--trials', String(ASSEMBLIES), '--first', first),
  ];
}

function partBy(seed: number, parts: number): string {
  return `${1 + (seed % parts)}/${parts}`;
}

/**
 * With one worker each, since other steps use the other cores. Of worlds of another make as many as show that each of their faults
 * happens (`other-reach.ts`). The mutants' worlds have seeds of their own.
 */
function simulation(run: Run, seed: number): Step[] {
  const program = ['node', ROOMY, '--conditions=@flatline/source', 'apps/lab/worlds/src/main.ts'] as const;
  const part = (name: string, ...flags: string[]): Step =>
    commandStep(run, [...program, '--workers', '1', ...flags], { name });
  return [
    part('simulate', '--seeds', String(WORLDS), '--from', String(seed), '--minutes', String(WORLDS_MINUTES)),
    part('look-ups', '--look-ups', String(ANSWERS), '--from', String(seed)),
    part('chains', '--world', 'chain', '--from', String(seed)),
    part('deliveries', '--world', 'deliveries', '--from', String(seed)),
    part('tasks', '--world', 'tasks', '--from', String(seed)),
    part('mutants', '--seeds', '0', '--mutants', '--part', partBy(seed, MUTANT_PARTS)),
  ];
}

function packStep(run: Run): Step {
  return commandStep(run, [...source, 'scripts/pack.ts'], { name: 'pack' });
}

/** A ratio within one measurement, which holds on a busy machine too; never beside another user of the broker. */
function performanceStep(run: Run): Step {
  const command = [...source, 'apps/lab/bench/src/gate/main.ts'] as const;
  return commandStep(run, command, { name: 'performance', needs: ['broker'], broker: 'alone' });
}
