import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cli } from './cli.fixture.ts';

const SOUND = { pipeline: 'visits', state: 'sound', lastMs: 12, leg: null, forMs: null, waitsFor: null };
const STUCK = { ...SOUND, state: 'stuck', leg: 'fetch', forMs: 3_210, waitsFor: 'a transaction is open' };

let probes: readonly object[] = [];
let members: readonly { readonly endpoint: string }[] = [];
const silent = createServer(() => undefined);
const server = createServer((request, response) => {
  const body = {
    '/api/v1/probes': { instance: 'a', probes },
    '/api/v1/pipelines': { instance: 'a', pipelines: [{ instances: members }] },
  }[request.url ?? ''];
  response.end(JSON.stringify(body));
});

const addressOf = (of: Server): string => `http://127.0.0.1:${(of.address() as AddressInfo).port}`;

beforeAll(async () => {
  for (const each of [server, silent]) await once(each.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const each of [server, silent]) {
    each.closeAllConnections();
    each.close();
  }
});

describe('probe', () => {
  const probe = (...flags: string[]): ReturnType<typeof cli> => cli(['probe', '--url', addressOf(server), ...flags]);

  test('[Q5] all partitions, and 0, where all go the whole way', async () => {
    probes = [0, 1].map((partition) => ({ ...SOUND, partition, owner: 'a' }));
    members = [{ endpoint: addressOf(server) }, { endpoint: '' }];
    const { exitCode, stdout } = await probe();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ *visits\/0 +a +sound +all the way in 12 ms/);
  });

  test('[Q5] 1 where one is stuck, with its leg; and where an instance does not answer within two seconds', async () => {
    probes = [
      { ...SOUND, partition: 0, owner: 'a' },
      { ...STUCK, partition: 1, owner: 'a' },
    ];
    members = [{ endpoint: addressOf(server) }];
    const stuck = await probe();
    expect([stuck.exitCode, stuck.stdout]).toEqual([
      1,
      expect.stringMatching(/visits\/1 +a +stuck at fetch +for 3\.2 s +a transaction is open/),
    ]);
    probes = [{ ...SOUND, partition: 0, owner: 'a' }];
    members = [{ endpoint: addressOf(server) }, { endpoint: addressOf(silent) }];
    const unanswered = await probe('--json');
    expect([unanswered.exitCode, unanswered.json()]).toMatchObject([
      1,
      [{ sound: false, probes: [{ state: 'sound' }], unanswered: [{ address: addressOf(silent) }] }],
    ]);
  });

  test('2 where none are sent, with the setting; 3 where nothing answers', async () => {
    probes = [];
    members = [];
    const none = await probe();
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('set probeIntervalMs')]);
    expect((await cli(['probe', '--url', 'http://127.0.0.1:1'])).exitCode).toBe(3);
  });
});
