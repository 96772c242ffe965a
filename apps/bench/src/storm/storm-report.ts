// What a measurement of a storm says. Pure.
import { LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { short, textTable } from '../text-table.ts';
import type { StormFigures, StormSettings } from './storm-scenario.ts';

/** What the project promises: closes per second over those of Kafka Streams' fastest punctuator, and the others' delay. */
const TIMES_STREAMS_MIN = 5;
const INPUT_DELAY_MAX_MS = 1_000;

function closesPerSecond({ closes, drainMs }: StormFigures): number {
  return drainMs > 0 ? (1_000 * closes) / drainMs : 0;
}

export function stormText(settings: StormSettings, figures: readonly StormFigures[]): string {
  const { sessions, partitions, livingSessions, heartbeatsPerSecond } = settings;
  const head = [
    'contender',
    'closes',
    'due within s',
    'drained in s',
    'closes/s',
    'CPU-s',
    'closes/CPU-s',
    'others delayed ms',
    'loop ms',
  ];
  const rows = figures.map((row) => [
    ...[row.contender, short(row.closes), seconds(row.dueWithinMs), seconds(row.drainMs), short(closesPerSecond(row))],
    ...(row.cpuMs === undefined ? ['–', '–'] : [seconds(row.cpuMs), short((1_000 * row.closes) / row.cpuMs)]),
    `${short(row.inputDelay.p50Ms)} / ${short(row.inputDelay.p99Ms)} / ${short(row.inputDelay.maxMs)}`,
    loopDelayText(row.loopDelay),
  ]);
  return [
    `${short(sessions)} sessions due at once on ${partitions} partitions, while ${short(livingSessions)} others send ` +
      `${short(heartbeatsPerSecond)} heartbeats/s`,
    '',
    textTable([head, ...rows]),
    '',
    'drained: from the first deadline until a read_committed reader has seen the last close; CPU: over the same span.',
    'others delayed: from in the log to committed, p50 / p99 / most over time.',
    LOOP_DELAY_NOTE,
    ...goals(figures),
    ...figures.flatMap(wrongs),
  ].join('\n');
}

export function stormCharts(figures: readonly StormFigures[]): readonly BarChart[] {
  const bar = (label: string, value: number): BarChart['bars'][number] => ({
    ...{ label, median: value, min: value, max: value },
  });
  return [
    {
      ...{ name: 'closes', title: 'closes per second; more is better' },
      bars: figures.map((row) => bar(row.contender, closesPerSecond(row))),
    },
    {
      ...{ name: 'delay', title: "others' heartbeats delayed, most, ms; less is better" },
      bars: figures.map((row) => bar(row.contender, row.inputDelay.maxMs)),
    },
  ];
}

function goals([flatline, ...peers]: readonly StormFigures[]): readonly string[] {
  const { inputDelay, loopDelay } = flatline!;
  const best = Math.max(0, ...peers.map(closesPerSecond));
  const times = closesPerSecond(flatline!) / best;
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
  return [
    ...(best > 0
      ? [
          `closes/s: ${short(times)} × the best punctuator (at least ${TIMES_STREAMS_MIN}: ${verdict(times >= TIMES_STREAMS_MIN)})`,
        ]
      : []),
    `others delayed: at most ${INPUT_DELAY_MAX_MS} ms: ${verdict(inputDelay.maxMs <= INPUT_DELAY_MAX_MS)}`,
    ...(loopDelay === undefined ? [] : [loopDelayVerdict(loopDelay)]),
  ];
}

function wrongs({ contender, failure, closedTwice, closedAlive }: StormFigures): readonly string[] {
  return [
    ...(failure === undefined ? [] : [`${contender}: ${failure}`]),
    ...(closedTwice === 0 ? [] : [`${contender}: closed ${closedTwice} sessions twice`]),
    ...(closedAlive === 0 ? [] : [`${contender}: closed ${closedAlive} sessions that lived`]),
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
