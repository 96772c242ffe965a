import { describe, expect, test } from '@jest/globals';
import type { StoreDrop } from '@flatline/ports';
import { once } from 'node:events';
import { connect } from 'node:net';
import { openHttpServer } from './http-server.ts';
import {
  instances,
  NO_PUSH,
  NOW,
  pipeline,
  serve,
  serverOf,
  standby,
  task,
  unprotected,
  wholeOf,
} from './http.fixture.ts';
import type { Observed, Whole } from './observed.ts';

test('a request that never comes whole does not hold up the end of the server', async () => {
  const server = await serverOf({} as Whole);
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
  await once(socket, 'connect');
  const cut = once(socket, 'close');
  socket.on('error', () => undefined).resume();
  const length = 'Content-Type: application/json\r\nContent-Length: 50';
  socket.write(`POST /api/v1/partitions/visits/0/restart HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n{`);
  await (await fetch(`${server.address}/nowhere`)).text();
  await server.close();
  await cut;
});

test('[X5] who offers HTTP/2, as the JDK does by default, is answered in HTTP/1.1, and holds up no end of the server', async () => {
  const server = await serverOf({} as Whole);
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
  await once(socket, 'connect');
  const cut = once(socket, 'close');
  socket.write(
    'GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  socket.resume();
  await server.close();
  await cut;
});

describe('health', () => {
  test('ready while every assigned partition runs', async () => {
    const get = await serve([pipeline({})]);
    expect((await get('/livez')).status).toBe(200);
    expect((await get('/startupz')).status).toBe(200);
    expect(await (await get('/readyz')).json()).toEqual({ ready: true, reasons: [], warnings: [] });
  });

  test.each([
    [
      pipeline({ ready: false, tasks: [task({ state: 'stopped', detail: 'changelog x/0 cannot be trusted' })] }),
      {},
      'visits/0 is stopped: changelog x/0 cannot be trusted',
    ],
    [
      pipeline({ ready: false, interruption: 'no answer for 12 s' }),
      {},
      'visits: membership is interrupted: no answer for 12 s',
    ],
    [pipeline({ ready: false, tasks: [] }), {}, 'visits: no assignment yet'],
    [
      pipeline({ ready: false, tasks: [], failure: 'input visit-events has more partitions now' }),
      {},
      'visits has stopped: input visit-events has more partitions now',
    ],
    [pipeline({}), { isStopping: true }, 'the processor is stopping'],
    [undefined, {}, 'the pipelines are being opened'],
  ])('[X5][P1] not ready, and says why', async (status, changes, reason) => {
    const answer = await (await serve(status === undefined ? [] : [status], changes))('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ ready: false, reasons: [reason], warnings: [] });
  });
});

test('[I7] a partition that fills up is warned of, and keeps no instance from being ready', async () => {
  const get = await serve([
    pipeline({ tasks: [task({ stateFill: 0.934, liveEntries: 30_822_000 }), task({ partition: 1, stateFill: 0.89 })] }),
  ]);
  const answer = await get('/readyz');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    ready: true,
    warnings: [
      expect.stringMatching(
        /^visits\/0 holds 93 % of what may live in one partition \(30822000 entries, 12345 bytes\): .*state-full/,
      ),
    ],
  });
  const metrics = await (await get('/metrics')).text();
  expect(metrics).toContain('flatline_state_fill_ratio{pipeline="visits",partition="0"} 0.934');
  expect(metrics).toContain('flatline_state_full_total{pipeline="visits"} 0');
});

test('[I1][I9] refused records and misplaced keys of the last hour are warned of, one line each, and the instance stays ready', async () => {
  const at = NOW - 1_000;
  const refused = { offset: 7, reason: 'malformed', detail: 'not JSON', at };
  const misplaced = { input: 0, offset: 9, belongsTo: 1, at };
  const counters = { ...task({}).counters!, deadLetters: 70, misplacedKeys: 4 };
  const old = { refused: { ...refused, at: NOW - 3_600_000 }, misplaced: { ...misplaced, at: NOW - 3_600_000 } };
  const get = await serve([
    pipeline({
      tasks: [
        task({ refused, misplaced, counters }),
        task({ partition: 2, refused: { ...refused, at: at - 1 }, counters }),
        task({ partition: 3, ...old, counters }),
      ],
    }),
  ]);
  const answer = await get('/readyz');
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { warnings: string[] }).warnings).toEqual([
    'visits has refused 140 records since its tasks began here, the newest in partition 0 at offset 7 (malformed: not JSON): ' +
      'flatline dead-letters list',
    expect.stringMatching(
      /^visits: 4 entries were opened by keys of other partitions .* partition 0 at offset 9, .*says 1: .*murmur2_random/,
    ),
  ]);
});

