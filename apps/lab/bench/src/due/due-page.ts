// The page of a measurement of messages, or other entries, that wait and are due together. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { COMPILING_NOTE, WARM_UP_NOTE } from '../frame/warm-broker.ts';
import type { StepCost } from '../tasks/due-task.ts';
import { type Quantiles, spreadOf } from '../statistics.ts';
import { medianText, secondsText, short } from '../text-table.ts';
import { OTHER_EVERY_MS, type Phase, PHASES } from '../tasks/due-load.ts';

/** A peer has no processor beside its server; ours has the broker as server. */
export interface DueStep extends StepCost {
  readonly processorCpuMs?: DurationMs;
  /** Part of `serverCpuMs` that a server on Java took to compile itself. */
  readonly serverCompilingMs?: DurationMs;
}

/** One turn. */
export interface DueTurn {
  readonly contender: string;
  readonly messages: number;
  /** Number handed over, each counted once; and, with the others, more than once. */
  readonly count: number;
  readonly twice: number;
  /** Until all of them wait. */
  readonly added: DueStep;
  /** Resident memory by which the server, or the processor, has grown with all of them. */
  readonly pendingBytes: number;
  /** From the instant when the first is due until the last has reached its reader. */
  readonly drainMs: DurationMs;
  readonly drained: DueStep;
  /** Delays of the others. */
  readonly late: Readonly<Record<Phase, Quantiles>>;
  readonly othersMissing: number;
}

/** Goal for operations, adding and handing over, per CPU second: a multiple of the best store's. */
const TIMES_STORES_MIN = 10;

const A = { message: 'a message', item: 'an item' } as const;

const { spread, spreads, sums } = combine<DueTurn>();
const STEPS = ['added', 'drained'] as const;
const PARTS = ['processorCpuMs', 'serverCpuMs', 'serverCompilingMs', 'clientCpuMs'] as const;
const FIGURES = {
  ...spreads('drainMs'),
  ...sums('messages', 'count', 'twice', 'othersMissing'),
  addMs: spread(({ added }) => added.elapsedMs),
  bytesEach: spread(({ pendingBytes, messages }) => pendingBytes / messages),
  addsPerCpuSecond: spread(({ messages, added }) => (1_000 * messages) / cpuOf(added)),
  drainsPerCpuSecond: spread(({ count, drained }) => (1_000 * count) / cpuOf(drained)),
  operationsPerCpuSecond: spread(
    ({ messages, count, added, drained }) => (1_000 * (messages + count)) / (cpuOf(added) + cpuOf(drained)),
  ),
  cpu: (turns: readonly DueTurn[]) => ({ added: cpuParts(turns, 'added'), drained: cpuParts(turns, 'drained') }),
  late: (turns: readonly DueTurn[]) => ({
    before: typicalOf(turns.map(({ late }) => late.before)),
    within: typicalOf(turns.map(({ late }) => late.within)),
    after: typicalOf(turns.map(({ late }) => late.after)),
  }),
};
type DueRow = Row<DueTurn, 'contender', typeof FIGURES>;

export function dueRows(turns: readonly DueTurn[]): readonly DueRow[] {
  return rowsOf(turns, ['contender'], FIGURES);
}

