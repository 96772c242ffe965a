// Workers of tasks that are killed and stopped at random: each task is done, and no two believe that they hold one (T1, T2).
import { seededRandom } from '@flatline/base';
import { connect } from '@flatline/client';
import { afterEach, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kill, killAll, launch, type Running } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const KILLS = Number(process.env['KILLS'] ?? 6);
const TASKS = 24;
const WORKERS = 3;
const program = fileURLToPath(new URL('task-worker.fixture.ts', import.meta.url));

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

async function serve(): Promise<void> {
  scenario = Scenario.unprovisioned({});
  const { application } = scenario;
  const of = (name: string, kind: string, output: string, settings: object = {}): object => ({
    ...settings,
    name,
    kind,
    input: { topic: name === 'tasks' ? `${application}-in` : `${application}-${name}-in` },
    output: { topic: `${application}-${output}` },
  });
  const pipelines = [
    of('tasks', 'schedule', 'due'),
    of('lists', 'debounce', 'lists', { waitMs: 200 }),
    of('locks', 'lease', 'locks', { timeoutMs: 3_000, onConflict: 'queue' }),
  ];
  const config = { application, brokers: scenario.kafka.brokers, http: { port: 0 }, pipelines };
  writeFileSync(scenario.config, JSON.stringify(config));
  await succeed(['topics', 'create', '--config', scenario.config, '--partitions', '4', '--replication', '1']);
  scenario.start();
}

async function submit(from: 'runs' | 'batches'): Promise<void> {
  const flatline = connect({ brokers: scenario.kafka.brokers });
  const { application } = scenario;
  if (from === 'runs') {
    const schedules = await flatline.schedules({ topic: `${application}-in` });
    await Promise.all(Array.from({ length: TASKS }, (_, i) => schedules.add(`k${i}`, { i }, { delay: i * 100 })));
  } else {
    const items = await flatline.items({ topic: `${application}-lists-in` });
    for (let i = 0; i < 3 * TASKS; i += 1) items.push(`k${i % TASKS}`, { i });
    await items.flush();
  }
  await flatline.close();
}

interface Listed {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly result?: number;
}

async function done(pipeline: string): Promise<readonly Listed[]> {
  const args = ['tasks', 'list', '--pipeline', pipeline, '--limit', '1000', '--json', '--config', scenario.config];
  const { stdout } = await succeed(args);
  const listed = stdout.split('\n').map((line) => JSON.parse(line) as Listed);
  return listed.filter(({ kind, state }) => kind === 'task' && state === 'DONE');
}

/** Kills or stops workers until that many were, and starts others in their place. */
async function disturb(work: () => Running): Promise<Running[]> {
  const random = seededRandom(SEED);
  const all = Array.from({ length: WORKERS }, work);
  const running = [...all];
  for (let i = 0; i < KILLS; i += 1) {
    await sleep(500 + random.below(3_000));
    const at = random.below(WORKERS);
    const victim = running[at]!;
    if (random.below(2) === 0) await kill(victim.child);
    else {
      // Longer than its lease, and it goes on all the same.
      victim.child.kill('SIGSTOP');
      await sleep(4_000);
      victim.child.kill('SIGCONT');
      continue;
    }
    running[at] = work();
    all.push(running[at]);
  }
  return all;
}

/** Pairs of grants of one task of which the later was believed in before the earlier was believed in last. */
function overlaps(workers: readonly Running[]): readonly string[] {
  const spans = new Map<string, Map<number, { first: number; last: number }>>();
  for (const worker of workers)
    for (const [, id, token, at] of worker.printed().matchAll(/^believes (\S+) (\d+) (\d+)$/gm)) {
      const ofTask = spans.get(id!) ?? new Map<number, { first: number; last: number }>();
      spans.set(id!, ofTask);
      const span = ofTask.get(Number(token)) ?? { first: Number(at), last: Number(at) };
      ofTask.set(Number(token), { first: Math.min(span.first, Number(at)), last: Math.max(span.last, Number(at)) });
    }
  return [...spans].flatMap(([id, byToken]) => {
    const grants = [...byToken].toSorted(([a], [b]) => a - b);
    return grants.slice(1).flatMap(([token, { first }], i) => {
      const [former, { last }] = grants[i]!;
      return first <= last ? [`${id}: ${token} from ${first} on, ${former} until ${last}`] : [];
    });
  });
}

test.each([
  ['due messages', 'runs', 'tasks'],
  ['lists to be drained', 'batches', 'lists'],
] as const)(
  '[T1][T2] %s: each is done, and no two workers believe that they hold one, killed as they are',
  async (_what, from, pipeline) => {
    await serve();
    const work = (): Running =>
      launch(process.execPath, [
        '--conditions=@flatline/source',
        program,
        scenario.kafka.brokers.join(','),
        scenario.application,
        from,
      ]);
    const disturbing = disturb(work);
    await submit(from);
    const workers = await disturbing;
    let found = await done(pipeline);
    while (new Set(found.map(({ key }) => key)).size < TASKS) {
      await sleep(1_000);
      found = await done(pipeline);
    }
    const last = workers.slice(-WORKERS);
    for (const { child } of last) child.kill('SIGTERM');
    expect(overlaps(workers)).toEqual([]);
    // Every item was in a batch that was drained.
    if (from === 'batches') expect(found.reduce((sum, { result }) => sum + result!, 0)).toBe(3 * TASKS);
  },
);
