import { describe, expect, test } from '@jest/globals';
import { BLANK, type Ask, instances, NOW, pipeline, serveWhole, task } from './http.fixture.ts';
import { mergedMetrics } from './merged-metrics.ts';
import { metricsOf } from './metrics.ts';
import type { Looked, PipelineStatus, ProcessView } from './observed.ts';
import { SupervisorMetrics } from './supervisor-metrics.ts';

describe('one port for several workers', () => {
  const view = (worker: number, partition: number, changes: Partial<PipelineStatus> = {}): ProcessView => ({
    worker,
    instance: `a-${worker}`,
    wallNow: NOW,
    hasStarted: true,
    isStopping: false,
    lookUpFill: 0,
    pipelines: [pipeline({ tasks: [task({ partition })], ...changes })],
  });
  const serveLooked = (looked: Partial<Looked>): Promise<Ask> =>
    serveWhole({
      instance: 'a',
      look: () => Promise.resolve({ processes: [], absences: [], silences: [], workers: [], ...looked }),
      metrics: () => Promise.resolve(''),
      restart: () => Promise.resolve('absent'),
      lookUp: () => Promise.resolve([]),
      act: () => Promise.resolve(undefined),
      page: () => Promise.resolve([]),
      endpoint: () => '',
    });

  test('partitions of all, each with its worker; a pipeline once, with what they hold together', async () => {
    const drops = [{ partition: 0, reason: 'checksum' as const, at: NOW - 1 }];
    const workers = [
      { worker: 1, instance: 'a-1', state: 'running' as const, pid: 7, restarts: 2, lastEnd: 'killed by SIGKILL' },
    ];
    const processes = [
      view(1, 2, { storeErrors: 1, storeDrops: drops }),
      view(2, 0, { storeErrors: 2, storeDrops: drops, instances }),
    ];
    const get = await serveLooked({ processes, workers });
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
    const well = await serveLooked({ processes: [view(1, 0), view(2, 1)] });
    for (const path of ['/livez', '/readyz', '/startupz']) expect((await well(path)).status).toBe(200);
    const absences = ['worker 2 is started again', 'worker 3 does not answer'];
    const ill = await serveLooked({ processes: [view(1, 0)], absences, silences: absences.slice(1) });
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
    ]).text([{ worker: '1', text: await metricsOf({ ...BLANK, pipelines: () => [pipeline({})] }).metrics() }]);
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
