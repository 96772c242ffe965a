// The page of a measurement of restoring. Pure.
import type { DurationMs } from '@flatline/base';
import type { BrokerSpent } from '../broker-cpu.ts';
import { chart, combine, loopVerdict, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { COMPILING, COMPILING_NOTE } from '../frame/warm-broker.ts';
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText } from '../loop-delay.ts';
import type { Spread } from '../statistics.ts';
import { ifKnown, seconds, secondsText, short, spreadText } from '../text-table.ts';

/** How its predecessor ended. `kill −9`: while heartbeats come; `loss of its disk`: cleanly, but its state directory is gone. */
export type EndBefore = 'clean stop' | 'kill −9' | 'loss of its disk';

/** Cost of starting again, in a separate process. */
export interface RestoreCost {
  /** Live entries, or records read back. */
  readonly entries: number;
  /** From the assignment to running, slowest partition; for Kafka Streams from the start of the first restoration to the end of the last. */
  readonly restoreMs: DurationMs;
  /** From the spawn of its process, as a user waits for it, including joining the group. */
  readonly untilRunningMs: DurationMs;
  /** Part of it until its code was loaded and its work began. */
  readonly loadingMs: DurationMs;
  /** Over the former span, all threads of the process. */
  readonly cpuMs: DurationMs;
  /** Part of it after its code was loaded. */
  readonly workCpuMs: DurationMs;
  /** After loading, of a process on Node. */
  readonly loopDelay?: LoopDelay | undefined;
}

/** One turn, and what the broker took from the start until it ran, seen by the process that started it. */
export interface RestoreTurn extends RestoreCost, BrokerSpent {}

/** All turns of a contender after one kind of end. */
export interface RestoreTurns {
  readonly contender: string;
  readonly after: EndBefore;
  readonly turns: readonly RestoreTurn[];
}

/** The project's goals: from the local store this many entries per CPU second... */
const PER_CPU_SECOND_MIN = 1_000_000;
/** ...from the changelog this multiple of Kafka Streams' rate, per second and per CPU second... */
const TIMES_RATE_MIN = 3;
const TIMES_PER_CPU_MIN = 5;
/** ...and running again in a tenth of its time. */
const TIMES_SOONER_MIN = 10;

type Turn = RestoreTurn & Pick<RestoreTurns, 'contender' | 'after'>;
const { spread, spreads, known, knowns, worst } = combine<Turn>();
const entries = spread((turn) => turn.entries);
/** Undefined if nothing is read: Kafka Streams opens RocksDB and loads no entry. */
const rate = (ms: (turn: Turn) => DurationMs): ((turns: readonly Turn[]) => Spread | undefined) =>
  known((turn) => (turn.entries === 0 ? undefined : (1_000 * turn.entries) / ms(turn)));
const FIGURES = {
  entries: (turns: readonly Turn[]) => entries(turns).median,
  entriesPerSecond: rate(({ restoreMs }) => restoreMs),
  entriesPerCpuSecond: rate(({ workCpuMs }) => workCpuMs),
  ...spreads('untilRunningMs', 'loadingMs', 'cpuMs'),
  ...knowns('brokerCpuMs', 'brokerCompilingMs'),
  loopDelay: worst(({ loopDelay }) => loopDelay),
};
type RestoreRow = Row<Turn, 'contender' | 'after', typeof FIGURES>;

export function restoreRows(measured: readonly RestoreTurns[]): readonly RestoreRow[] {
  const turns = measured.flatMap(({ contender, after, turns: each }) =>
    each.map((turn) => ({ contender, after, ...turn })),
  );
  return rowsOf<Turn, 'contender' | 'after', typeof FIGURES>(turns, ['contender', 'after'], FIGURES);
}

