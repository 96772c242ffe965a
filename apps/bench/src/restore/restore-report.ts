// What a measurement of restoring says. Pure.
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { short, textTable } from '../text-table.ts';
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
  const cell = (spread: Spread | undefined): string =>
    spread === undefined ? '–' : `${short(spread.median)} (${short(spread.min)} – ${short(spread.max)})`;
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
  ].join('\n');
}

export function restoreCharts(figures: readonly RestoreFigures[]): readonly BarChart[] {
  const bars = (of: (figures: RestoreFigures) => Spread | undefined): BarChart['bars'] =>
    figures.flatMap((row) => {
      const spread = of(row);
      return spread === undefined ? [] : [{ label: `${row.contender}, ${row.from}`, ...spread }];
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
