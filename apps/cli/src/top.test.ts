import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cli } from './cli.fixture.ts';
import { busiestFirst } from './commands/top-action.ts';

/** Looks answered so far: each finds a record more read of `visits/0`, and ten of `visits/1`. */
let looks = 0;
const server = createServer((request, response) => {
  const row = { pipeline: 'visits', role: 'owner', state: 'running', liveEntries: 3, lag: 0 };
  const partitions = [
    { ...row, partition: 0, position: looks },
    { ...row, partition: 1, position: 10 * looks },
    { ...row, partition: 2, role: 'standby', state: 'following', position: 500 * looks },
  ];
  if (request.url === '/api/v1/partitions') looks += 1;
  const body = {
    '/readyz': { ready: true, reasons: [], warnings: [] },
    '/api/v1/partitions': { instance: 'a', partitions },
    '/api/v1/pipelines': { instance: 'a', pipelines: [{ instances: [{ name: 'a', endpoint: '' }] }] },
    '/api/v1/workers': { instance: 'a', workers: [] },
  }[request.url ?? ''];
  response.end(JSON.stringify(body));
});
let address: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

describe('top', () => {
  const looking = (...flags: string[]): ReturnType<typeof cli> =>
    cli(['top', '--url', address, '--interval', '1ms', ...flags]);

  test('looks so often, and shows the busiest partitions first, once there is something to compare with', async () => {
    const { exitCode, stdout } = await looking('--count', '2');
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines.slice(0, 4).map(([name]) => name)).toEqual([
      `a at ${address} is ready: 2 partitions, 1 standby`,
      'visits/0',
      'visits/1',
      'visits/2',
    ]);
    expect(lines.slice(5, 8).map(([name]) => name)).toEqual(['visits/1', 'visits/0', 'visits/2']);
    expect(lines[5]!.at(-1)).toMatch(/^\d+\/s$/);
    expect(lines[7]!.at(-1)).toBe('lag 0');
  });

  test('with --json each look is a line; Ctrl-C ends it', async () => {
    const twice = await looking('--json', '--count', '2');
    expect(twice.json()).toMatchObject([
      { address, ready: true, partitions: [{ partition: 0 }, { partition: 1 }, { partition: 2 }] },
      { partitions: [{ partition: 1, readPerSecond: expect.any(Number) }, { partition: 0 }, { partition: 2 }] },
    ]);
    const stopped = await cli(['top', '--url', address], { stop: AbortSignal.abort() });
    expect(stopped).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('a rate is what was read a second, none of what began again', () => {
    const row = { pipeline: 'p', role: 'owner', state: 'running' } as const;
    const of = (atMs: number, ...positions: readonly number[]): Parameters<typeof busiestFirst>[0] => ({
      atMs,
      partitions: positions.map((position, partition) => ({ ...row, partition, position, lag: partition })),
    });
    const rates = busiestFirst(of(2_500, 130, 7, 20, 9), of(500, 100, 50, 0));
    expect(rates.map(({ partition, readPerSecond }) => [partition, readPerSecond])).toEqual([
      [0, 15],
      [2, 10],
      [3, undefined],
      [1, 0],
    ]);
  });
});
