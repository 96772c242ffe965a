// The page of a measurement of growth. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, loopVerdict, type Page, rowsOf, verdict } from '../frame/page.ts';
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText } from '../loop-delay.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import type { BarChart } from '../report/bar-chart.ts';
import type { Spread } from '../statistics.ts';
import { medianText, megabytes, short, spreadText } from '../text-table.ts';

export interface PacedCost {
  readonly heartbeatsPerSecond: number;
  /** CPU of the whole process per second, under this load and, afterwards, without any. */
  readonly cpuMsPerSecond: DurationMs;
  readonly idleCpuMsPerSecond: DurationMs;
  /** Under the load. */
  readonly loopDelay: LoopDelay;
}

export interface GrowthTurn {
  /** At full speed. */
  readonly cpuNsPerBeat: number;
  /** Over the same time. */
  readonly loopDelay: LoopDelay;
  readonly paced: PacedCost;
  /** From the start, after a clean stop, until the slowest partition had loaded, and to the first close. */
  readonly restoreMs: DurationMs;
  readonly firstCloseMs: DurationMs;
  /** The same after kill −9: the group must notice first. */
  readonly restoreAfterKillMs: DurationMs;
  readonly firstCloseAfterKillMs: DurationMs;
}

export interface GrowthTurns {
  readonly sessions: number;
  /** After opening all of them. */
  readonly filled: InstanceAnswer;
  readonly turns: readonly GrowthTurn[];
}

/** The project's goals: a heartbeat among 10 million costs at most this multiple of one among 100 thousand... */
const TIMES_FIRST_MAX = 2;
const GROWN_SESSIONS = 10_000_000;
/** ...and 15 million sessions on one instance need no more than this, and are back within... */
const FULL_SESSIONS = 15_000_000;
const RSS_BYTES_MAX = 4 * 2 ** 30;
const FIRST_CLOSE_MS_MAX: DurationMs = 20_000;

/** A cost, and the ratio of its median to that of the first population. */
interface GrownCost extends Spread {
  readonly timesFirst: number;
}

const { spread, spreads, worst } = combine<GrowthTurn>();
const FIGURES = {
  /** The rate actually achieved. */
  pacedBeatsPerSecond: spread(({ paced }) => paced.heartbeatsPerSecond),
  idleCpuMsPerSecond: spread(({ paced }) => paced.idleCpuMsPerSecond),
  /** At full speed, and at the same rate. */
  loopDelay: worst(({ loopDelay }) => loopDelay),
  pacedLoopDelay: worst(({ paced }) => paced.loopDelay),
  ...spreads('restoreMs', 'firstCloseMs', 'restoreAfterKillMs', 'firstCloseAfterKillMs'),
};
type GrowthRow = ReturnType<typeof growthRows>[number];

export function growthRows(measured: readonly GrowthTurns[]) {
  return measured.map(({ sessions, filled, turns }) => {
    const grown = (of: (turn: GrowthTurn) => number): GrownCost => {
      const cost = spread(of)(turns);
      return { ...cost, timesFirst: cost.median / spread(of)(measured[0]!.turns).median };
    };
    return {
      sessions,
      /** At full speed. */
      cpuNsPerBeat: grown(({ cpuNsPerBeat }) => cpuNsPerBeat),
      /** At the same rate in all populations: including the cost of the process while nothing comes, and without it. */
      pacedCpuNsPerBeat: grown(({ paced }) => (1e6 * paced.cpuMsPerSecond) / paced.heartbeatsPerSecond),
      netCpuNsPerBeat: grown(({ paced }) => netCpuNs(paced)),
      ...rowsOf<GrowthTurn, never, typeof FIGURES>(turns, [], FIGURES)[0]!,
      rssBytes: filled.memory.rssBytes,
      peakRssBytes: filled.peakRssBytes,
    };
  });
}

function netCpuNs({ cpuMsPerSecond, idleCpuMsPerSecond, heartbeatsPerSecond }: PacedCost): number {
  return (1e6 * (cpuMsPerSecond - idleCpuMsPerSecond)) / heartbeatsPerSecond;
}

interface Beats {
  readonly beats: number;
  readonly warmUpBeats: number;
  readonly beatsPerSecond: number;
  /** At that rate. */
  readonly measuredMs: DurationMs;
}

