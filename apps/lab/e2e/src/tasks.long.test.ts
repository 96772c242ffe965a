// The task system of docs/recipes/tasks.md: its configuration, its worker and its commands, on a real broker.
import { afterEach, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killAll, launch, type Running } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';

const folder = fileURLToPath(new URL('../../../../docs/recipes/', import.meta.url));
const page = readFileSync(join(folder, 'tasks.md'), 'utf8');
const configuration = /```json\n([^]*?)```/.exec(page)![1]!;

let scenario: Scenario;
let service: Server | undefined;
afterEach(async () => {
  service?.closeAllConnections();
  service?.close();
  service = undefined;
  await killAll();
  await scenario.dispose();
});

/** Topics of the page are the test's own. */
const named = (text: string): string =>
  text.replaceAll(
    /(?<=")(?:tasks-in|tasks-due|task-locks-in|task-locks)(?=")/g,
    (topic) => `${scenario.application}-${topic}`,
  );

async function serve(): Promise<void> {
  scenario = Scenario.unprovisioned({});
  const config = JSON.parse(named(configuration)) as object;
  const own = { ...config, application: scenario.application, brokers: scenario.kafka.brokers, http: { port: 0 } };
  writeFileSync(scenario.config, JSON.stringify(own));
  await succeed(['topics', 'create', '--config', scenario.config, '--partitions', '2', '--replication', '1']);
  scenario.start();
}

function work(name: string): Running {
  const program = join(scenario.folder, 'task-worker.ts');
  const text = named(readFileSync(join(folder, 'task-worker.js'), 'utf8').replaceAll("'", '"'));
  writeFileSync(
    program,
    text.replace('"@flatline/client"', `"${fileURLToPath(import.meta.resolve('@flatline/client'))}"`),
  );
  return launch(process.execPath, ['--conditions=@flatline/source', program, scenario.kafka.brokers.join(','), name]);
}

interface Called {
  readonly path: string;
  readonly id: string;
  readonly token: number;
  readonly body: { readonly input?: number; readonly attempt?: number; readonly result?: string };
}

interface Listed {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly attempt: number;
  readonly token: number;
  readonly result?: unknown;
  readonly error?: string;
}

async function listed(...args: readonly string[]): Promise<Listed[]> {
  const { stdout } = await succeed(['tasks', ...args, '--pipeline', 'tasks', '--json', '--config', scenario.config]);
  return stdout.split('\n').map((line) => JSON.parse(line) as Listed);
}

test('[T1][T2][T3] a task system: what is due is run, called back, tried again, given up, and looked up', async () => {
  await serve();
  const called: Called[] = [];
  service = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Called['body'];
      const { 'idempotency-key': id, 'fencing-token': token } = request.headers;
      called.push({ path: request.url!, id: id as string, token: Number(token), body });
      const { input = 0, attempt = 0 } = body;
      // The first answers at its second attempt, the second never, the third takes longer than the limit at its first.
      if (request.url === '/run' && (input === 2 || (input === 1 && attempt === 1))) response.writeHead(500).end();
      else if (request.url !== '/run' || input !== 3 || attempt > 1) response.end(`ran ${input}`);
    });
  });
  await new Promise<void>((resolve) => service!.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const worker = work('worker-1');
  const add = /flatline (schedules add .*?) --value '(.*)'/.exec(page)!;
  for (const input of [1, 2, 3]) {
    const value = add[2]!.replaceAll('8080', String(port)).replace('"input":7', `"input":${input}`);
    await succeed([
      ...add[1]!.replace('invoice-7', `invoice-${input}`).split(' '),
      '--value',
      value,
      '--config',
      scenario.config,
    ]);
  }
  const isOver = (): boolean => called.filter(({ path }) => path === '/done').length === 2;
  while (!isOver() || called.filter(({ body }) => body.input === 2).length < 3) await sleep(50);
  const over = (tasks: readonly Listed[]): boolean =>
    tasks.filter(({ state }) => state === 'DONE' || state === 'POISON').length === 3;
  let tasks = await listed('list');
  while (!over(tasks)) tasks = await listed('list');
  const of = (key: string): Listed => tasks.find((each) => each.key === key)!;
  expect(of('invoice-1')).toMatchObject({ state: 'DONE', attempt: 2, result: 'ran 1' });
  expect(of('invoice-2')).toMatchObject({
    state: 'POISON',
    attempt: 3,
    error: expect.stringContaining('answered 500'),
  });
  expect(of('invoice-3')).toMatchObject({ state: 'DONE', attempt: 2, result: 'ran 3' });
  expect(tasks.at(-1)).toMatchObject({ kind: 'summary', done: 2, failed: 0, poison: 1 });
  for (const key of ['invoice-1', 'invoice-2', 'invoice-3']) {
    const { id } = of(key);
    const runs = called.filter((each) => each.id === id && each.path === '/run');
    expect(runs.map(({ body }) => body.attempt)).toEqual(runs.map((_, i) => i + 1));
    const tokens = runs.map(({ token }) => token);
    expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
    expect(await listed('get', id)).toEqual([of(key)]);
  }
  worker.child.kill('SIGTERM');
  expect((await worker.finished).code).toBe(0);
});
