// How many series a worker has: a Prometheus pays for each of them, of every worker, for as long as it keeps them.
import { expect, test } from '@jest/globals';
import { DurationHistogram } from '@flatline/base';
import { pipeline, serve, standby, task } from './http.fixture.ts';

const PARTITIONS = 64;
const SERIES_MAX = 2_500;
const numbers = Array.from({ length: PARTITIONS }, (_, partition) => partition);
const durations = new DurationHistogram();
durations.add(3);

const probe = { durations: durations.status(), lastMs: 3, stuck: undefined };

function seriesOf(metrics: string): string[] {
  return metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test(`[X5] a worker with ${PARTITIONS} partitions, as many standbys, and probes has at most ${SERIES_MAX} series`, async () => {
  const counters = { ...task({}).counters!, closedWaiting: 0, closedWaitingBytes: 0 };
  const commitDurations = durations.status();
  const tasks = numbers.map((partition) => task({ partition, counters, probe, commitDurations }));
  const standbys = numbers.map((partition) => ({ ...standby, partition: PARTITIONS + partition }));
  const get = await serve([pipeline({ tasks, standbys })]);
  const series = seriesOf(await (await get('/metrics')).text());
  expect(series.length).toBeGreaterThan(2_000);
  expect(series.length).toBeLessThanOrEqual(SERIES_MAX);
});

test('[X5] one partition more has 21 series more, one standby 7, whatever else there is of its pipeline', async () => {
  const count = async (tasks: number, standbys: number): Promise<number> => {
    const get = await serve([
      pipeline({
        tasks: numbers.slice(0, tasks).map((partition) => task({ partition })),
        standbys: numbers.slice(0, standbys).map((partition) => ({ ...standby, partition })),
      }),
    ]);
    // Node's own change from one moment to the next.
    return seriesOf(await (await get('/metrics')).text()).filter((line) => line.startsWith('flatline_')).length;
  };
  const few = await count(1, 1);
  expect([(await count(2, 1)) - few, (await count(1, 2)) - few]).toEqual([21, 7]);
});