/** @param what one of the entries that wait */
export function duePage(what: keyof typeof A): Page<DueRow> {
  const contender = ['contender', (row: DueRow) => row.contender] as const;
  return {
    columns: [
      contender,
      ['added in s', ({ addMs }) => secondsText(addMs)],
      ['adds/CPU-s', ({ addsPerCpuSecond }) => medianText(addsPerCpuSecond)],
      ['bytes each', ({ bytesEach }) => medianText(bytesEach)],
      ['drained in s', ({ drainMs }) => secondsText(drainMs)],
      ['drained/CPU-s', ({ drainsPerCpuSecond }) => medianText(drainsPerCpuSecond)],
      ['operations/CPU-s', ({ operationsPerCpuSecond }) => medianText(operationsPerCpuSecond)],
    ],
    note: [
      `bytes each: resident memory by which the server, or the processor, grows for ${A[what]} that waits. drained: from the first due`,
      `instant until the last is with its reader. An operation: ${A[what]} added, or handed over; its CPU: of all that the next table`,
      'tells apart. Medians of the turns, least to most in brackets.',
    ].join('\n'),
    more: [
      {
        title: 'CPU seconds',
        columns: [
          contender,
          ...STEPS.flatMap((step) =>
            PARTS.map((part) => [PART_HEADS[step][part], (row: DueRow) => cpuText(row.cpu[step][part])] as const),
          ),
        ],
        note: `server: the store, or for flatline the broker. clients: whoever adds, and the reader.\n${COMPILING_NOTE}\n${WARM_UP_NOTE}`,
      },
      {
        title: "the others' delay, ms: p50 / p99 / longest",
        columns: [
          contender,
          ...PHASES.map((phase) => [`due ${phase}`, (row: DueRow) => lateText(row.late[phase])] as const),
        ],
        note: [
          `One other under a key of its own is due each ${OTHER_EVERY_MS} ms, before the second in which all the rest are, within it, and after`,
          'it. p50, p99: medians of the turns; longest: of all turns; –: so many of them never came.',
        ].join('\n'),
      },
    ],
    verdicts: (rows) => ['', ...goal(rows), ...rows.flatMap((row) => wrongs(row, what))],
    charts: (rows) => [
      chart(rows, {
        name: 'operations',
        title: `${what}s added and handed over per CPU second; more is better`,
        label: ({ contender: name }) => name,
        bar: ({ operationsPerCpuSecond }) => operationsPerCpuSecond,
      }),
      chart(rows, {
        name: 'drain',
        title: `from the first due instant until the last ${what} is with its reader, ms; less is better`,
        label: ({ contender: name }) => name,
        bar: ({ drainMs }) => drainMs,
      }),
    ],
  };
}

const OTHER_HEADS = { serverCpuMs: 'server', serverCompilingMs: 'of it compiling', clientCpuMs: 'clients' };
const PART_HEADS = {
  added: { processorCpuMs: 'adding: processor', ...OTHER_HEADS },
  drained: { processorCpuMs: 'draining: processor', ...OTHER_HEADS },
} as const;

function cpuOf({ processorCpuMs = 0, serverCpuMs, clientCpuMs }: DueStep): DurationMs {
  return processorCpuMs + serverCpuMs + clientCpuMs;
}

/** Medians; undefined: not measured. */
function cpuParts(
  turns: readonly DueTurn[],
  step: (typeof STEPS)[number],
): Readonly<Record<(typeof PARTS)[number], DurationMs | undefined>> {
  const median = (part: (typeof PARTS)[number]): DurationMs | undefined => {
    const told = turns.flatMap((turn) => turn[step][part] ?? []);
    return told.length === 0 ? undefined : spreadOf(told).median;
  };
  return {
    processorCpuMs: median('processorCpuMs'),
    serverCpuMs: median('serverCpuMs'),
    serverCompilingMs: median('serverCompilingMs'),
    clientCpuMs: median('clientCpuMs'),
  };
}

function cpuText(cpuMs: DurationMs | undefined): string {
  return cpuMs === undefined ? '–' : (cpuMs / 1_000).toFixed(2);
}

function typicalOf(turns: readonly Quantiles[]): Quantiles {
  return {
    p50Ms: spreadOf(turns.map(({ p50Ms }) => p50Ms)).median,
    p99Ms: spreadOf(turns.map(({ p99Ms }) => p99Ms)).median,
    maxMs: Math.max(...turns.map(({ maxMs }) => maxMs)),
  };
}

function lateText({ p50Ms, p99Ms, maxMs }: Quantiles): string {
  return [p50Ms, p99Ms, maxMs].map((ms) => (Number.isFinite(ms) ? ms.toFixed(0) : '–')).join(' / ');
}

function goal([flatline, ...stores]: readonly DueRow[]): readonly string[] {
  const best = Math.max(0, ...stores.map((row) => row.operationsPerCpuSecond.median));
  if (best === 0) return [];
  const times = flatline!.operationsPerCpuSecond.median / best;
  return [
    `operations/CPU-s: ${short(times)} × the best store (at least ${TIMES_STORES_MIN}: ${verdict(times >= TIMES_STORES_MIN)})`,
  ];
}

function wrongs({ contender, messages, count, twice, othersMissing }: DueRow, what: string): readonly string[] {
  return [
    ...(count === messages ? [] : [`${contender}: ${messages - count} of ${messages} ${what}s did not come in time`]),
    ...(othersMissing === 0 ? [] : [`${contender}: ${othersMissing} of the others did not come in time`]),
    ...(twice === 0 ? [] : [`${contender}: ${twice} ${what}s came twice`]),
  ];
}
