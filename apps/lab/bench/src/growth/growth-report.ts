// What a measurement of growth says. Pure.
import type { DurationMs } from '@flatline/base';
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { megabytes, short, spreadText, textTable } from '../text-table.ts';
import type { GrowthRow, GrowthSettings, GrowthTurn } from './growth-benchmark.ts';
import type { PacedCost } from './paced-phase.ts';

/** A cost, and the ratio of its median to that of the first population. */
export interface GrownCost extends Spread {
  readonly timesFirst: number;
}

export interface GrowthFigures {
  readonly sessions: number;
  /** As fast as heartbeats are taken. */
  readonly cpuNsPerBeat: GrownCost;
  /** At the same rate in all populations: with what the process costs while nothing comes, and without. */
  readonly pacedCpuNsPerBeat: GrownCost;
  readonly netCpuNsPerBeat: GrownCost;
  /** What really came. */
  readonly pacedBeatsPerSecond: Spread;
  readonly idleCpuMsPerSecond: Spread;
  /** The worst turn, as fast as heartbeats are taken and at the same rate. */
  readonly loopDelay: LoopDelay;
  readonly pacedLoopDelay: LoopDelay;
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
  const grown = (row: GrowthRow, of: (turn: GrowthTurn) => number): GrownCost => {
    const cost = spread(row, of);
    return { ...cost, timesFirst: cost.median / spread(rows[0]!, of).median };
  };
  return rows.map((row) => ({
    sessions: row.sessions,
    cpuNsPerBeat: grown(row, (turn) => turn.cpuNsPerBeat),
    pacedCpuNsPerBeat: grown(row, ({ paced }) => (1e6 * paced.cpuMsPerSecond) / paced.heartbeatsPerSecond),
    netCpuNsPerBeat: grown(row, ({ paced }) => netCpuNs(paced)),
    pacedBeatsPerSecond: spread(row, ({ paced }) => paced.heartbeatsPerSecond),
    idleCpuMsPerSecond: spread(row, ({ paced }) => paced.idleCpuMsPerSecond),
    loopDelay: worstDelay(row.turns.map(({ loopDelay }) => loopDelay)),
    pacedLoopDelay: worstDelay(row.turns.map(({ paced }) => paced.loopDelay)),
    rssBytes: row.filled.memory.rssBytes,
    peakRssBytes: row.filled.peakRssBytes,
    restoreMs: spread(row, (turn) => turn.restoreMs),
    firstCloseMs: spread(row, (turn) => turn.firstCloseMs),
    restoreAfterKillMs: spread(row, (turn) => turn.restoreAfterKillMs),
    firstCloseAfterKillMs: spread(row, (turn) => turn.firstCloseAfterKillMs),
  }));
}

function netCpuNs({ cpuMsPerSecond, idleCpuMsPerSecond, heartbeatsPerSecond }: PacedCost): number {
  return (1e6 * (cpuMsPerSecond - idleCpuMsPerSecond)) / heartbeatsPerSecond;
}

/** One line per goal that the measured populations can decide. */
export function growthGoals(figures: readonly GrowthFigures[]): readonly string[] {
  const goal = (what: string, isMet: boolean): string => `${what}: ${isMet ? 'met' : 'MISSED'}`;
  const at = (sessions: number): readonly GrowthFigures[] => figures.filter((each) => each.sessions === sessions);
  return [
    ...at(GROWN_SESSIONS).flatMap(({ cpuNsPerBeat, pacedCpuNsPerBeat }) => [
      goal(`a heartbeat among 10 M, at full speed, at most ${TIMES_FIRST_MAX} × the first`, isCheap(cpuNsPerBeat)),
      goal(
        `a heartbeat among 10 M, at the same rate, at most ${TIMES_FIRST_MAX} × the first`,
        isCheap(pacedCpuNsPerBeat),
      ),
    ]),
    ...at(FULL_SESSIONS).flatMap((full) => [
      goal('15 M sessions in at most 4 GiB', full.peakRssBytes <= RSS_BYTES_MAX),
      goal('15 M, clean restart to the first close within 20 s', full.firstCloseMs.median <= FIRST_CLOSE_MS_MAX),
      goal('15 M, kill −9 to the first close within 20 s', full.firstCloseAfterKillMs.median <= FIRST_CLOSE_MS_MAX),
    ]),
  ];
}

