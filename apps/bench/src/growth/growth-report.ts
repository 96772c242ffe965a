// What a measurement of growth says. Pure.
import type { DurationMs } from '@flatline/base';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { megabytes, short, textTable } from '../text-table.ts';
import type { GrowthRow, GrowthTurn } from './growth-benchmark.ts';

export interface GrowthFigures {
  readonly sessions: number;
  readonly cpuNsPerBeat: Spread;
  /** Of medians: to that of the first population. */
  readonly timesFirst: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly restoreMs: Spread;
  readonly firstCloseMs: Spread;
  readonly restoreAfterKillMs: Spread;
  readonly firstCloseAfterKillMs: Spread;
}

/** What the project promises: a heartbeat among 10 million costs at most so many times one among 100 thousand... */
const TIMES_FIRST_MAX = 2;
const GROWN_SESSIONS = 10_000_000;
/** ...and 15 million sessions on one instance need no more than this, and are there again within... */
const FULL_SESSIONS = 15_000_000;
const RSS_BYTES_MAX = 4 * 2 ** 30;
const FIRST_CLOSE_MS_MAX: DurationMs = 20_000;

export function growthFigures(rows: readonly GrowthRow[]): readonly GrowthFigures[] {
  const spread = ({ turns }: GrowthRow, of: (turn: GrowthTurn) => number): Spread => spreadOf(turns.map(of));
  const first = spread(rows[0]!, ({ cpuNsPerBeat }) => cpuNsPerBeat).median;
  return rows.map((row) => {
    const cpuNsPerBeat = spread(row, (turn) => turn.cpuNsPerBeat);
    return {
      ...{ sessions: row.sessions, cpuNsPerBeat, timesFirst: cpuNsPerBeat.median / first },
      ...{ rssBytes: row.filled.memory.rssBytes, peakRssBytes: row.filled.peakRssBytes },
      restoreMs: spread(row, (turn) => turn.restoreMs),
      firstCloseMs: spread(row, (turn) => turn.firstCloseMs),
      restoreAfterKillMs: spread(row, (turn) => turn.restoreAfterKillMs),
      firstCloseAfterKillMs: spread(row, (turn) => turn.firstCloseAfterKillMs),
    };
  });
}

/** One line per goal that the populations measured have something to say about. */
export function growthGoals(figures: readonly GrowthFigures[]): readonly string[] {
  const goal = (what: string, isMet: boolean): string => `${what}: ${isMet ? 'met' : 'MISSED'}`;
  const at = (sessions: number): readonly GrowthFigures[] => figures.filter((each) => each.sessions === sessions);
  return [
    ...at(GROWN_SESSIONS).map(({ timesFirst }) =>
      goal(`a heartbeat among 10 M at most ${TIMES_FIRST_MAX} × the first`, timesFirst <= TIMES_FIRST_MAX),
    ),
    ...at(FULL_SESSIONS).flatMap((full) => [
      goal('15 M sessions in at most 4 GiB', full.peakRssBytes <= RSS_BYTES_MAX),
      goal('15 M, clean restart to the first close within 20 s', full.firstCloseMs.median <= FIRST_CLOSE_MS_MAX),
      goal('15 M, kill −9 to the first close within 20 s', full.firstCloseAfterKillMs.median <= FIRST_CLOSE_MS_MAX),
    ]),
  ];
}

export function growthText(figures: readonly GrowthFigures[], beats: number): string {
  const range = ({ median, min, max }: Spread): string => `${short(median)} (${short(min)} – ${short(max)})`;
  const head = [
    'live sessions',
    'CPU ns/beat',
    '× first',
    'RSS',
    'peak',
    'restore ms',
    'to close',
    'killed',
    'to close',
  ];
  const rows = figures.map((row) => [
    ...[short(row.sessions), range(row.cpuNsPerBeat), row.timesFirst.toFixed(2)],
    ...[row.rssBytes, row.peakRssBytes].map(megabytes),
    ...[row.restoreMs, row.firstCloseMs, row.restoreAfterKillMs, row.firstCloseAfterKillMs].map(range),
  ]);
  return [
    textTable([head, ...rows]),
    '',
    `CPU of the whole process over ${short(beats)} bare heartbeats of random sessions, from the first to the last commit. RSS: after`,
    "opening all sessions, garbage collected; peak: until then, pages of the local store's file included.",
    'Restore: the slowest partition, from its assignment. To close: from starting the process until a summary of a session that',
    'ended meanwhile is seen by a read_committed reader. Killed: the same after kill −9, when the group has to notice first.',
    ...growthGoals(figures),
  ].join('\n');
}

export function growthCharts(figures: readonly GrowthFigures[]): readonly BarChart[] {
  const bars = (of: (figures: GrowthFigures) => Spread): BarChart['bars'] =>
    figures.map((each) => ({ label: `${short(each.sessions)} sessions`, ...of(each) }));
  return [
    {
      ...{ name: 'heartbeat', title: 'CPU ns per bare heartbeat; less is better' },
      bars: bars(({ cpuNsPerBeat }) => cpuNsPerBeat),
    },
    {
      ...{ name: 'restart', title: 'from a clean restart to the first close, ms; less is better' },
      bars: bars(({ firstCloseMs }) => firstCloseMs),
    },
  ];
}
