import { describe, expect, test } from '@jest/globals';
import { BLANK, pipeline, serve, standby, task } from './http.fixture.ts';
import { metricsOf } from './metrics.ts';
import type { PipelineStatus } from './observed.ts';

describe('metrics', () => {
  test('[X5] counts and gauges of each task, with a help text each', async () => {
    const get = await serve([
      pipeline({ tasks: [task({}), task({ partition: 1, state: 'restoring', counters: undefined, lag: undefined })] }),
    ]);
    const text = await (await get('/metrics')).text();
    for (const line of [
      'flatline_records_read_total{pipeline="visits",partition="0"} 40',
      'flatline_sessions_closed_total{pipeline="visits",reason="TIMEOUT"} 2',
      'flatline_live_entries{pipeline="visits",partition="1"} 7',
      'flatline_task_state{pipeline="visits",partition="1",state="restoring"} 1',
      'flatline_lag_records{pipeline="visits",partition="0"} 3',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).not.toContain('flatline_lag_records{pipeline="visits",partition="1"}');
  });

  test('[X5] names and units by the conventions: a counter ends in _total, no time is in milliseconds', async () => {
    const text = await (await (await serve([pipeline({ standbys: [standby] })]))('/metrics')).text();
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
    for (const { name, type } of types) {
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect([name, name.includes(type)]).toEqual([name, false]);
    }
    const own = types.filter(({ name }) => name.startsWith('flatline_'));
    expect(own.length).toBeGreaterThan(30);
    expect(own.filter(({ name }) => /milli|_ms|p99/.test(name))).toEqual([]);
    expect(text).toMatch(/^flatline_build_info\{version="1.2.3",application="shop",node="24[\d.]+"\} 1$/m);
  });

  test('[X5] a scrape of 64 partitions and as many standbys lets the loop turn at least every eight metrics', async () => {
    const numbers = Array.from({ length: 64 }, (_, partition) => partition);
    const tasks = numbers.map((partition) => task({ partition }));
    const standbys = numbers.map((partition) => ({ ...standby, partition: 64 + partition }));
    let turns = 0;
    const metrics = metricsOf({ ...BLANK, pipelines: () => [pipeline({ tasks, standbys })] }, () => {
      turns += 1;
      return Promise.resolve();
    });
    const text = await metrics.metrics();
    expect(text.split('\n').length).toBeGreaterThan(2_000);
    expect(turns).toBeGreaterThanOrEqual(Math.floor(text.match(/^# TYPE /gm)!.length / 8));
  });

  test('the close delay is a histogram in seconds', async () => {
    const text = await (await (await serve([pipeline({})]))('/metrics')).text();
    const of = '{pipeline="visits"}';
    for (const line of [
      '# TYPE flatline_close_delay_seconds histogram',
      'flatline_close_delay_seconds_bucket{le="0.005",pipeline="visits"} 2',
      'flatline_close_delay_seconds_bucket{le="0.05",pipeline="visits"} 3',
      'flatline_close_delay_seconds_bucket{le="300",pipeline="visits"} 3',
      'flatline_close_delay_seconds_bucket{le="+Inf",pipeline="visits"} 4',
      `flatline_close_delay_seconds_sum${of} 400.034`,
      `flatline_close_delay_seconds_count${of} 4`,
      'flatline_lateness_seconds_bucket{le="0",pipeline="visits"} 1',
      'flatline_lateness_seconds_bucket{le="60",pipeline="visits"} 2',
      `flatline_lateness_seconds_sum${of} 120`,
      `flatline_late_records_total${of} 1`,
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('[C7][S8] of several inputs, lateness is told of each that producers stamp', async () => {
    const { lateness } = task({});
    const of = { clock: 0, position: 0, lag: 0 };
    const inputs = [
      { ...of, topic: 'beats', lateness: undefined },
      { ...of, topic: 'rows', lateness },
    ];
    const tasks = [task({ lateness: undefined, inputs })];
    const text = await (await (await serve([pipeline({ tasks })]))('/metrics')).text();
    const said = text.split('\n').filter((line) => line.startsWith('flatline_lateness_seconds_count'));
    expect(said).toEqual(['flatline_lateness_seconds_count{pipeline="visits",topic="rows"} 3']);
  });

  test('[X5] are read from one look at the tasks: dozens of looks would hold up what they measure', async () => {
    let looks = 0;
    const pipelines = (): PipelineStatus[] => {
      looks += 1;
      return [pipeline({})];
    };
    const get = await serve([], { pipelines });
    expect(await (await get('/metrics')).text()).toContain('flatline_live_entries{pipeline="visits",partition="0"} 7');
    expect(looks).toBe(1);
  });

  test('[X5] flatline_ready says what /readyz says', async () => {
    const readyOf = async (pipelines: PipelineStatus[]): Promise<string[]> => {
      const get = await serve(pipelines);
      const [line = ''] = (await (await get('/metrics')).text()).match(/^flatline_ready .*$/m) ?? [];
      return [line, String((await get('/readyz')).status)];
    };
    expect(await readyOf([pipeline({})])).toEqual(['flatline_ready 1', '200']);
    const restoring = pipeline({ ready: false, tasks: [task({ state: 'restoring' })] });
    expect(await readyOf([restoring])).toEqual(['flatline_ready 0', '503']);
    const stopped = pipeline({ ready: false, failure: 'the input has more partitions', tasks: [] });
    expect(await readyOf([pipeline({}), stopped])).toEqual(['flatline_ready 0', '503']);
  });

  test('[X5][N4] deliveries are told of by pipeline and endpoint: sums of all partitions, and the worst breaker', async () => {
    const counters = { delivered: 5, attemptsFailed: 4, givenUp: 3, parked: 2, superseded: 1 };
    const status = { pipeline: 'visits', partition: 1, endpoint: 'crm', counters, underWay: 7, ready: 8 };
    const well = { ...status, partition: 2, breaker: 'closed' as const };
    const get = await serve([], { deliveries: () => [{ ...status, breaker: 'disabled' }, well] });
    const text = await (await get('/metrics')).text();
    const of = '{pipeline="visits",endpoint="crm"}';
    for (const line of [
      `flatline_deliveries_total${of} 10`,
      `flatline_delivery_attempts_failed_total${of} 8`,
      `flatline_deliveries_given_up_total${of} 6`,
      `flatline_deliveries_parked_total${of} 4`,
      `flatline_deliveries_superseded_total${of} 2`,
      `flatline_deliveries_under_way${of} 14`,
      `flatline_deliveries_ready${of} 16`,
      `flatline_endpoint_breaker${of} 2`,
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('[X5] counts of a pipeline go on where a partition moves away, and each kind has its own alone', async () => {
    let tasks = [task({}), task({ partition: 1 })];
    const get = await serve([], { pipelines: () => [pipeline({ tasks })] });
    const read = async (name: string): Promise<string[]> =>
      (await (await get('/metrics')).text()).split('\n').filter((line) => line.startsWith(`${name}{`));
    expect(await read('flatline_sessions_opened_total')).toEqual([
      'flatline_sessions_opened_total{pipeline="visits"} 18',
    ]);
    tasks = [task({})];
    expect(await read('flatline_sessions_opened_total')).toEqual([
      'flatline_sessions_opened_total{pipeline="visits"} 18',
    ]);
    expect(await read('flatline_close_delay_seconds_count')).toEqual([
      'flatline_close_delay_seconds_count{pipeline="visits"} 8',
    ]);
    expect(await read('flatline_leases_granted_total')).toEqual([]);
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
