import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { countTests, notesIn } from './jest-report.ts';
import { planLongSteps } from './long-plan.ts';
import { planSteps } from './plan.ts';
import { choose, type TestProject, testProjects } from './projects.ts';
import { nextSteps, withNeeded } from './schedule.ts';
import { type Outcome, type Result, type Step } from './step.ts';
import { runSteps } from './step-runner.ts';
import { planOnly } from './steps.ts';
import { stepLine, summary, totalsOf } from './summary.ts';
import { bySeed, isLong, tierOf } from './tiers.ts';

const good: Outcome = { passed: true, output: '' };

function step(name: string, options: Partial<Step> = {}): Step {
  return { name, needs: [], load: 1, run: () => Promise.resolve(good), ...options };
}

function result(name: string, options: Partial<Result> = {}): Result {
  return { name, status: 'passed', durationMs: 0, output: '', ...options };
}

const tests = (passed: number, failed = 0, skipped = 0): Result['tests'] => ({
  passed,
  failed,
  skipped,
  byTier: new Map([['unit', passed]]),
});

describe('which steps start', () => {
  const names = (steps: readonly Step[]): string[] => steps.map(({ name }) => name);

  test('as many as there are slots, in their order; what only waits takes none, what waits a little, less', () => {
    const waiting = [step('a'), step('broker', { load: 0 }), step('b'), step('c')];
    const { start } = nextSteps({ waiting, running: [], ended: new Map(), slots: 2 });
    expect(names(start)).toEqual(['a', 'broker', 'b']);
    const { start: later } = nextSteps({ waiting: [step('c')], running: [step('a')], ended: new Map(), slots: 2 });
    expect(names(later)).toEqual(['c']);
    const half = [step('x', { load: 0.5 }), step('a'), step('y', { load: 0.5 }), step('b')];
    expect(names(nextSteps({ waiting: half, running: [], ended: new Map(), slots: 2 }).start)).toEqual(['x', 'a', 'y']);
  });

  test('three share the broker; what needs it alone waits for all of them, and they for it', () => {
    const shared = (name: string): Step => step(name, { broker: 'shared', load: 0 });
    const alone = step('alone', { broker: 'alone', load: 0 });
    const started = (waiting: readonly Step[], ...running: readonly Step[]): string[] =>
      names(nextSteps({ waiting, running, ended: new Map(), slots: 4 }).start);
    const four = ['a', 'b', 'c', 'e'].map(shared);
    expect(started([...four, alone, step('d')])).toEqual(['a', 'b', 'c', 'd']);
    expect(started([shared('c'), alone], shared('a'))).toEqual(['c']);
    expect(started([alone], shared('a'))).toEqual([]);
    expect(started([alone, shared('a')])).toEqual(['alone']);
    expect(started([shared('a')], alone)).toEqual([]);
  });

  test.each([
    [undefined, [], []],
    ['passed', ['b'], []],
    ['failed', [], ['b']],
    ['blocked', [], ['b']],
    ['stopped', [], ['b']],
  ] as const)('what it needs has ended as %s', (status, start, blocked) => {
    const ended = new Map(status === undefined ? [] : [['a', status] as const]);
    const next = nextSteps({ waiting: [step('b', { needs: ['a'] })], running: [], ended, slots: 1 });
    expect([names(next.start), names(next.blocked)]).toEqual([start, blocked]);
  });
});