export function growthPage({ beats, warmUpBeats, beatsPerSecond, measuredMs }: Beats): Page<GrowthRow> {
  const atRate = `${short(beatsPerSecond)}/s`;
  const times = ({ timesFirst }: GrownCost): string => timesFirst.toFixed(2);
  const sessions = ['live sessions', (row: GrowthRow) => short(row.sessions)] as const;
  return {
    title: 'CPU ns per bare heartbeat of a random session',
    columns: [
      sessions,
      ['full speed', ({ cpuNsPerBeat }) => spreadText(cpuNsPerBeat)],
      ['× first', ({ cpuNsPerBeat }) => times(cpuNsPerBeat)],
      [atRate, ({ pacedCpuNsPerBeat }) => spreadText(pacedCpuNsPerBeat)],
      ['× first', ({ pacedCpuNsPerBeat }) => times(pacedCpuNsPerBeat)],
      ['net', ({ netCpuNsPerBeat }) => spreadText(netCpuNsPerBeat)],
      ['× first', ({ netCpuNsPerBeat }) => times(netCpuNsPerBeat)],
      ['came/s', ({ pacedBeatsPerSecond }) => medianText(pacedBeatsPerSecond)],
      ['idle', ({ idleCpuMsPerSecond }) => medianText(idleCpuMsPerSecond)],
    ],
    note: [
      `full speed: ${short(beats)} heartbeats, and ${short(warmUpBeats)} before them to warm up, lie there when the process starts. Of one`,
      'session several come between two commits where sessions are few, and are one image together.',
      `${atRate}: so many come each second, for ${measuredMs / 1_000} s, to a process that restarted before (came/s: what really came).`,
      'Each fetch and commit has few of them, so one costs more than at full speed. net: without what the process takes while nothing',
      'comes (idle, CPU ms per second). × first: to the first population, which is what is judged below.',
    ].join('\n'),
    more: [
      {
        title: 'the process that holds them',
        columns: [
          sessions,
          ['RSS', ({ rssBytes }) => megabytes(rssBytes)],
          ['peak', ({ peakRssBytes }) => megabytes(peakRssBytes)],
          ['restore ms', ({ restoreMs }) => spreadText(restoreMs)],
          ['to close', ({ firstCloseMs }) => spreadText(firstCloseMs)],
          ['killed: restore ms', ({ restoreAfterKillMs }) => spreadText(restoreAfterKillMs)],
          ['to close', ({ firstCloseAfterKillMs }) => spreadText(firstCloseAfterKillMs)],
        ],
        note: [
          "RSS: after opening all sessions, garbage collected; peak: until then; both with pages of the local store's file.",
          'restore: the slowest partition, from its assignment. to close: from starting the process until a summary of a session that',
          'ended meanwhile is seen by a read_committed reader. killed: the same after kill −9, when the group has to notice first.',
        ].join('\n'),
      },
      {
        title: 'the event loop of that process, ms',
        columns: [
          sessions,
          ['full speed', ({ loopDelay }) => loopDelayText(loopDelay)],
          [atRate, ({ pacedLoopDelay }) => loopDelayText(pacedLoopDelay)],
        ],
        note: LOOP_DELAY_NOTE,
      },
    ],
    verdicts: (rows) => [
      ...growthGoals(rows),
      ...loopVerdict(rows.flatMap(({ loopDelay, pacedLoopDelay }) => [loopDelay, pacedLoopDelay])),
    ],
    charts: growthCharts,
  };
}

/** One line per goal that the measured populations can decide. */
export function growthGoals(rows: readonly GrowthRow[]): readonly string[] {
  const goal = (what: string, isMet: boolean): string => `${what}: ${verdict(isMet)}`;
  const cheap = (speed: string, { timesFirst }: GrownCost): string =>
    goal(`a heartbeat among 10 M, at ${speed}, at most ${TIMES_FIRST_MAX} × the first`, timesFirst <= TIMES_FIRST_MAX);
  const soon = (what: string, { median }: Spread): string =>
    goal(`15 M, ${what} to the first close within 20 s`, median <= FIRST_CLOSE_MS_MAX);
  return rows.flatMap((row) => {
    if (row.sessions === GROWN_SESSIONS)
      return [cheap('full speed', row.cpuNsPerBeat), cheap('the same rate', row.pacedCpuNsPerBeat)];
    if (row.sessions !== FULL_SESSIONS) return [];
    return [
      goal('15 M sessions in at most 4 GiB', row.peakRssBytes <= RSS_BYTES_MAX),
      soon('clean restart', row.firstCloseMs),
      soon('kill −9', row.firstCloseAfterKillMs),
    ];
  });
}

function growthCharts(rows: readonly GrowthRow[]): readonly BarChart[] {
  const drawn = (name: string, title: string, bar: (row: GrowthRow) => Spread): BarChart => {
    const label = ({ sessions }: GrowthRow): string => `${short(sessions)} sessions`;
    return chart(rows, { name, title: `${title}; less is better`, label, bar, isOurs: () => true });
  };
  return [
    drawn('heartbeat', 'CPU ns per bare heartbeat at full speed', (row) => row.cpuNsPerBeat),
    drawn(
      'heartbeat-same-rate',
      'CPU ns per bare heartbeat, as many per second in each',
      (row) => row.pacedCpuNsPerBeat,
    ),
    drawn('restart', 'from a clean restart to the first close, ms', (row) => row.firstCloseMs),
  ];
}
