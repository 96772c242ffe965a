// What a measurement of restoring says. Pure.
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf, spreadOfKnown } from '../statistics.ts';
import { short, spreadText, textTable } from '../text-table.ts';
import type { RestoreRow, RestoreTurn } from './restore-benchmark.ts';

export interface RestoreFigures {
  readonly contender: string;
  readonly after: RestoreRow['after'];
  readonly entries: number;
  /** undefined where nothing is read: Kafka Streams opens RocksDB and loads no entry. */
  readonly entriesPerSecond: Spread | undefined;
  readonly entriesPerCpuSecond: Spread | undefined;
  readonly untilRunningMs: Spread;
  readonly cpuMs: Spread;
  /** Undefined where it was not seen in every turn. */
  readonly brokerCpuMs: Spread | undefined;
  /** The worst turn; undefined of a process that is not on Node. */
  readonly loopDelay: LoopDelay | undefined;
}

/** What the project promises: from the local store so many entries per CPU second... */
const PER_CPU_SECOND_MIN = 1_000_000;
/** ...from the changelog so many times what Kafka Streams does, per second and per CPU second... */
const TIMES_RATE_MIN = 3;
const TIMES_PER_CPU_MIN = 5;
/** ...and running again in a tenth of its time. */
const TIMES_SOONER_MIN = 10;

export function restoreFigures({ contender, after, turns }: RestoreRow): RestoreFigures {
  const entries = spreadOf(turns.map((turn) => turn.entries)).median;
  const delays = turns.flatMap(({ loopDelay }) => loopDelay ?? []);
  const rate = (ms: (turn: RestoreTurn) => number): Spread | undefined =>
    turns.some((turn) => turn.entries === 0)
      ? undefined
      : spreadOf(turns.map((turn) => (1_000 * turn.entries) / ms(turn)));
  return {
    contender,
    after,
    entries,
    entriesPerSecond: rate(({ restoreMs }) => restoreMs),
    entriesPerCpuSecond: rate(({ cpuMs }) => cpuMs),
    untilRunningMs: spreadOf(turns.map(({ untilRunningMs }) => untilRunningMs)),
    cpuMs: spreadOf(turns.map(({ cpuMs }) => cpuMs)),
    brokerCpuMs: spreadOfKnown(turns.map(({ brokerCpuMs }) => brokerCpuMs)),
    loopDelay: delays.length === 0 ? undefined : worstDelay(delays),
  };
}

export function restoreText(figures: readonly RestoreFigures[]): string {
  const cell = (spread: Spread | undefined): string => (spread === undefined ? '–' : spreadText(spread));
  const seconds = ({ median, min, max }: Spread): string =>
    min === max ? s(median) : `${s(median)} (${s(min)} – ${s(max)})`;
  const head = [
    'contender',
    'after',
    'entries',
    'entries/s',
    'entries/CPU-s',
    'running after s',
    'CPU s',
    'broker CPU s',
  ];
  const rows = figures.map((row) => [
    row.contender,
    row.after,
    short(row.entries),
    ...[row.entriesPerSecond, row.entriesPerCpuSecond].map(cell),
    seconds(row.untilRunningMs),
    seconds(row.cpuMs),
    row.brokerCpuMs === undefined ? 'n/a' : seconds(row.brokerCpuMs),
    loopDelayText(row.loopDelay),
  ]);
  return [
    textTable([[...head, 'loop ms'], ...rows]),
    '',
    'running after: from the start of the process, at once after the end of the one before, until all partitions run. entries/s: of',
    'what was loaded or read back, from the assignment until all partitions run (Kafka Streams: from its first restoration to the end',
    'of its last); CPU: of the whole process from its start until it runs; medians, least to most in brackets.',
    'entries 0: nothing was read; its state stays on disk and is read as keys come. kill −9: while 20 000 heartbeats a second came.',
    LOOP_DELAY_NOTE,
    ...soonest(figures),
    ...restoreGoals(figures),
  ].join('\n');
}

/** The contender that runs again first, after each kind of end. */
function soonest(figures: readonly RestoreFigures[]): readonly string[] {
  return [...Map.groupBy(figures, ({ after }) => after)].map(([after, rows]) => {
    const [first, ...others] = rows.toSorted((a, b) => a.untilRunningMs.median - b.untilRunningMs.median);
    const behind = others.map(({ contender, untilRunningMs }) => `${contender} ${s(untilRunningMs.median)} s`);
    return `after ${after}: ${first!.contender} first, ${s(first!.untilRunningMs.median)} s; ${behind.join(', ')}`;
  });
}

function s(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** One line per goal that the measurement can decide. */
export function restoreGoals(figures: readonly RestoreFigures[]): readonly string[] {
  const own = figures.filter(isOurs);
  const peers = figures.filter((row) => !isOurs(row));
  const clean = own.find(({ after }) => after === 'clean stop');
  const changelog = own.find(({ after }) => after === 'loss of its disk');
  const most = (of: (row: RestoreFigures) => number | undefined): number =>
    Math.max(0, ...peers.map((row) => of(row) ?? 0));
  const rate = most(({ entriesPerSecond }) => entriesPerSecond?.median);
  const perCpu = most(({ entriesPerCpuSecond }) => entriesPerCpuSecond?.median);
  const first = Math.min(
    ...peers.filter(({ after }) => after === 'clean stop').map((row) => row.untilRunningMs.median),
  );
  const delays = own.flatMap(({ loopDelay }) => loopDelay ?? []);
  return [
    ...atLeast('local store, entries per CPU second', clean?.entriesPerCpuSecond?.median, PER_CPU_SECOND_MIN),
    ...atLeast(
      "changelog, times the best peer's rate",
      ratio(changelog?.entriesPerSecond?.median, rate),
      TIMES_RATE_MIN,
    ),
    ...atLeast(
      "changelog, times the best peer's entries per CPU second",
      ratio(changelog?.entriesPerCpuSecond?.median, perCpu),
      TIMES_PER_CPU_MIN,
    ),
    ...atLeast(
      'after a clean stop, times sooner running than the best peer',
      Number.isFinite(first) ? ratio(first, clean?.untilRunningMs.median ?? 0) : undefined,
      TIMES_SOONER_MIN,
    ),
    ...(delays.length === 0 ? [] : [loopDelayVerdict(worstDelay(delays))]),
  ];
}

function ratio(ours: number | undefined, theirs: number): number | undefined {
  return ours === undefined || theirs === 0 ? undefined : ours / theirs;
}

function atLeast(what: string, value: number | undefined, limit: number): readonly string[] {
  if (value === undefined) return [];
  return [`${what}: ${short(value)} (at least ${short(limit)}: ${value >= limit ? 'met' : 'MISSED'})`];
}

function isOurs({ contender }: RestoreFigures): boolean {
  return contender === 'flatline';
}

export function restoreCharts(figures: readonly RestoreFigures[]): readonly BarChart[] {
  const bars = (of: (figures: RestoreFigures) => Spread | undefined): BarChart['bars'] =>
    figures.flatMap((row) => {
      const spread = of(row);
      return spread === undefined ? [] : [{ label: `${row.contender}, ${row.after}`, ...spread, ours: isOurs(row) }];
    });
  return [
    {
      name: 'rate',
      title: 'entries restored per second; more is better',
      bars: bars(({ entriesPerSecond }) => entriesPerSecond),
    },
    {
      name: 'running',
      title: 'from the start until running, ms; less is better',
      bars: bars(({ untilRunningMs }) => untilRunningMs),
    },
  ];
}
