import { expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { WORKERS_PAGE, workersRows, type WorkersTurn } from './workers-page.ts';

const HELD = {
  supervisorBytes: 90e6,
  workerBytes: 250e6,
  supervisorConnections: 1,
  workerConnections: 6,
  scrapeBytes: 20_000,
  scrapeMs: 8,
  scrapeCpuMs: 5,
};

const turn = (what: WorkersTurn['what'], workers: number, elapsedMs: number, workersCpuMs: number): WorkersTurn => ({
  what,
  workers,
  count: 1_000_000,
  processors: 2,
  elapsedMs,
  workersCpuMs,
  supervisorCpuMs: 10,
  brokerCpuMs: elapsedMs / 2,
  ...HELD,
});

test('two workers are compared with one at the same work, and with what they could do without the broker', () => {
  const rows = workersRows([
    turn('events', 1, 1_000, 1_000),
    turn('closes', 1, 2_000, 1_600),
    turn('events', 2, 800, 1_200),
    turn('closes', 2, 1_000, 1_600),
  ]);
  expect(rows.map(({ what, workers, times, timesAlone }) => [what, workers, times, timesAlone])).toEqual([
    ['events', 1, 1, 1],
    ['closes', 1, 1, 1],
    // A CPU second gets 5/6 of one worker's work done, and two processors have twice as many of them.
    ['events', 2, 1.25, expect.closeTo(5 / 3)],
    ['closes', 2, 2, 2],
  ]);
  const text = pageText(WORKERS_PAGE, rows);
  expect(text).toMatch(/^2, events +1\.25 M +1\.25 +833 k +0\.83 +1\.50 +0\.50 +0\.0$/m);
  expect(text).toContain(
    'events of 2 workers: 1.25 × one, at least 1.7: MISSED; they had 1.50 of 2 processors and the broker 0.50; with the broker ' +
      'elsewhere 1.67 × (MISSED)',
  );
  expect(text).toContain('closes of 2 workers: 2.00 × one, at least 1.7: met;');
});

test('one worker that takes more than a processor leaves less of two for the other', () => {
  const [, two] = workersRows([turn('events', 1, 1_000, 1_250), turn('events', 2, 625, 1_250)]);
  expect(two!.timesAlone).toBeCloseTo(1.6);
});
