import { afterEach, describe, expect, test } from '@jest/globals';
import { DurationHistogram, type StandbyStatus, type TaskStatus } from '@flatline/runtime';
import type { StoreDrop } from '@flatline/ports';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { metricsOf } from './metrics.ts';
import { mergedMetrics } from './merged-metrics.ts';
import type { Looked, Observed, PipelineStatus, ProcessView, Whole } from './observed.ts';
import { oneProcess } from './one-process.ts';
import { SupervisorMetrics } from './supervisor-metrics.ts';

const NOW = 1_700_000_100_000;
const closeDelays = new DurationHistogram();
for (const ms of [4, 30, 400_000, -7]) closeDelays.add(ms);
const task = (changes: Partial<TaskStatus>): TaskStatus => ({
  pipeline: 'visits',
  partition: 0,
  state: 'running',
  detail: undefined,
  clock: 1_700_000_000_000,
  liveEntries: 7,
  stateFill: 0.25,
  stateBytes: 12_345,
  heldMs: 0,
  lag: 3,
  expiryLagMs: 0,
  position: 40,
  committedPosition: 38,
  counters: {
    recordsRead: 40,
    heartbeats: 30,
    events: 10,
    clockRecords: 0,
    sessionsOpened: 9,
    closedByTimeout: 2,
    expired: 2,
    closedByEnd: 0,
    closedByMaxDuration: 0,
    unmatchedEnds: 0,
    duplicates: 0,
    clampedTimeouts: 0,
    clockOvertaken: 0,
    formerTypeRecords: 0,
    failedRecords: 0,
    stateFull: 0,
    deadLetters: 1,
  },
  commits: { count: 4, p50Ms: 5, p99Ms: 9, maxMs: 9 },
  commitDurations: undefined,
  closeDelays: closeDelays.status(),
  changelogBytes: 900,
  liveBytes: 400,
  storesDropped: 0,
  restoreMs: 12,
  takeoverMs: 8,
  ...changes,
});

const standby: StandbyStatus = {
  pipeline: 'visits',
  partition: 3,
  state: 'following',
  detail: undefined,
  clock: 1_700_000_000_000,
  liveEntries: 5,
  lag: 2,
  position: 90,
  storesDropped: 1,
};

const instances = [
  { name: 'a', endpoint: '', partitions: [0], standbys: [3] },
  { name: 'b', endpoint: '', partitions: [3], standbys: [0] },
];

const pipeline = (changes: Partial<PipelineStatus>): PipelineStatus => ({
  name: 'visits',
  kind: 'session',
  inputTopic: 'visit-events',
  outputTopic: 'visits',
  group: 'shop.visits',
  timeoutMs: 1_800_000,
  ready: true,
  interruption: undefined,
  failure: undefined,
  storeDrops: [],
  storeErrors: 0,
  tasks: [task({})],
  standbys: [],
  instances: [],
  ...changes,
});

const blank = {
  instance: '',
  version: '',
  application: '',
  wallNow: NOW,
  hasStarted: true,
  isStopping: false,
  restart: () => 'absent' as const,
};
const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

function wholeOf(observed: Observed): Whole {
  const metrics = metricsOf(observed);
  return oneProcess(observed, () => metrics.metrics());
}

async function serve(
  pipelines: readonly PipelineStatus[],
  changes: Partial<Observed> = {},
): Promise<(path: string) => Promise<Response>> {
  const observed = {
    instance: 'a',
    version: '1.2.3',
    application: 'shop',
    wallNow: NOW,
    pipelines: () => pipelines,
    hasStarted: true,
    isStopping: false,
    restart: () => 'absent' as const,
    ...changes,
  };
  const server = await openHttpServer({ host: '127.0.0.1', port: 0 }, wholeOf(observed));
  open.push(server);
  return (path) => fetch(`${server.address}${path}`);
}

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
  expect(metrics).toContain('flatline_state_full_total{pipeline="visits",partition="0"} 0');
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
});

