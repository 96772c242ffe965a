// Windows of statistics over HTTP, and as metrics (S12).
import { describe, expect, test } from '@jest/globals';
import { DurationSketch } from '@flatline/kinds/session';
import { pipeline, serve, task } from './http.fixture.ts';

function shown(windowStart: number, plan: string, durations: readonly number[], active: number) {
  const sketch = new DurationSketch();
  for (const ms of durations) sketch.add(ms);
  const sum = durations.reduce((total, ms) => total + ms, 0);
  const bounds = { min: Math.min(...durations), max: Math.max(...durations) };
  const duration = { count: durations.length, sum, ...bounds, sketch: Buffer.from(sketch.encode()).toString('base64') };
  const counts = { opened: 4, closed: durations.length, active };
  const byReason = { TIMEOUT: durations.length, ENDED: 0, MAX_DURATION: 0 };
  return {
    windowStart,
    windowEnd: windowStart + 60_000,
    ...counts,
    durationSum: sum,
    cells: [{ dimensions: { plan }, ...counts, byReason, duration }],
  };
}

const tasks = [
  task({ partition: 0, kept: [shown(120_000, 'pro', [10, 20], 3)] }),
  task({ partition: 1, kept: [shown(120_000, 'pro', [30], 4)] }),
  task({ partition: 2, kept: [shown(60_000, 'pro', [40], 5)] }),
];

describe('statistics', () => {
  test('[S12] the newest window of each length, of the partitions that have said it, added up', async () => {
    const get = await serve([pipeline({ tasks })]);
    const answer = (await (await get('/api/v1/stats/visits')).json()) as { windows: unknown[] };
    expect(answer).toMatchObject({
      pipeline: 'visits',
      windows: [
        {
          windowStart: 120_000,
          windowEnd: 180_000,
          partitions: [0, 1],
          opened: 8,
          closed: 3,
          active: 7,
          truncated: false,
          cells: [
            {
              dimensions: { plan: 'pro' },
              byReason: { TIMEOUT: 3 },
              duration: { count: 3, sum: 60, min: 10, max: 30, p50: 20 },
            },
          ],
        },
      ],
    });
    expect(answer.windows).toHaveLength(1);
  });

  test('[S12] no pipeline of that name, and one that says none', async () => {
    const get = await serve([pipeline({})]);
    expect((await get('/api/v1/stats/other')).status).toBe(404);
    expect(await (await get('/api/v1/stats/visits')).json()).toMatchObject({ windows: [] });
  });

  test('[S12] as metrics, by length of the window', async () => {
    const text = await (await (await serve([pipeline({ tasks })]))('/metrics')).text();
    for (const line of [
      'flatline_stats_opened{pipeline="visits",partition="0",window="60"} 4',
      'flatline_stats_active{pipeline="visits",partition="1",window="60"} 4',
      'flatline_stats_window_end_timestamp_seconds{pipeline="visits",partition="2",window="60"} 120',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('[S12] partitions are listed without them', async () => {
    const text = await (await (await serve([pipeline({ tasks })]))('/api/v1/partitions')).text();
    expect(text).not.toContain('sketch');
  });
});