export const RESTORE_PAGE: Page<RestoreRow> = {
  columns: [
    ['contender', ({ contender }) => contender],
    ['after', ({ after }) => after],
    ['entries', (row) => short(row.entries)],
    ['entries/s', ({ entriesPerSecond }) => ifKnown(entriesPerSecond, spreadText, '–')],
    ['entries/CPU-s', ({ entriesPerCpuSecond }) => ifKnown(entriesPerCpuSecond, spreadText, '–')],
    ['running after s', ({ untilRunningMs }) => secondsText(untilRunningMs)],
    ['of it loading', ({ loadingMs }) => seconds(loadingMs.median)],
    ['CPU s', ({ cpuMs }) => secondsText(cpuMs)],
    ['broker CPU s', ({ brokerCpuMs }) => ifKnown(brokerCpuMs, secondsText)],
    COMPILING,
    ['loop ms', ({ loopDelay }) => loopDelayText(loopDelay)],
  ],
  note: [
    'running after: from the spawn of the process, at once after the end of the one before, until all partitions run; of it loading:',
    'before its work begins (Flatline is run from its sources, which load slower than the package). entries/s: of what was loaded or',
    'read back, from the assignment until all partitions run (Kafka Streams: from its first restoration to the end of its last). CPU:',
    'of the whole process from its spawn until it runs; entries/CPU-s: without loading; medians, least to most in brackets.',
    'entries 0: nothing was read; its state stays on disk and is read as keys come. kill −9: while 20 000 heartbeats a second came.',
    COMPILING_NOTE,
    LOOP_DELAY_NOTE,
  ].join('\n'),
  verdicts: (rows) => [...soonest(rows), ...restoreGoals(rows)],
  charts: (rows) => [
    chart(rows, {
      name: 'rate',
      title: 'entries restored per second; more is better',
      label,
      isOurs,
      bar: ({ entriesPerSecond }) => entriesPerSecond,
    }),
    chart(rows, {
      name: 'running',
      title: 'from the spawn of its process until running, ms; less is better',
      label,
      isOurs,
      bar: ({ untilRunningMs }) => untilRunningMs,
    }),
  ],
};

/** The contender that runs again first, after each kind of end. */
function soonest(rows: readonly RestoreRow[]): readonly string[] {
  return [...Map.groupBy(rows, ({ after }) => after)].map(([after, alike]) => {
    const [first, ...others] = alike.toSorted((a, b) => a.untilRunningMs.median - b.untilRunningMs.median);
    const behind = others.map(({ contender, untilRunningMs }) => `${contender} ${seconds(untilRunningMs.median)} s`);
    return `after ${after}: ${first!.contender} first, ${seconds(first!.untilRunningMs.median)} s; ${behind.join(', ')}`;
  });
}

/** One line per goal that the measurement can decide. */
export function restoreGoals(rows: readonly RestoreRow[]): readonly string[] {
  const own = rows.filter(isOurs);
  const peers = rows.filter((row) => !isOurs(row));
  const clean = own.find(({ after }) => after === 'clean stop');
  const changelog = own.find(({ after }) => after === 'loss of its disk');
  const most = (of: (row: RestoreRow) => Spread | undefined): number =>
    Math.max(0, ...peers.map((row) => of(row)?.median ?? 0));
  const fastest = most(({ entriesPerSecond }) => entriesPerSecond);
  const cheapest = most(({ entriesPerCpuSecond }) => entriesPerCpuSecond);
  const stopped = peers.filter(({ after }) => after === 'clean stop').map((row) => row.untilRunningMs.median);
  const sooner = stopped.length === 0 ? undefined : ratio(Math.min(...stopped), clean?.untilRunningMs.median ?? 0);
  const perCpu = ratio(changelog?.entriesPerCpuSecond?.median, cheapest);
  return [
    ...atLeast('local store, entries per CPU second', clean?.entriesPerCpuSecond?.median, PER_CPU_SECOND_MIN),
    ...atLeast(
      "changelog, times the best peer's rate",
      ratio(changelog?.entriesPerSecond?.median, fastest),
      TIMES_RATE_MIN,
    ),
    ...atLeast("changelog, times the best peer's entries per CPU second", perCpu, TIMES_PER_CPU_MIN),
    ...atLeast('after a clean stop, times sooner running than the best peer', sooner, TIMES_SOONER_MIN),
    ...loopVerdict(own.map(({ loopDelay }) => loopDelay)),
  ];
}

function ratio(ours: number | undefined, theirs: number): number | undefined {
  return ours === undefined || theirs === 0 ? undefined : ours / theirs;
}

function atLeast(what: string, value: number | undefined, limit: number): readonly string[] {
  return value === undefined ? [] : [`${what}: ${short(value)} (at least ${short(limit)}: ${verdict(value >= limit)})`];
}

function label({ contender, after }: RestoreRow): string {
  return `${contender}, ${after}`;
}

function isOurs({ contender }: RestoreRow): boolean {
  return contender.startsWith('flatline');
}
