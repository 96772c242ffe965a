// The page of a measurement of a storm. Pure.
import type { DurationMs } from '@flatline/base';
import type { BrokerSpent } from '../broker-cpu.ts';
import { chart, combine, loopVerdict, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { COMPILING, COMPILING_NOTE, WARM_UP_NOTE } from '../frame/warm-broker.ts';
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText } from '../loop-delay.ts';
import type { Quantiles } from '../statistics.ts';
import { ifKnown, medianText, seconds, secondsText, short } from '../text-table.ts';

/** One turn; the broker's over the drain. */
export interface StormTurn extends BrokerSpent {
  readonly contender: string;
  /** The error that ended it before all were closed. */
  readonly failure: string | undefined;
  /** Sessions seen closed, each counted once. */
  readonly closes: number;
  readonly closedTwice: number;
  /** Closes of sessions that live on: must be none. */
  readonly closedAlive: number;
  /** From the first session's deadline to the last one's. */
  readonly dueWithinMs: DurationMs;
  /** From the first deadline until a read_committed reader has seen the last close. */
  readonly drainMs: DurationMs;
  /** CPU time of the contender's process over the drain, all threads; undefined if the system does not tell. */
  readonly cpuMs: DurationMs | undefined;
  /** Delays of the others' heartbeats until their commit, over the drain. */
  readonly inputDelay: Quantiles;
  /** Undefined if the contender does not run on Node. */
  readonly loopDelay: LoopDelay | undefined;
}

/** The project's goals: closes per second over those of Kafka Streams' fastest punctuator, and the others' delay. */
const TIMES_STREAMS_MIN = 5;
const INPUT_DELAY_MAX_MS: DurationMs = 1_000;

const { spread, spreads, known, knowns, sums, worst } = combine<StormTurn>();
const FIGURES = {
  failures: (turns: readonly StormTurn[]) => turns.flatMap(({ failure }) => failure ?? []),
  ...spreads('closes', 'dueWithinMs', 'drainMs'),
  ...knowns('cpuMs', 'brokerCpuMs', 'brokerCompilingMs'),
  ...sums('closedTwice', 'closedAlive'),
  closesPerSecond: spread(({ closes, drainMs }) => (drainMs > 0 ? (1_000 * closes) / drainMs : 0)),
  closesPerCpuSecond: known(({ closes, cpuMs }) => (cpuMs === undefined ? undefined : (1_000 * closes) / cpuMs)),
  inputDelayP50Ms: spread(({ inputDelay }) => inputDelay.p50Ms),
  inputDelayP99Ms: spread(({ inputDelay }) => inputDelay.p99Ms),
  inputDelayMaxMs: spread(({ inputDelay }) => inputDelay.maxMs),
  loopDelay: worst(({ loopDelay }) => loopDelay),
};
type StormRow = Row<StormTurn, 'contender', typeof FIGURES>;

export function stormRows(turns: readonly StormTurn[]): readonly StormRow[] {
  return rowsOf(turns, ['contender'], FIGURES);
}

export const STORM_PAGE: Page<StormRow> = {
  columns: [
    ['contender', ({ contender }) => contender],
    ['closes', ({ closes }) => medianText(closes)],
    ['due within s', ({ dueWithinMs }) => seconds(dueWithinMs.median)],
    ['drained in s', ({ drainMs }) => secondsText(drainMs)],
    ['closes/s', ({ closesPerSecond }) => medianText(closesPerSecond)],
    ['CPU-s', ({ cpuMs }) => ifKnown(cpuMs, secondsText, '–')],
    ['closes/CPU-s', ({ closesPerCpuSecond }) => ifKnown(closesPerCpuSecond, medianText, '–')],
    ['broker CPU-s', ({ brokerCpuMs }) => ifKnown(brokerCpuMs, secondsText)],
    COMPILING,
    [
      'others delayed ms',
      (row) => [row.inputDelayP50Ms, row.inputDelayP99Ms, row.inputDelayMaxMs].map(medianText).join(' / '),
    ],
    ['loop ms', ({ loopDelay }) => loopDelayText(loopDelay)],
  ],
  note: [
    'drained: from the first deadline until a read_committed reader has seen the last close; CPU: over the same span; medians, least',
    'to most in brackets. others delayed: from in the log to committed, p50 / p99 / most over time, medians of turns.',
    COMPILING_NOTE,
    WARM_UP_NOTE,
    LOOP_DELAY_NOTE,
  ].join('\n'),
  verdicts: (rows) => [...goals(rows), ...rows.flatMap(wrongs)],
  charts: (rows) => [
    chart(rows, {
      name: 'closes',
      title: 'closes per second; more is better',
      label: ({ contender }) => contender,
      isOurs,
      bar: ({ closesPerSecond }) => closesPerSecond,
    }),
    chart(rows, {
      name: 'delay',
      title: "others' heartbeats delayed, most, ms; less is better",
      label: ({ contender }) => contender,
      isOurs,
      bar: ({ inputDelayMaxMs }) => inputDelayMaxMs,
    }),
  ],
};

/** Judged by the first, whose output is as large as the others'. */
function goals(rows: readonly StormRow[]): readonly string[] {
  const [flatline] = rows;
  const peers = rows.filter((row) => !isOurs(row));
  const { closesPerSecond, inputDelayMaxMs, loopDelay } = flatline!;
  const best = Math.max(0, ...peers.map((peer) => peer.closesPerSecond.median));
  const times = closesPerSecond.median / best;
  const fastest = `closes/s: ${short(times)} × the best punctuator (at least ${TIMES_STREAMS_MIN}: ${verdict(times >= TIMES_STREAMS_MIN)})`;
  return [
    ...(best > 0 ? [fastest] : []),
    `others delayed: at most ${INPUT_DELAY_MAX_MS} ms: ${verdict(inputDelayMaxMs.max <= INPUT_DELAY_MAX_MS)}`,
    ...loopVerdict([loopDelay]),
  ];
}

function isOurs({ contender }: StormRow): boolean {
  return contender.startsWith('flatline');
}

function wrongs({ contender, failures, closedTwice, closedAlive }: StormRow): readonly string[] {
  return [
    ...failures.map((failure) => `${contender}: ${failure}`),
    ...(closedTwice === 0 ? [] : [`${contender}: closed ${closedTwice} sessions twice`]),
    ...(closedAlive === 0 ? [] : [`${contender}: closed ${closedAlive} sessions that lived`]),
  ];
}