describe('metrics', () => {
  test('[X5] counts and gauges of each task, with a help text each', async () => {
    const get = await serve([
      pipeline({ tasks: [task({}), task({ partition: 1, state: 'restoring', counters: undefined, lag: undefined })] }),
    ]);
    const text = await (await get('/metrics')).text();
    for (const line of [
      'flatline_records_read_total{pipeline="visits",partition="0"} 40',
      'flatline_sessions_closed_total{pipeline="visits",partition="0",reason="TIMEOUT"} 2',
      'flatline_live_entries{pipeline="visits",partition="1"} 7',
      'flatline_task_state{pipeline="visits",partition="1",state="restoring"} 1',
      'flatline_lag_records{pipeline="visits",partition="0"} 3',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).not.toContain('flatline_lag_records{pipeline="visits",partition="1"}');
  });

  test('[X5] names and units by the conventions: a counter ends in _total, no time is in milliseconds', async () => {
    const text = await (await (await serve([pipeline({ standbys: [standby] })]))('/metrics')).text();
    const types = [...text.matchAll(/^# TYPE (flatline_\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
      name,
      type,
    }));
    expect(types.length).toBeGreaterThan(30);
    for (const { name, type } of types) expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect(types.filter(({ name }) => /milli|_ms|p99/.test(name))).toEqual([]);
    expect(text).toMatch(/^flatline_build_info\{version="1.2.3",application="shop",node="24[\d.]+"\} 1$/m);
  });

  test('the close delay is a histogram in seconds', async () => {
    const text = await (await (await serve([pipeline({})]))('/metrics')).text();
    const of = '{pipeline="visits",partition="0"}';
    for (const line of [
      '# TYPE flatline_close_delay_seconds histogram',
      'flatline_close_delay_seconds_bucket{le="0.005",pipeline="visits",partition="0"} 2',
      'flatline_close_delay_seconds_bucket{le="0.05",pipeline="visits",partition="0"} 3',
      'flatline_close_delay_seconds_bucket{le="300",pipeline="visits",partition="0"} 3',
      'flatline_close_delay_seconds_bucket{le="+Inf",pipeline="visits",partition="0"} 4',
      `flatline_close_delay_seconds_sum${of} 400.034`,
      `flatline_close_delay_seconds_count${of} 4`,
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('counts do not grow by being read', async () => {
    const get = await serve([pipeline({})]);
    const read = async (): Promise<string | undefined> =>
      (await (await get('/metrics')).text())
        .split('\n')
        .find((line) => line.startsWith('flatline_dead_letters_total{'));
    expect(await read()).toMatch(/ 1$/);
    expect(await read()).toMatch(/ 1$/);
  });
});

describe('one port for several workers', () => {
  const view = (worker: number, partition: number, changes: Partial<PipelineStatus> = {}): ProcessView => ({
    worker,
    instance: `a-${worker}`,
    wallNow: NOW,
    hasStarted: true,
    isStopping: false,
    pipelines: [pipeline({ tasks: [task({ partition })], ...changes })],
  });
  const serveWhole = async (looked: Partial<Looked>): Promise<(path: string) => Promise<Response>> => {
    const whole: Whole = {
      instance: 'a',
      look: () => Promise.resolve({ processes: [], absences: [], silences: [], workers: [], ...looked }),
      metrics: () => Promise.resolve(''),
      restart: () => Promise.resolve('absent'),
    };
    const server = await openHttpServer({ host: '127.0.0.1', port: 0 }, whole);
    open.push(server);
    return (path) => fetch(`${server.address}${path}`);
  };

  test('partitions of all, each with its worker; a pipeline once, with what they hold together', async () => {
    const drops = [{ partition: 0, reason: 'checksum' as const, at: NOW - 1 }];
    const workers = [
      { worker: 1, instance: 'a-1', state: 'running' as const, pid: 7, restarts: 2, lastEnd: 'killed by SIGKILL' },
    ];
    const processes = [
      view(1, 2, { storeErrors: 1, storeDrops: drops }),
      view(2, 0, { storeErrors: 2, storeDrops: drops, instances }),
    ];
    const get = await serveWhole({ processes, workers });
    expect(await (await get('/api/v1/partitions')).json()).toMatchObject({
      instance: 'a',
      partitions: [
        { worker: 1, owner: 'a-1', partition: 2 },
        { worker: 2, owner: 'a-2', partition: 0 },
      ],
    });
    expect(await (await get('/api/v1/pipelines')).json()).toMatchObject({
      instance: 'a',
      pipelines: [{ partitions: [0, 2], liveEntries: 14, storeErrors: 3, damagedStores: 1, ready: true, instances }],
    });
    expect(await (await get('/api/v1/workers')).json()).toEqual({ instance: 'a', workers });
  });

  test('[X5] ready when all are, live while none is silent', async () => {
    const well = await serveWhole({ processes: [view(1, 0), view(2, 1)] });
    for (const path of ['/livez', '/readyz', '/startupz']) expect((await well(path)).status).toBe(200);
    const absences = ['worker 2 is started again', 'worker 3 does not answer'];
    const ill = await serveWhole({ processes: [view(1, 0)], absences, silences: absences.slice(1) });
    for (const path of ['/livez', '/readyz', '/startupz']) expect((await ill(path)).status).toBe(503);
    expect(await (await ill('/readyz')).json()).toMatchObject({ ready: false, reasons: absences });
    expect(await (await ill('/livez')).json()).toEqual({ live: false, silences: absences.slice(1) });
  });

  test('metrics of all under one name, told apart by the label worker', async () => {
    const text = (value: number): string =>
      `# HELP flatline_x_total Things {1}\n# TYPE flatline_x_total counter\nflatline_x_total{a="b c"} ${value}\n\n` +
      `# HELP process_y Bytes\n# TYPE process_y gauge\nprocess_y ${value}\n`;
    const merged = mergedMetrics([
      { worker: '1', text: text(5) },
      { worker: '2', text: text(6) },
      { worker: undefined, text: '# HELP up Up\n# TYPE up gauge\nup{worker="1"} 1\n' },
    ]);
    expect(merged.split('\n').filter((line) => line !== '')).toEqual([
      '# HELP flatline_x_total Things {1}',
      '# TYPE flatline_x_total counter',
      'flatline_x_total{worker="1",a="b c"} 5',
      'flatline_x_total{worker="2",a="b c"} 6',
      '# HELP process_y Bytes',
      '# TYPE process_y gauge',
      'process_y{worker="1"} 5',
      'process_y{worker="2"} 6',
      '# HELP up Up',
      '# TYPE up gauge',
      'up{worker="1"} 1',
    ]);
    const whole = await new SupervisorMetrics(() => [
      { worker: 1, instance: 'a-1', state: 'running', pid: 7, restarts: 3, lastEnd: undefined },
    ]).text([{ worker: '1', text: await metricsOf({ ...blank, pipelines: () => [pipeline({})] }).metrics() }]);
    for (const line of [
      'flatline_worker_state{worker="1",state="running"} 1',
      'flatline_worker_restarts_total{worker="1"} 3',
      'flatline_records_read_total{worker="1",pipeline="visits",partition="0"} 40',
    ])
      expect(whole.split('\n')).toContain(line);
    for (const name of ['flatline_live_entries', 'process_resident_memory_bytes'])
      expect(whole.match(new RegExp(`^# TYPE ${name} `, 'gm'))).toHaveLength(1);
    expect(whole).toMatch(/^process_resident_memory_bytes\{worker="supervisor"\} \d+$/m);
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
      restart: () => 'absent' as const,
    };
    const refusal = async (host: string): Promise<unknown> =>
      openHttpServer({ host, port }, wholeOf(observed)).catch((error: unknown) => error);
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
    await serve([pipeline({})], { restart });
    const answer = await fetch(`${open[0]!.address}/api/v1/partitions/${name}/restart`, { method: 'POST' });
    expect(answer.status).toBe(code);
    expect(await answer.json()).toMatchObject({ outcome });
  });

  test('is not done for a page in a browser', async () => {
    await serve([pipeline({})], { restart: () => 'restarted' });
    const headers = { origin: 'http://elsewhere.example' };
    const answer = await fetch(`${open[0]!.address}/api/v1/partitions/visits/0/restart`, { method: 'POST', headers });
    expect(answer.status).toBe(403);
  });
});