test('[X5] what holds running partitions up is warned of in one line, and the instance stays ready', async () => {
  const detail = 'reading the input, which waits for an answer of 127.0.0.1:9092, for 12000 ms';
  const held = task({ detail });
  const get = await serve([pipeline({ tasks: [task({ partition: 3 }), held, { ...held, partition: 1 }] })]);
  const answer = await get('/readyz');
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { warnings: string[] }).warnings).toEqual([
    `visits/0 runs, and is held up: ${detail} (and in 1 more)`,
  ]);
});

describe('[R2] local stores that are damaged again and again', () => {
  const drop = (minutesAgo: number, reason: StoreDrop['reason'] = 'checksum', partition = 0): StoreDrop => ({
    partition,
    reason,
    at: NOW - minutesAgo * 60_000,
  });
  const unready = async (storeDrops: readonly StoreDrop[]): Promise<unknown> => {
    const get = await serve([pipeline({ storeDrops })]);
    return ((await (await get('/readyz')).json()) as { reasons: unknown }).reasons;
  };

  test('[R2] more than three in an hour: the instance is not ready, says why, and counts them', async () => {
    const drops = [drop(50), drop(30, 'unreadable', 2), drop(10), drop(0, 'other-log')];
    const get = await serve([pipeline({ storeDrops: drops })]);
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      reasons: [expect.stringMatching(/^visits: 4 local stores .*partition 0 checksum, 2 unreadable, .*stateDir$/)],
    });
    expect(await (await get('/metrics')).text()).toContain('flatline_damaged_stores{pipeline="visits"} 4');
  });

  test('[R2] errors of their device are counted, and keep no instance from being ready', async () => {
    const get = await serve([pipeline({ storeErrors: 5 })]);
    expect((await get('/readyz')).status).toBe(200);
    expect(await (await get('/metrics')).text()).toContain('flatline_store_errors_total{pipeline="visits"} 5');
    expect(await (await get('/api/v1/pipelines')).json()).toMatchObject({ pipelines: [{ storeErrors: 5 }] });
  });

  test('[R2] three, or older ones, or those that a power failure explains: ready', async () => {
    expect(await unready([drop(50), drop(30), drop(10)])).toEqual([]);
    expect(await unready([drop(60), drop(61), drop(62), drop(9), drop(8), drop(7)])).toEqual([]);
    expect(await unready(Array.from({ length: 8 }, (_, i) => drop(1, 'unclean-after-reboot', i)))).toEqual([]);
  });

  test('[R2] those of a changelog that was given up: ready, and none is counted as damaged', async () => {
    const storeDrops = Array.from({ length: 8 }, (_, i) => drop(1, 'given-up', i));
    const get = await serve([pipeline({ storeDrops })]);
    expect((await get('/readyz')).status).toBe(200);
    expect(await (await get('/metrics')).text()).toContain('flatline_damaged_stores{pipeline="visits"} 0');
  });
});

