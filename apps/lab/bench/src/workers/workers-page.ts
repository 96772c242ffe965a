// The page of a measurement of workers. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { ifKnown, medianText, megabytes, rangeText, secondsText, short } from '../text-table.ts';

/** From the moment at which a backlog becomes readable until its results are committed. */
export interface Spent {
  readonly elapsedMs: DurationMs;
  /** All workers together. */
  readonly workersCpuMs: DurationMs;
  readonly supervisorCpuMs: DurationMs;
  /** Undefined if its processes are not visible. */
  readonly brokerCpuMs: DurationMs | undefined;
}

/** Memory of the processes after that, and the cost of a scrape of their metrics. */
export interface Held {
  readonly supervisorBytes: number;
  /** Resident, mean of the workers. */
  readonly workerBytes: number;
  readonly supervisorConnections: number;
  readonly workerConnections: number;
  readonly scrapeBytes: number;
  readonly scrapeMs: DurationMs;
  /** Supervisor and workers together. */
  readonly scrapeCpuMs: DurationMs;
}

export interface WorkersTurn extends Spent, Held {
  readonly what: 'events' | 'closes';
  readonly workers: number;
  readonly count: number;
  /** Shared by workers, supervisor, broker and benchmark. */
  readonly processors: number;
}

/** The project's goal for two workers, with a broker that keeps up. */
const TIMES_ONE_MIN = 1.7;

const { spread, spreads, known } = combine<WorkersTurn>();
const FIGURES = {
  ...spreads(
    'workersCpuMs',
    'supervisorCpuMs',
    'supervisorBytes',
    'workerBytes',
    'supervisorConnections',
    'workerConnections',
    'scrapeBytes',
    'scrapeMs',
    'scrapeCpuMs',
  ),
  perSecond: spread(({ count, elapsedMs }) => (1_000 * count) / elapsedMs),
  perCpuSecond: spread(({ count, workersCpuMs }) => (1_000 * count) / workersCpuMs),
  workersCores: spread(({ workersCpuMs, elapsedMs }) => workersCpuMs / elapsedMs),
  brokerCores: known(({ brokerCpuMs, elapsedMs }) => (brokerCpuMs === undefined ? undefined : brokerCpuMs / elapsedMs)),
};

interface WorkersRow extends Row<WorkersTurn, 'what' | 'workers' | 'processors', typeof FIGURES> {
  /** Relative to one worker, of medians: per second, and per CPU second of the workers. */
  readonly times: number;
  readonly timesPerCpuSecond: number;
  /** `times` if the workers had every processor, and each used as much of one as a single worker does. */
  readonly timesAlone: number;
}

/** @param turns those of the fewest workers first */
export function workersRows(turns: readonly WorkersTurn[]): readonly WorkersRow[] {
  const rows = rowsOf(turns, ['what', 'workers', 'processors'], FIGURES);
  return rows.map((row) => {
    const one = rows.find(({ what }) => what === row.what)!;
    const timesPerCpuSecond = row.perCpuSecond.median / one.perCpuSecond.median;
    const [alone, wanted] = [one.workersCores.median, (row.workers / one.workers) * one.workersCores.median];
    return {
      ...row,
      times: row.perSecond.median / one.perSecond.median,
      timesPerCpuSecond,
      timesAlone: (timesPerCpuSecond * Math.min(wanted, Math.max(alone, row.processors))) / alone,
    };
  });
}

export const WORKERS_PAGE: Page<WorkersRow> = {
  columns: [
    ['workers', ({ workers, what }) => `${workers}, ${what}`],
    ['per second', ({ perSecond }) => medianText(perSecond)],
    ['', ({ perSecond }) => rangeText(perSecond)],
    ['× one', ({ times }) => times.toFixed(2)],
    ['per CPU-s', ({ perCpuSecond }) => medianText(perCpuSecond)],
    ['× one', ({ timesPerCpuSecond }) => timesPerCpuSecond.toFixed(2)],
    ['cores', ({ workersCores }) => workersCores.median.toFixed(2)],
    ["broker's", ({ brokerCores }) => ifKnown(brokerCores, ({ median }) => median.toFixed(2))],
    ['supervisor CPU-s', ({ supervisorCpuMs }) => secondsText(supervisorCpuMs)],
  ],
  note: [
    'From the moment the backlog can be read until all that comes of it is committed; medians, least to most in brackets. per CPU-s:',
    'of the workers. cores: CPU time of the workers, and of the broker, over the time that passed.',
  ].join('\n'),
  more: [
    {
      title: 'held afterwards',
      columns: [
        ['workers', ({ workers, what }) => `${workers}, ${what}`],
        ['a worker', ({ workerBytes }) => megabytes(workerBytes.median)],
        ['supervisor', ({ supervisorBytes }) => megabytes(supervisorBytes.median)],
        [
          'connections',
          ({ workerConnections, supervisorConnections }) =>
            `${workerConnections.median.toFixed(1)} + ${supervisorConnections.median}`,
        ],
        ['scrape ms', ({ scrapeMs }) => scrapeMs.median.toFixed(1)],
        ['scrape CPU-ms', ({ scrapeCpuMs }) => scrapeCpuMs.median.toFixed(1)],
        ['scrape kB', ({ scrapeBytes }) => (scrapeBytes.median / 1_000).toFixed(0)],
      ],
      note: 'connections: to the broker, of a worker + of the supervisor. scrape: metrics of all, CPU time of all.',
    },
  ],
  verdicts: (rows) => rows.filter(({ workers }) => workers > 1).map(goal),
  charts: (rows) => [
    chart(rows, {
      name: 'per-cpu-second',
      title: 'events and closes per CPU second of all workers together; more is better',
      label: ({ workers, what }) => `${what}, ${workers === 1 ? '1 worker' : `${workers} workers`}`,
      isOurs: () => true,
      bar: ({ perCpuSecond }) => perCpuSecond,
    }),
  ],
};

function goal({ what, workers, processors, times, timesAlone, workersCores, brokerCores }: WorkersRow): string {
  const broker = ifKnown(brokerCores, ({ median }) => ` and the broker ${median.toFixed(2)}`, '');
  return (
    `${what} of ${workers} workers: ${short(times)} × one, at least ${TIMES_ONE_MIN}: ${verdict(times >= TIMES_ONE_MIN)}; they had ` +
    `${workersCores.median.toFixed(2)} of ${processors} processors${broker}; with the broker elsewhere ${short(timesAlone)} × ` +
    `(${verdict(timesAlone >= TIMES_ONE_MIN)})`
  );
}
