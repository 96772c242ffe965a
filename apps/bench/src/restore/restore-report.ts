// What a measurement of restoring says. Pure.
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { short, spreadText, textTable } from '../text-table.ts';
import type { RestoreRow } from './restore-benchmark.ts';

export interface RestoreFigures {
  readonly contender: string;
  readonly from: RestoreRow['from'];
  readonly entries: number;
  /** undefined where nothing is read: Kafka Streams opens RocksDB and loads no entry. */
  readonly entriesPerSecond: Spread | undefined;
  readonly entriesPerCpuSecond: Spread | undefined;
  readonly untilRunningMs: Spread;
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

export function restoreFigures({ contender, from, costs }: RestoreRow): RestoreFigures {
  const entries = costs[0]!.entries;
  const delays = costs.flatMap(({ loopDelay }) => loopDelay ?? []);
  const rate = (ms: (cost: RestoreRow['costs'][number]) => number): Spread | undefined =>
    entries === 0 ? undefined : spreadOf(costs.map((cost) => (1_000 * cost.entries) / ms(cost)));
  return {
    ...{ contender, from, entries },
    entriesPerSecond: rate(({ restoreMs }) => restoreMs),
    entriesPerCpuSecond: rate(({ cpuMs }) => cpuMs),
    untilRunningMs: spreadOf(costs.map(({ untilRunningMs }) => untilRunningMs)),
    loopDelay: delays.length === 0 ? undefined : worstDelay(delays),
  };
}

export function restoreText(figures: readonly RestoreFigures[]): string {
  const cell = (spread: Spread | undefined): string => (spread === undefined ? '–' : spreadText(spread));
  const head = ['contender', 'from', 'entries', 'entries/s', 'entries/CPU-s', 'start to running ms', 'loop ms'];
  const rows = figures.map((row) => [
    ...[row.contender, row.from, short(row.entries)],
    ...[row.entriesPerSecond, row.entriesPerCpuSecond, row.untilRunningMs].map(cell),
    loopDelayText(row.loopDelay),
  ]);
  return [
    textTable([head, ...rows]),
    '',
    'entries/s: from the assignment until all partitions run (Kafka Streams: from its first restoration to the end of its last);',
    'CPU: of the whole process from its start until it runs; medians, least to most in brackets.',
    'From its local store Kafka Streams reads no entry: its state stays on disk. A member that has stopped cleanly does not leave',
    'its group: the next one waits for the session to time out (45 s).',
    LOOP_DELAY_NOTE,
    ...restoreGoals(figures),
  ].join('\n');
}

/** One line per goal that what was measured has something to say about. */
export function restoreGoals(figures: readonly RestoreFigures[]): readonly string[] {
  const own = figures.filter(isOurs);
  const peers = figures.filter((row) => !isOurs(row));
  const [store, changelog] = (['local store', 'changelog'] as const).map((from) =>
    own.find((row) => row.from === from),
  );
  const most = (of: (row: RestoreFigures) => number | undefined): number =>
    Math.max(0, ...peers.map((row) => of(row) ?? 0));
  const rate = most(({ entriesPerSecond }) => entriesPerSecond?.median);
  const perCpu = most(({ entriesPerCpuSecond }) => entriesPerCpuSecond?.median);
  const soonest = Math.min(
    ...peers.filter(({ from }) => from === 'local store').map((row) => row.untilRunningMs.median),
  );
  const delays = own.flatMap(({ loopDelay }) => loopDelay ?? []);
  return [
    ...atLeast('local store, entries per CPU second', store?.entriesPerCpuSecond?.median, PER_CPU_SECOND_MIN),
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
      'with what it has on disk, times sooner running than the best peer',
      Number.isFinite(soonest) ? ratio(soonest, store?.untilRunningMs.median ?? 0) : undefined,
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
      return spread === undefined ? [] : [{ label: `${row.contender}, ${row.from}`, ...spread, ours: isOurs(row) }];
    });
  return [
    {
      ...{ name: 'rate', title: 'entries restored per second; more is better' },
      bars: bars(({ entriesPerSecond }) => entriesPerSecond),
    },
    {
      ...{ name: 'running', title: 'from the start until running, ms; less is better' },
      bars: bars(({ untilRunningMs }) => untilRunningMs),
    },
  ];
}
