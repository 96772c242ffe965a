// The page of a measurement of deliveries and routes. Pure.
import { chart, combine, type Page, type Row, rowsOf, tableText, verdict } from '../frame/page.ts';
import { spreadOf } from '../statistics.ts';
import { medianText, megabytes, seconds, short, spreadText } from '../text-table.ts';
import type { DeliveryTurn } from './delivered.ts';
import type { PendingMeasured, PendingRestart } from './pending.ts';
import type { RouteTurn } from './route-cost.ts';

/** The project's goal: deliveries per CPU second over the requests of a bare loop. */
const TIMES_BARE_MIN = 0.5;

const { spread, sums } = combine<DeliveryTurn>();
const FIGURES = {
  perCpuSecond: spread(({ posts, cpuMs }) => (1_000 * posts) / cpuMs),
  perSecond: spread(({ posts, elapsedMs }) => (1_000 * posts) / elapsedMs),
  cpuUsEach: spread(({ posts, cpuMs }) => (1_000 * cpuMs) / posts),
  ...sums('again'),
};

/** `timesBare`: per CPU second, over the first contender; ratio of medians. */
export type DeliveryRow = Row<DeliveryTurn, 'contender', typeof FIGURES> & { readonly timesBare: number };

export function deliveryRows(turns: readonly DeliveryTurn[]): readonly DeliveryRow[] {
  const rows = rowsOf<DeliveryTurn, 'contender', typeof FIGURES>(turns, ['contender'], FIGURES);
  return rows.map((row) => ({ ...row, timesBare: row.perCpuSecond.median / rows[0]!.perCpuSecond.median }));
}

/** `routeUs`: what a route adds to an output. `times`: a consumer's records per CPU second would have to be so many times as many. */
export function routeFigures(turns: readonly RouteTurn[]) {
  const us = (what: RouteTurn['what']) =>
    spreadOf(turns.filter((turn) => turn.what === what).map(({ outputs, cpuMs }) => (1_000 * cpuMs) / outputs));
  const [notRoutedUs, routedUs, consumerUs] = [us('not routed'), us('routed'), us('consumer')];
  const routeUs = routedUs.median - notRoutedUs.median;
  return { notRoutedUs, routedUs, consumerUs, routeUs, times: consumerUs.median / routeUs };
}

/** Growth from half of what waits to all of it, by deliveries more; of the log, all by all. */
export function pendingFigures({ half, all, bodyBytes, restarts }: PendingMeasured) {
  const more = all.liveSessions - half.liveSessions;
  return {
    deliveries: all.liveSessions,
    bodyBytes,
    memoryBytesEach: (all.memoryBytes - half.memoryBytes) / more,
    storeBytesEach: (all.storeBytes - half.storeBytes) / more,
    logBytesEach: all.changelogBytes / all.liveSessions,
    restarts,
  };
}

export interface BesidesPosts {
  readonly pending: ReturnType<typeof pendingFigures>;
  readonly route: ReturnType<typeof routeFigures>;
}

export function deliveriesPage({ pending, route }: BesidesPosts): Page<DeliveryRow> {
  return {
    title: 'deliveries',
    columns: [
      ['contender', ({ contender }) => contender],
      ['per CPU-s', ({ perCpuSecond }) => spreadText(perCpuSecond)],
      ['× bare', ({ timesBare }) => timesBare.toFixed(2)],
      ['CPU µs each', ({ cpuUsEach }) => medianText(cpuUsEach)],
      ['per s', ({ perSecond }) => medianText(perSecond)],
      ['sent again', ({ again }) => String(again)],
    ],
    note: [
      'CPU of the process, all threads: of the notifier with all that keeps its deliveries, until none is kept. The sink and the broker',
      'run beside it, and are not counted.',
    ].join('\n'),
    verdicts: (rows) => [...timesText(rows), '', ...pendingText(pending), '', ...routeText(route)],
    charts: (rows) => [
      chart(rows, {
        name: 'per-cpu-second',
        title: 'deliveries per CPU second; more is better',
        label: ({ contender }) => contender,
        isOurs: ({ contender }) => contender === 'flatline',
        bar: ({ perCpuSecond }) => perCpuSecond,
      }),
    ],
  };
}

function timesText(rows: readonly DeliveryRow[]): readonly string[] {
  return rows
    .slice(1)
    .map(
      ({ contender, timesBare }) =>
        `${contender}: ${timesBare.toFixed(2)} × the bare loop (at least ${TIMES_BARE_MIN}: ${verdict(timesBare >= TIMES_BARE_MIN)})`,
    );
}

const RESTART_COLUMNS: Page<PendingRestart>['columns'] = [
  ['after', ({ after }) => after],
  ['next attempt after s', ({ untilAttemptMs }) => seconds(untilAttemptMs)],
  ['peak RSS', ({ peakRssBytes }) => megabytes(peakRssBytes)],
];

function pendingText({ deliveries, bodyBytes, restarts, ...bytes }: BesidesPosts['pending']): readonly string[] {
  const { memoryBytesEach, storeBytesEach, logBytesEach } = bytes;
  return [
    `${short(deliveries)} retries that wait, each with a body of ${bodyBytes} bytes and one attempt that failed`,
    `bytes of each: ${memoryBytesEach.toFixed(0)} in memory, ${storeBytesEach.toFixed(0)} in the local store (LMDB), ` +
      `${logBytesEach.toFixed(0)} in the log`,
    '',
    tableText(RESTART_COLUMNS, restarts),
    '',
    'memory, local store: growth of anonymous memory, and of the blocks of LMDB, from half of them to all, over those more. next attempt:',
    'from the start of the process until the sink has the request for an output that came meanwhile; once each.',
  ];
}

function routeText({ notRoutedUs, routedUs, consumerUs, routeUs, times }: BesidesPosts['route']): readonly string[] {
  return [
    `a session that ends: ${spreadText(notRoutedUs)} µs of CPU, with a route ${spreadText(routedUs)}: the route takes ${routeUs.toFixed(1)}`,
    `a consumer that reads such outputs and produces the same records, a transaction for each batch (kafkajs): ${spreadText(consumerUs)}, ` +
      `${times.toFixed(1)} × the route`,
  ];
}
