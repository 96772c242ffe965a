// What a measurement of a storm says. Pure.
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf, spreadOfKnown } from '../statistics.ts';
import { short, textTable } from '../text-table.ts';
import type { StormTurn } from './storm-benchmark.ts';

/** All turns of a contender. */
export interface StormFigures {
  readonly contender: string;
  /** What ended turns before all were closed. */
  readonly failures: readonly string[];
  readonly closes: Spread;
  /** Sum over all turns. */
  readonly closedTwice: number;
  readonly closedAlive: number;
  readonly dueWithinMs: Spread;
  readonly drainMs: Spread;
  readonly closesPerSecond: Spread;
  /** Undefined where it was not told in every turn. */
  readonly cpuMs: Spread | undefined;
  readonly closesPerCpuSecond: Spread | undefined;
  readonly brokerCpuMs: Spread | undefined;
  readonly inputDelayP50Ms: Spread;
  readonly inputDelayP99Ms: Spread;
  readonly inputDelayMaxMs: Spread;
  /** The worst turn. */
  readonly loopDelay: LoopDelay | undefined;
}

/** What the project promises: closes per second over those of Kafka Streams' fastest punctuator, and the others' delay. */
const TIMES_STREAMS_MIN = 5;
const INPUT_DELAY_MAX_MS = 1_000;

export function stormFigures(turns: readonly StormTurn[]): readonly StormFigures[] {
  return [...Map.groupBy(turns, ({ contender }) => contender)].map(([contender, each]) => {
    const spread = (of: (turn: StormTurn) => number): Spread => spreadOf(each.map(of));
    const known = (of: (turn: StormTurn) => number | undefined): Spread | undefined => spreadOfKnown(each.map(of));
    const delays = each.flatMap(({ loopDelay }) => loopDelay ?? []);
    return {
      contender,
      failures: each.flatMap(({ failure }) => failure ?? []),
      closes: spread(({ closes }) => closes),
      closedTwice: each.reduce((sum, { closedTwice }) => sum + closedTwice, 0),
      closedAlive: each.reduce((sum, { closedAlive }) => sum + closedAlive, 0),
      dueWithinMs: spread(({ dueWithinMs }) => dueWithinMs),
      drainMs: spread(({ drainMs }) => drainMs),
      closesPerSecond: spread(({ closes, drainMs }) => (drainMs > 0 ? (1_000 * closes) / drainMs : 0)),
      cpuMs: known(({ cpuMs }) => cpuMs),
      closesPerCpuSecond: known(({ closes, cpuMs }) => (cpuMs === undefined ? undefined : (1_000 * closes) / cpuMs)),
      brokerCpuMs: known(({ brokerCpuMs }) => brokerCpuMs),
      inputDelayP50Ms: spread(({ inputDelay }) => inputDelay.p50Ms),
      inputDelayP99Ms: spread(({ inputDelay }) => inputDelay.p99Ms),
      inputDelayMaxMs: spread(({ inputDelay }) => inputDelay.maxMs),
      loopDelay: delays.length === 0 ? undefined : worstDelay(delays),
    };
  });
}

export function stormText(figures: readonly StormFigures[]): string {
  const head = [
    'contender',
    'closes',
    'due within s',
    'drained in s',
    'closes/s',
    'CPU-s',
    'closes/CPU-s',
    'broker CPU-s',
    'others delayed ms',
    'loop ms',
  ];
  const rows = figures.map((row) => [
    row.contender,
    short(row.closes.median),
    seconds(row.dueWithinMs.median),
    secondsText(row.drainMs),
    short(row.closesPerSecond.median),
    ...(row.cpuMs === undefined || row.closesPerCpuSecond === undefined
      ? ['–', '–']
      : [secondsText(row.cpuMs), short(row.closesPerCpuSecond.median)]),
    row.brokerCpuMs === undefined ? 'n/a' : secondsText(row.brokerCpuMs),
    [row.inputDelayP50Ms, row.inputDelayP99Ms, row.inputDelayMaxMs].map(({ median }) => short(median)).join(' / '),
    loopDelayText(row.loopDelay),
  ]);
  return [
    textTable([head, ...rows]),
    '',
    'drained: from the first deadline until a read_committed reader has seen the last close; CPU: over the same span; medians, least',
    'to most in brackets. others delayed: from in the log to committed, p50 / p99 / most over time, medians of turns.',
    LOOP_DELAY_NOTE,
    ...goals(figures),
    ...figures.flatMap(wrongs),
  ].join('\n');
}

export function stormCharts(figures: readonly StormFigures[]): readonly BarChart[] {
  return [
    {
      name: 'closes',
      title: 'closes per second; more is better',
      bars: figures.map((row) => ({ label: row.contender, ...row.closesPerSecond })),
    },
    {
      name: 'delay',
      title: "others' heartbeats delayed, most, ms; less is better",
      bars: figures.map((row) => ({ label: row.contender, ...row.inputDelayMaxMs })),
    },
  ];
}

function goals([flatline, ...peers]: readonly StormFigures[]): readonly string[] {
  const { closesPerSecond, inputDelayMaxMs, loopDelay } = flatline!;
  const best = Math.max(0, ...peers.map((peer) => peer.closesPerSecond.median));
  const times = closesPerSecond.median / best;
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
  return [
    ...(best > 0
      ? [
          `closes/s: ${short(times)} × the best punctuator (at least ${TIMES_STREAMS_MIN}: ${verdict(times >= TIMES_STREAMS_MIN)})`,
        ]
      : []),
    `others delayed: at most ${INPUT_DELAY_MAX_MS} ms: ${verdict(inputDelayMaxMs.max <= INPUT_DELAY_MAX_MS)}`,
    ...(loopDelay === undefined ? [] : [loopDelayVerdict(loopDelay)]),
  ];
}

function wrongs({ contender, failures, closedTwice, closedAlive }: StormFigures): readonly string[] {
  return [
    ...failures.map((failure) => `${contender}: ${failure}`),
    ...(closedTwice === 0 ? [] : [`${contender}: closed ${closedTwice} sessions twice`]),
    ...(closedAlive === 0 ? [] : [`${contender}: closed ${closedAlive} sessions that lived`]),
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function secondsText({ median, min, max }: Spread): string {
  return min === max ? seconds(median) : `${seconds(median)} (${seconds(min)} – ${seconds(max)})`;
}