describe('the API', () => {
  test('partitions with owner, state, clock and lag; pipelines with what they own', async () => {
    const get = await serve([pipeline({})]);
    expect(await (await get('/api/v1/partitions')).json()).toMatchObject({
      partitions: [
        { owner: 'a', standbys: [], partition: 0, state: 'running', lag: 3, expiryLagMs: 0, clock: 1_700_000_000_000 },
      ],
    });
    expect(await (await get('/api/v1/pipelines')).json()).toMatchObject({
      instance: 'a',
      pipelines: [{ name: 'visits', group: 'shop.visits', partitions: [0], liveEntries: 7 }],
    });
  });

  test('[N3] a pipeline that keeps what waits for webhooks says whose outputs these are', async () => {
    const get = await serve([pipeline({}), pipeline({ name: 'visits.deliveries', deliveriesOf: 'visits' })]);
    const { pipelines } = (await (await get('/api/v1/pipelines')).json()) as { readonly pipelines: readonly object[] };
    expect(pipelines[0]).not.toHaveProperty('deliveriesOf');
    expect(pipelines[1]).toMatchObject({ name: 'visits.deliveries', deliveriesOf: 'visits' });
  });

  test('[X5] a partition says who owns it and who stands by for it, and a standby how far it is behind', async () => {
    const get = await serve([pipeline({ standbys: [standby], instances })]);
    expect(await (await get('/api/v1/partitions')).json()).toMatchObject({
      partitions: [
        { role: 'owner', owner: 'a', standbys: ['b'], partition: 0, takeoverMs: 8 },
        { role: 'standby', owner: 'b', standbys: ['a'], partition: 3, state: 'following', lag: 2, liveEntries: 5 },
      ],
    });
    expect(await (await get('/api/v1/pipelines')).json()).toMatchObject({
      pipelines: [{ partitions: [0], standbys: [3], instances }],
    });
    const text = await (await get('/metrics')).text();
    for (const line of [
      'flatline_standby_lag_records{pipeline="visits",partition="3"} 2',
      'flatline_standby_state{pipeline="visits",partition="3",state="following"} 1',
      'flatline_standby_state{pipeline="visits",partition="3",state="stopped"} 0',
      'flatline_takeover_duration_seconds{pipeline="visits",partition="0"} 0.008',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('another path is answered with what there is', async () => {
    const answer = await (await serve([pipeline({})]))('/api/v1/nothing?x=1');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: 'no GET /api/v1/nothing' });
  });

  test('[I4] an address that cannot be bound is an error of the configuration, with setting, value and remedy', async () => {
    const get = await serve([pipeline({})]);
    const port = Number(new URL((await get('/livez')).url).port);
    const observed = {
      instance: 'b',
      version: '1',
      application: 'b',
      wallNow: NOW,
      pipelines: () => [],
      hasStarted: false,
      isStopping: false,
      lookUpFill: 0,
      deliveries: () => [],
      restart: () => 'absent' as const,
      lookUp: () => Promise.resolve(undefined),
      act: () => Promise.resolve(undefined),
      page: () => Promise.resolve(undefined),
      endpoint: '',
    };
    const refusal = async (host: string): Promise<unknown> =>
      openHttpServer(unprotected({ host, port }), wholeOf(observed), NO_PUSH).catch((error: unknown) => error);
    expect(await refusal('127.0.0.1')).toMatchObject({
      name: 'Misconfigured',
      message: expect.stringMatching(new RegExp(`http.port ${port} on 127.0.0.1 cannot be bound .*--http-port`)),
    });
    // TEST-NET-1 (RFC 5737): no machine has it.
    expect(await refusal('192.0.2.1')).toMatchObject({
      name: 'Misconfigured',
      message: expect.stringMatching(/^http.host 192.0.2.1 is no address of this machine .*FLATLINE_HTTP_HOST/),
    });
  });
});

describe('a restart of a stopped partition', () => {
  const outcomes = { 'visits/0': 'restarted', 'visits/1': 'notStopped' } as const;
  const restart: Observed['restart'] = (pipeline, partition) =>
    (outcomes as Partial<Record<string, (typeof outcomes)['visits/0' | 'visits/1']>>)[`${pipeline}/${partition}`] ??
    'absent';

  test.each([
    ['visits/0', 202, 'restarted'],
    ['visits/1', 409, 'notStopped'],
    ['visits/x', 404, 'absent'],
    ['other/0', 404, 'absent'],
  ])('[R3] of %s is answered with %i, %s', async (name, code, outcome) => {
    const ask = await serve([pipeline({})], { restart });
    const answer = await ask(`/api/v1/partitions/${name}/restart`, { method: 'POST' });
    expect(answer.status).toBe(code);
    expect(await answer.json()).toMatchObject({ outcome });
  });

  test('is not done for a page in a browser', async () => {
    const ask = await serve([pipeline({})], { restart: () => 'restarted' });
    const headers = { origin: 'http://elsewhere.example' };
    const answer = await ask('/api/v1/partitions/visits/0/restart', { method: 'POST', headers });
    expect(answer.status).toBe(403);
  });
});
