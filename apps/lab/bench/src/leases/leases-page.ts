// The page of a measurement of leases. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { COMPILING, COMPILING_NOTE, WARM_UP_NOTE } from '../frame/warm-broker.ts';
import { ifKnown, medianText, secondsText, short } from '../text-table.ts';

/** One turn. */
export interface LeasesTurn {
  readonly contender: string;
  /** Leases alive while they are touched. */
  readonly leases: number;
  readonly touches: number;
  /** Cost of all touches: the processor, or the server; the broker, undefined if there is none; the sender. */
  readonly serverCpuMs: DurationMs;
  readonly brokerCpuMs: DurationMs | undefined;
  /** Part of the broker's that it took to compile itself; undefined if that is not visible. */
  readonly brokerCompilingMs: DurationMs | undefined;
  readonly clientCpuMs: DurationMs;
  /** Undefined: expiries are not measured. */
  readonly expiry: LeasesExpiry | undefined;
}

export interface LeasesExpiry {
  /** Due within a second. */
  readonly leases: number;
  /** Ends reported to the watcher, each counted once; and those reported more than once. */
  readonly ended: number;
  readonly twice: number;
  /** From the instant when the first is due until the last is reported. */
  readonly drainMs: DurationMs;
  /** Server, or processor and broker. */
  readonly cpuMs: DurationMs;
}

/** Goal for touches per CPU second: a multiple of the best peer's. */
const TIMES_PEERS_MIN = 10;

const { spread, spreads, known, knowns } = combine<LeasesTurn>();
const keepingCpuMs = ({ serverCpuMs, brokerCpuMs = 0 }: LeasesTurn): DurationMs => serverCpuMs + brokerCpuMs;
const FIGURES = {
  ...spreads('leases', 'touches', 'serverCpuMs', 'clientCpuMs'),
  ...knowns('brokerCpuMs', 'brokerCompilingMs'),
  touchesPerCpuSecond: spread((turn) => (1_000 * turn.touches) / keepingCpuMs(turn)),
  expiring: known(({ expiry }) => expiry?.leases),
  missing: (turns: readonly LeasesTurn[]) =>
    turns.reduce((sum, { expiry }) => sum + (expiry === undefined ? 0 : expiry.leases - expiry.ended), 0),
  twice: (turns: readonly LeasesTurn[]) => turns.reduce((sum, { expiry }) => sum + (expiry?.twice ?? 0), 0),
  drainMs: known(({ expiry }) => expiry?.drainMs),
  endsPerCpuSecond: known(({ expiry }) => expiry && (1_000 * expiry.ended) / expiry.cpuMs),
};
type LeasesRow = Row<LeasesTurn, 'contender', typeof FIGURES>;

export function leasesRows(turns: readonly LeasesTurn[]): readonly LeasesRow[] {
  return rowsOf(turns, ['contender'], FIGURES);
}

/** @param ours number of rows that are Flatline's: the first ones */
export function leasesPage(ours: number): Page<LeasesRow> {
  return {
    columns: [
      ['contender', ({ contender }) => contender],
      ['leases', ({ leases }) => medianText(leases)],
      ['touches', ({ touches }) => medianText(touches)],
      ['touches/CPU-s', ({ touchesPerCpuSecond }) => medianText(touchesPerCpuSecond)],
      ['server CPU-s', ({ serverCpuMs }) => secondsText(serverCpuMs)],
      ['broker CPU-s', ({ brokerCpuMs }) => ifKnown(brokerCpuMs, secondsText, '–')],
      COMPILING,
      ['client CPU-s', ({ clientCpuMs }) => secondsText(clientCpuMs)],
      ['expiring', ({ expiring }) => ifKnown(expiring, medianText, '–')],
      ['all said in s', ({ drainMs }) => ifKnown(drainMs, secondsText, '–')],
      ['ends/CPU-s', ({ endsPerCpuSecond }) => ifKnown(endsPerCpuSecond, medianText, '–')],
    ],
    note: [
      'server: the processor, or the store that keeps the leases; with the broker, which takes and serves the touches, it makes CPU-s of',
      'touches and ends. client: whoever sends touches. all said: from when the first of those that are due within a second is, until',
      'whoever watches knows of the last. Medians of the turns, least to most in brackets.',
      COMPILING_NOTE,
      WARM_UP_NOTE,
    ].join('\n'),
    verdicts: (rows) => ['', ...goal(rows, ours), ...rows.flatMap(wrongs)],
    charts: (rows) => [
      chart(rows, {
        name: 'touches',
        title: 'touches of live leases per CPU second of what keeps them; more is better',
        label: ({ contender }) => contender,
        isOurs: (row) => rows.indexOf(row) < ours,
        bar: ({ touchesPerCpuSecond }) => touchesPerCpuSecond,
      }),
      chart(rows, {
        name: 'ends',
        title: 'leases that end within a second: ends said per CPU second; more is better',
        label: ({ contender }) => contender,
        isOurs: (row) => rows.indexOf(row) < ours,
        bar: ({ endsPerCpuSecond }) => endsPerCpuSecond,
      }),
    ],
  };
}

function goal(rows: readonly LeasesRow[], ours: number): readonly string[] {
  const best = Math.max(0, ...rows.slice(ours).map((row) => row.touchesPerCpuSecond.median));
  if (best === 0) return [];
  return rows.slice(0, ours).map(({ contender, touchesPerCpuSecond }) => {
    const times = touchesPerCpuSecond.median / best;
    return `${contender}, touches/CPU-s: ${short(times)} × the best peer (at least ${TIMES_PEERS_MIN}: ${verdict(times >= TIMES_PEERS_MIN)})`;
  });
}

function wrongs({ contender, missing, twice }: LeasesRow): readonly string[] {
  return [
    ...(missing === 0 ? [] : [`${contender}: of ${missing} leases that were due nothing was said in time`]),
    ...(twice === 0 ? [] : [`${contender}: ${twice} ends were said twice`]),
  ];
}