describe('the two parts', () => {
  const project = (name: string, options: Partial<TestProject> = {}): TestProject => ({
    name,
    folder: `libs/${name}`,
    usesBroker: false,
    hasShort: true,
    longFiles: 0,
    bySeed: [],
    ...options,
  });
  const run = planOnly('.');
  const names = (steps: readonly Step[]): string[] => steps.map(({ name }) => name);

  test('what is long by nature is in the gate alone, and what a seed draws in both', () => {
    const projects = [
      project('sums'),
      project('worlds', { bySeed: ['src/a.test.ts'] }),
      project('kills', { hasShort: false, longFiles: 1, usesBroker: true }),
      project('both', { longFiles: 1 }),
    ];
    const short = names(planSteps(run, projects, undefined));
    expect(short).toEqual(expect.arrayContaining(['sums', 'worlds', 'both', 'simulate', 'lint', 'build', 'pack']));
    expect(short).not.toContain('kills');
    const long = names(planLongSteps(run, projects, 1));
    expect(long).toEqual(
      expect.arrayContaining(['kills-long', 'both-long', 'worlds-fresh', 'simulate', 'mutants', 'fuzz', 'chaos-kinds']),
    );
    expect(long).not.toContain('sums-long');
  });

  test('where many files wait most of their time, two run at a time', () => {
    const loads = [1, 34].map((longFiles) => {
      const kills = project('kills', { longFiles, usesBroker: true });
      return planLongSteps(run, [kills], 1).find(({ name }) => name === 'kills-long')?.load;
    });
    expect(loads).toEqual([0.5, 1]);
  });

  test('every project of this workspace is in one of them, and no step takes the report of another', () => {
    const projects = testProjects(join(import.meta.dirname, '../..'));
    const plans = [planSteps(run, projects, undefined), planLongSteps(run, projects, 1)].map(names);
    for (const { name } of projects) expect(plans.flat().map((step) => step.replace(/-long$/, ''))).toContain(name);
    for (const plan of plans) expect(new Set(plan).size).toBe(plan.length);
    const seeded = projects.filter((each) => each.bySeed.length > 0).map(({ name }) => name);
    expect(seeded).toEqual(expect.arrayContaining(['partition', 'runtime', 'worlds', 'kafka', 'timing-wheel']));
    // The step of what is long has the fresh seed, too.
    expect(projects.flatMap((each) => each.bySeed).filter(isLong)).toEqual([]);
  });

  test('of some projects, only what looks at them', () => {
    const [sums, kills] = [project('sums'), project('kills', { usesBroker: true })];
    expect(names(planSteps(run, [sums, kills], [sums]))).toEqual([
      'lint',
      'lint-types',
      'types',
      'format',
      'tidy',
      'sums',
    ]);
    expect(names(planSteps(run, [sums, kills], [kills]))).toContain('broker');
  });

  test('names choose, unknown ones are said with those there are, and a step brings what it needs', () => {
    const all = [project('a'), project('b')];
    expect(choose(all, [])).toEqual(all);
    expect(choose(all, ['b'])).toEqual(all.slice(1));
    expect(choose(all, ['c', 'a'])).toBe('no c; there are: a, b');
    const steps = [step('x'), step('y', { needs: ['x'] }), step('z', { needs: ['y'] }), step('other')];
    expect(names(withNeeded(steps, new Set(['z'])))).toEqual(['x', 'y', 'z']);
  });

  test.each([
    ["const seed = Number(process.env['SEED'] ?? 1);", true],
    ["import fc from 'fast-check';", true],
    ["const text = 'SEED';", false],
  ])('by seed: %s', (source, expected) => {
    expect(bySeed(source)).toBe(expected);
  });

  test('a long test says so in its name', () => {
    expect(['src/kills.long.test.ts', 'src/kills.test.ts', 'src/long.test.ts'].map(isLong)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a run', () => {
  const options = { slots: 2, signal: new AbortController().signal, onStart: () => undefined, onEnd: () => undefined };

  test('every step ends once: passed, failed, thrown, or blocked by another, down the line', async () => {
    const results = await runSteps(
      [
        step('a'),
        step('b', { run: () => Promise.resolve({ passed: false, output: 'why' }) }),
        step('c', { run: () => Promise.reject(new Error('thrown')) }),
        step('d', { needs: ['b'] }),
        step('e', { needs: ['d'] }),
        step('f', { needs: ['a'] }),
      ],
      options,
    );
    expect(Object.fromEntries(results.map(({ name, status }) => [name, status]))).toEqual({
      a: 'passed',
      b: 'failed',
      c: 'failed',
      d: 'blocked',
      e: 'blocked',
      f: 'passed',
    });
    expect(results.find(({ name }) => name === 'c')?.output).toContain('thrown');
  });

  test('stopped: what runs is waited for, nothing else starts', async () => {
    const stop = new AbortController();
    const stopping = step('a', {
      run: () => {
        stop.abort();
        return Promise.resolve({ passed: false, output: '' });
      },
    });
    const results = await runSteps([stopping, step('b'), step('c')], { ...options, slots: 1, signal: stop.signal });
    expect(results.map(({ name, status }) => `${name} ${status}`)).toEqual(['a stopped', 'b stopped', 'c stopped']);
  });
});

describe("Jest's report", () => {
  const file = (name: string, status: string, ...statuses: string[]) => ({
    name,
    status,
    assertionResults: statuses.map((each) => ({ status: each })),
  });

  test('counts passed, failed and held back, and passed by tier', () => {
    const report = {
      testResults: [
        file('a', 'passed', 'passed', 'passed'),
        file('b', 'failed', 'passed', 'failed', 'pending', 'todo', 'skipped', 'disabled'),
      ],
    };
    expect(countTests(report, (path) => path)).toEqual({
      passed: 3,
      failed: 1,
      skipped: 4,
      byTier: new Map([
        ['a', 2],
        ['b', 1],
      ]),
    });
  });

  test('what tests say of mutants, and of what is not here, is kept, and shown though they passed', () => {
    const output =
      '  console.log\n    caught 9 of 9 mutants of a wheel\n\n      at Object.log (a.test.ts:3:1)\nhe caught 1 of 2';
    expect(notesIn(output)).toEqual(['caught 9 of 9 mutants of a wheel']);
    expect(notesIn(`${output}\nnot run: a page\n`)).toEqual(['caught 9 of 9 mutants of a wheel', 'not run: a page']);
    expect(stepLine(result('wheel', { tests: tests(1), notes: notesIn(output) })).split('\n')).toEqual([
      expect.stringMatching(/^ok +wheel .*1 passed$/),
      '        caught 9 of 9 mutants of a wheel',
    ]);
  });

  test('a file that could not be run is one failure', () => {
    expect(countTests({ testResults: [file('a', 'failed')] }, () => 'unit')).toMatchObject({ passed: 0, failed: 1 });
    const afterwards = countTests({ testResults: [file('a', 'failed', 'passed')] }, () => 'unit');
    expect(afterwards).toMatchObject({ passed: 1, failed: 1 });
  });
});

describe('the last line', () => {
  const lastLine = (...results: readonly Result[]): string | undefined => summary(results).split('\n').at(-1);

  test.each([
    ['tests that passed', [result('lint'), result('a', { tests: tests(3) })], '3 passed, 0 failed'],
    ['failed tests', [result('a', { status: 'failed', tests: tests(3, 2) })], '3 passed, 2 failed'],
    ['a failed check', [result('lint', { status: 'failed' }), result('a', { tests: tests(3) })], '3 passed, 1 failed'],
    ['good tests of a run that failed', [result('a', { status: 'failed', tests: tests(3) })], '3 passed, 1 failed'],
    ['tests held back', [result('a', { status: 'failed', tests: tests(3, 0, 2) })], '3 passed, 1 failed'],
    ['a project that was blocked', [result('a', { status: 'blocked' })], '0 passed, 1 failed'],
    ['a run that was stopped', [result('a', { status: 'stopped' })], '0 passed, 1 failed'],
    ['no test at all', [result('lint')], '0 passed, 1 failed'],
    ['nothing at all', [], '0 passed, 1 failed'],
  ])('%s', (_what, results, line) => {
    expect(lastLine(...results)).toBe(line);
  });

  test('steps without tests that were asked for alone, and passed', () => {
    expect(
      summary([result('fuzz')], false)
        .split('\n')
        .at(-1),
    ).toBe('0 passed, 0 failed');
    expect(totalsOf([result('fuzz', { status: 'failed' })], false).failed).toBe(1);
  });

  test('totals by tier', () => {
    const { byTier } = totalsOf([result('a', { tests: tests(3) }), result('b', { tests: tests(4) })]);
    expect(byTier).toEqual(new Map([['unit', 7]]));
    expect(summary([result('a', { tests: tests(3) })])).toContain('unit');
  });

  test('a line per step says what happened', () => {
    expect(stepLine(result('kafka', { durationMs: 12_345, tests: tests(41) }))).toBe(
      'ok      kafka           12.3 s   41 passed',
    );
    expect(stepLine(result('store', { status: 'failed', tests: tests(1, 2, 3) }))).toContain(
      '1 passed, 2 failed, 3 held back',
    );
  });
});

describe('tiers', () => {
  test.each([
    ['/apps/lab/e2e/src/a.test.ts', '', 'end-to-end'],
    ['/libs/lab/dev-broker/src/a.test.ts', '', 'broker'],
    ['/libs/kafka/src/a.test.ts', "import { b } from '../broker.fixture.ts';", 'broker'],
    ['/libs/codec/src/a.test.ts', "import { ensureBroker } from '@flatline/dev-broker';", 'broker'],
    ['/libs/lab/cluster/src/a.test.ts', '', 'simulation'],
    ['/libs/runtime/src/a.test.ts', "import { Simulation } from '@flatline/cluster';", 'simulation'],
    ['/libs/task/src/a.test.ts', "import fc from 'fast-check';", 'property'],
    ['/libs/client/src/a.test.ts', "const brokers = process.env['KAFKA_BROKERS'];", 'broker'],
    ['/libs/config/src/a.test.ts', "const env = { KAFKA_BROKERS: 'a:1' };", 'unit'],
    ['/libs/task/src/a.test.ts', "const text = 'import x from @flatline/dev-broker';", 'unit'],
    ['/libs/task/src/a.test.ts', '', 'unit'],
  ])('%s %s', (path, source, tier) => {
    expect(tierOf(path, source)).toBe(tier);
  });
});