function isCheap({ timesFirst }: GrownCost): boolean {
  return timesFirst <= TIMES_FIRST_MAX;
}

export function growthText(
  figures: readonly GrowthFigures[],
  { beats, warmUpBeats, beatsPerSecond }: Pick<GrowthSettings, 'beats' | 'warmUpBeats' | 'beatsPerSecond'>,
): string {
  return [
    'CPU ns per bare heartbeat of a random session',
    beatTable(figures, beatsPerSecond),
    '',
    `full speed: ${short(beats)} heartbeats, and ${short(warmUpBeats)} before them to warm up, lie there when the process starts. Of one`,
    'session several come between two commits where sessions are few, and are one image together.',
    `${short(beatsPerSecond)}/s: so many come each second, for 30 s, to a process that restarted before (came/s: what really came).`,
    'Each fetch and commit has few of them, so one costs more than at full speed. net: without what the process takes while nothing',
    'comes (idle, CPU ms per second). × first: to the first population, which is what is judged below.',
    '',
    'the process that holds them',
    processTable(figures),
    '',
    "RSS: after opening all sessions, garbage collected; peak: until then; both with pages of the local store's file.",
    'restore: the slowest partition, from its assignment. to close: from starting the process until a summary of a session that',
    'ended meanwhile is seen by a read_committed reader. killed: the same after kill −9, when the group has to notice first.',
    '',
    'the event loop of that process, ms',
    loopTable(figures, beatsPerSecond),
    '',
    LOOP_DELAY_NOTE,
    ...growthGoals(figures),
    loopDelayVerdict(worstDelay(figures.flatMap(({ loopDelay, pacedLoopDelay }) => [loopDelay, pacedLoopDelay]))),
  ].join('\n');
}

function beatTable(figures: readonly GrowthFigures[], beatsPerSecond: number): string {
  const paced = `${short(beatsPerSecond)}/s`;
  const head = ['live sessions', 'full speed', '× first', paced, '× first', 'net', '× first', 'came/s', 'idle'];
  const cost = (grown: GrownCost): readonly string[] => [spreadText(grown), grown.timesFirst.toFixed(2)];
  const rows = figures.map((row) => [
    short(row.sessions),
    ...cost(row.cpuNsPerBeat),
    ...cost(row.pacedCpuNsPerBeat),
    ...cost(row.netCpuNsPerBeat),
    short(row.pacedBeatsPerSecond.median),
    short(row.idleCpuMsPerSecond.median),
  ]);
  return textTable([head, ...rows]);
}

function loopTable(figures: readonly GrowthFigures[], beatsPerSecond: number): string {
  const head = ['live sessions', 'full speed', `${short(beatsPerSecond)}/s`];
  const rows = figures.map(({ sessions, loopDelay, pacedLoopDelay }) => [
    short(sessions),
    loopDelayText(loopDelay),
    loopDelayText(pacedLoopDelay),
  ]);
  return textTable([head, ...rows]);
}

function processTable(figures: readonly GrowthFigures[]): string {
  const head = ['live sessions', 'RSS', 'peak', 'restore ms', 'to close', 'killed: restore ms', 'to close'];
  const rows = figures.map((row) => [
    short(row.sessions),
    megabytes(row.rssBytes),
    megabytes(row.peakRssBytes),
    ...[row.restoreMs, row.firstCloseMs, row.restoreAfterKillMs, row.firstCloseAfterKillMs].map(spreadText),
  ]);
  return textTable([head, ...rows]);
}

export function growthCharts(figures: readonly GrowthFigures[]): readonly BarChart[] {
  const bars = (of: (figures: GrowthFigures) => Spread): BarChart['bars'] =>
    figures.map((each) => ({ label: `${short(each.sessions)} sessions`, ...of(each), ours: true }));
  return [
    {
      name: 'heartbeat',
      title: 'CPU ns per bare heartbeat at full speed; less is better',
      bars: bars(({ cpuNsPerBeat }) => cpuNsPerBeat),
    },
    {
      name: 'heartbeat-same-rate',
      title: 'CPU ns per bare heartbeat, as many per second in each; less is better',
      bars: bars(({ pacedCpuNsPerBeat }) => pacedCpuNsPerBeat),
    },
    {
      name: 'restart',
      title: 'from a clean restart to the first close, ms; less is better',
      bars: bars(({ firstCloseMs }) => firstCloseMs),
    },
  ];
}
