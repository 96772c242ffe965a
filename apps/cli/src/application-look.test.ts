import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cli } from './cli.fixture.ts';

interface Member {
  readonly name: string;
  readonly endpoint: string;
}

interface Stage {
  readonly instance: string;
  readonly partitions: readonly number[];
  readonly members?: () => readonly Member[];
  readonly workers?: readonly string[];
  readonly warnings?: readonly string[];
  readonly ready?: boolean;
  /** Which times it is asked it does not answer. */
  readonly absentAt?: readonly number[];
}

const servers: Server[] = [];
/** Where nothing answers. */
const closedPort = (i: number): string => `http://127.0.0.1:${i + 1}`;

/** An instance that answers; where. */
async function stage(how: Stage): Promise<string> {
  const { instance, members = () => [], workers = [], warnings = [], ready = true } = how;
  const looks = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const look = (looks.get(path) ?? 0) + 1;
    looks.set(path, look);
    if (how.absentAt?.includes(look)) {
      request.socket.destroy();
      return;
    }
    const rows = how.partitions.map((partition) => ({ pipeline: 'p', partition, role: 'owner', state: 'running' }));
    const bodies: Readonly<Record<string, object>> = {
      '/readyz': { ready, reasons: ready ? [] : ['p/9 is restoring'], warnings },
      '/api/v1/partitions': { instance, partitions: rows },
      '/api/v1/pipelines': { instance, pipelines: [{ instances: members() }, { instances: members() }] },
      '/api/v1/workers': { instance, workers: workers.map((each) => ({ instance: each })) },
    };
    response.setHeader('connection', 'close');
    response.end(JSON.stringify(bodies[path]));
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('status', () => {
  test('shows every instance of the groups, found by the one that is asked', async () => {
    const members: Member[] = [];
    const b = await stage({ instance: 'b', partitions: [1], ready: false, warnings: ['p has refused 72 records'] });
    const a = await stage({ instance: 'a', partitions: [2, 0], members: () => members });
    members.push({ name: 'a', endpoint: a }, { name: 'b', endpoint: b });
    const { exitCode, stdout } = await cli(['status', '--url', a]);
    expect(exitCode).toBe(1);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual([
      '2 of 2 instances: 3 partitions',
      `a at ${a} is ready: 2 partitions`,
      `b at ${b} is not ready: 1 partition`,
      '  ! p/9 is restoring',
      '  ! p has refused 72 records',
      '  p/0  a  running',
      '  p/1  b  running',
      '  p/2  a  running',
    ]);
    expect((await cli(['status', '--json', '--url', a])).json()).toMatchObject([
      { instance: 'a', ready: false, reasons: ['b: p/9 is restoring'], instances: [{}, { instance: 'b' }], unseen: [] },
    ]);
  });

  test('names the instances that it cannot show, and why; several may be given', async () => {
    const members: Member[] = [{ name: 'c', endpoint: '' }];
    const a = await stage({ instance: 'a', partitions: [0], members: () => members });
    // On another machine this address is another's.
    members.push({ name: 'a', endpoint: a }, { name: 'b', endpoint: a.replace('127.0.0.1', 'localhost') });
    const alone = await cli(['status', '--url', a]);
    expect(alone.stdout).toContain('1 of 3 instances: 1 partition');
    expect(alone.stdout).toContain(
      '! c is not shown: it does not say where it answers: give its address by --url, too',
    );
    expect(alone.stdout).toMatch(/! b at http:\/\/localhost:\d+ is not shown: seen from here, a answers there: give /);
    expect(alone.exitCode).toBe(0);
    const c = await stage({ instance: 'c', partitions: [1] });
    expect((await cli(['status', '--url', a, '--url', c])).stdout).toContain('2 of 3 instances: 2 partitions');
  });

  test('names each of those that give one address, as machines do whose `http.host` is left as it is', async () => {
    const members: Member[] = [];
    const a = await stage({ instance: 'a', partitions: [0], members: () => members });
    members.push({ name: 'a', endpoint: a }, { name: 'b', endpoint: a }, { name: 'c', endpoint: a });
    const { stdout } = await cli(['status', '--url', a]);
    expect(stdout).toContain('1 of 3 instances: 1 partition');
    for (const other of ['b', 'c'])
      expect(stdout).toContain(`! ${other} at ${a} is not shown: seen from here, a answers there: give `);
  });

  test('shows the one that answers at an address, and names the others that give it', async () => {
    const members: Member[] = [];
    const b = await stage({ instance: 'b', partitions: [1] });
    const a = await stage({ instance: 'a', partitions: [0], members: () => members });
    members.push({ name: 'a', endpoint: a }, { name: 'c', endpoint: b }, { name: 'b', endpoint: b });
    const { stdout } = await cli(['status', '--url', a]);
    expect(stdout).toContain('2 of 3 instances: 2 partitions');
    expect(stdout).toContain(`! c at ${b} is not shown: seen from here, b answers there: give `);
  });

  test('asks at most 64 addresses, and names those that it did not ask', async () => {
    const members: Member[] = Array.from({ length: 70 }, (_, i) => ({ name: `m${i}`, endpoint: closedPort(i) }));
    const a = await stage({ instance: 'a', partitions: [0], members: () => members });
    const { stdout } = await cli(['status', '--url', a]);
    expect(stdout).toContain('1 of 71 instances: 1 partition');
    expect(stdout).toContain(`! m63 at ${closedPort(63)} is not shown: no processor answers at ${closedPort(63)}`);
    const notAsked = [64, 65, 66, 67, 68, 69].map(
      (i) =>
        `! m${i} at ${closedPort(i)} is not shown: not asked, since 64 other addresses were: give its address by --url`,
    );
    for (const line of notAsked) expect(stdout).toContain(line);
  });

  test('takes the workers of a supervisor for one instance, and no instance with a longer name for a worker', async () => {
    const members: Member[] = [];
    const other = await stage({ instance: 'a-2', partitions: [2] });
    const a = await stage({ instance: 'a', partitions: [0, 1], workers: ['a-0', 'a-1'], members: () => members });
    members.push({ name: 'a-0', endpoint: a }, { name: 'a-1', endpoint: a }, { name: 'a-2', endpoint: other });
    expect((await cli(['status', '--url', a])).stdout).toContain('2 of 2 instances: 3 partitions');
  });
});

describe('top', () => {
  test('says that a processor is gone, and goes on when it is back', async () => {
    const address = await stage({ instance: 'a', partitions: [0], absentAt: [2] });
    const run = await cli(['top', '--json', '--url', address, '--interval', '1ms', '--count', '3']);
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject([
      { instance: 'a', partitions: [{ partition: 0 }] },
      { gone: expect.stringContaining(`no processor answers at ${address}`) },
      { instance: 'a', partitions: [{ partition: 0 }] },
    ]);
  });

  test('shows the other instances while the one it was given is gone', async () => {
    const members: Member[] = [];
    const b = await stage({ instance: 'b', partitions: [1], members: () => members });
    const a = await stage({ instance: 'a', partitions: [0], absentAt: [2, 3], members: () => members });
    members.push({ name: 'a', endpoint: a }, { name: 'b', endpoint: b });
    const { stdout } = await cli(['top', '--url', a, '--interval', '1ms', '--count', '2']);
    expect(stdout).toContain('2 of 2 instances: 2 partitions');
    expect(stdout).toMatch(/1 of 2 instances: 1 partition\nb at .* is ready: 1 partition\n {2}! a at .* is not shown/);
  });
});
