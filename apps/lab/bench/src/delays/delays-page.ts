// What a measurement of messages, or other things, that wait and are due together says. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { ifKnown, medianText, secondsText, short } from '../text-table.ts';

/** One turn. */
export interface DelaysTurn {
  readonly contender: string;
  readonly messages: number;
  /** Handed over or said, each counted once; and more than once. */
  readonly count: number;
  readonly twice: number;
  /** Until all wait, and CPU time of every process that has a part in it: client, server or broker, processor. */
  readonly addMs: DurationMs;
  readonly addCpuMs: DurationMs;
  /** Resident memory by which the server, or the processor, has grown with all of them. */
  readonly pendingBytes: number;
  /** From when the first is due until the last is with its reader; CPU as above. */
  readonly drainMs: DurationMs;
  readonly drainCpuMs: DurationMs;
  /** What of both is the processor's; undefined: it is no processor. */
  readonly processorCpuMs: DurationMs | undefined;
}

/** Operations, adding and handing over, per CPU second: so many times those of the best store. */
const TIMES_STORES_MIN = 10;

const A = { message: 'a message', item: 'an item' } as const;

const { spread, spreads, knowns, sums } = combine<DelaysTurn>();
const FIGURES = {
  ...spreads('addMs', 'addCpuMs', 'drainMs', 'drainCpuMs'),
  ...knowns('processorCpuMs'),
  ...sums('messages', 'count', 'twice'),
  bytesEach: spread(({ pendingBytes, messages }) => pendingBytes / messages),
  addsPerCpuSecond: spread(({ messages, addCpuMs }) => (1_000 * messages) / addCpuMs),
  drainsPerCpuSecond: spread(({ count, drainCpuMs }) => (1_000 * count) / drainCpuMs),
  operationsPerCpuSecond: spread(
    ({ messages, count, addCpuMs, drainCpuMs }) => (1_000 * (messages + count)) / (addCpuMs + drainCpuMs),
  ),
};
type DelaysRow = Row<DelaysTurn, 'contender', typeof FIGURES>;

export function delaysRows(turns: readonly DelaysTurn[]): readonly DelaysRow[] {
  return rowsOf(turns, ['contender'], FIGURES);
}

/** @param what waits: one of them */
export function dueTogetherPage(what: 'message' | 'item'): Page<DelaysRow> {
  return {
    columns: [
      ['contender', ({ contender }) => contender],
      ['added in s', ({ addMs }) => secondsText(addMs)],
      ['adds/CPU-s', ({ addsPerCpuSecond }) => medianText(addsPerCpuSecond)],
      ['bytes each', ({ bytesEach }) => medianText(bytesEach)],
      ['drained in s', ({ drainMs }) => secondsText(drainMs)],
      ['drained/CPU-s', ({ drainsPerCpuSecond }) => medianText(drainsPerCpuSecond)],
      ['operations/CPU-s', ({ operationsPerCpuSecond }) => medianText(operationsPerCpuSecond)],
      ['processor CPU-s', ({ processorCpuMs }) => ifKnown(processorCpuMs, secondsText, '–')],
    ],
    note: [
      'CPU: of client, server and reader; for flatline of producer, broker, processor and reader. bytes each: resident memory by which',
      `the server, or the processor, grows for ${A[what]} that waits. drained: from the first due instant until the last is with its`,
      `reader. An operation: ${A[what]} added, or handed over. Medians of the turns, least to most in brackets.`,
    ].join('\n'),
    verdicts: (rows) => ['', ...goal(rows), ...rows.flatMap((row) => wrongs(row, what))],
    charts: (rows) => [
      chart(rows, {
        name: 'operations',
        title: `${what}s added and handed over per CPU second; more is better`,
        label: ({ contender }) => contender,
        bar: ({ operationsPerCpuSecond }) => operationsPerCpuSecond,
      }),
      chart(rows, {
        name: 'drain',
        title: `from the first due instant until the last ${what} is with its reader, ms; less is better`,
        label: ({ contender }) => contender,
        bar: ({ drainMs }) => drainMs,
      }),
    ],
  };
}

function goal([flatline, ...stores]: readonly DelaysRow[]): readonly string[] {
  const best = Math.max(0, ...stores.map((row) => row.operationsPerCpuSecond.median));
  if (best === 0) return [];
  const times = flatline!.operationsPerCpuSecond.median / best;
  return [
    `operations/CPU-s: ${short(times)} × the best store (at least ${TIMES_STORES_MIN}: ${verdict(times >= TIMES_STORES_MIN)})`,
  ];
}

function wrongs({ contender, messages, count, twice }: DelaysRow, what: string): readonly string[] {
  return [
    ...(count === messages ? [] : [`${contender}: ${messages - count} of ${messages} ${what}s did not come in time`]),
    ...(twice === 0 ? [] : [`${contender}: ${twice} ${what}s came twice`]),
  ];
}
