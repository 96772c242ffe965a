// What a throughput measurement says: medians, spreads and ratios within the run. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Row, rowsOf, tableText } from '../frame/page.ts';
import { type LoopDelay, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import { loadWarning, type Machine, type MachineLoad, machineText } from '../machine.ts';
import type { BarChart } from '../report/bar-chart.ts';
import type { Spread } from '../statistics.ts';
import { ifKnown, medianText, megabytes, rangeText, seconds, short } from '../text-table.ts';
import { type ProcessorCost, type TurnCost, WARM_UP_TIME_SHARE } from './contender-task.ts';
import type { Contender } from './contenders.ts';
import type { EventFormat } from './event-load.ts';
import { goalLines, type TimesStreams, timesStreams } from './throughput-goals.ts';

export interface ThroughputSettings {
  readonly events: number;
  /** Share of the events left out of every contender's cost, at the beginning: what is measured is the steady state. */
  readonly warmUpShare: number;
  readonly sessions: number;
  readonly partitions: number;
  /** Turns of each contender. */
  readonly repeats: number;
  readonly commitIntervalMs: DurationMs;
}

export interface FormatMeasurement {
  readonly format: EventFormat;
  /** By contender, those of the run in their order. */
  readonly costs: Readonly<Record<string, readonly TurnCost[]>>;
}

export interface ThroughputMeasurement {
  readonly machine: Machine;
  readonly loadBefore: MachineLoad;
  readonly loadAfter: MachineLoad;
  readonly settings: ThroughputSettings;
  readonly contenders: readonly Pick<Contender, 'name' | 'does' | 'lacks' | 'streams'>[];
  /** What is true of several contenders. */
  readonly notes: readonly string[];
  /** Peers that did not take part, or failed, and why. */
  readonly absent: readonly string[];
  /** Versions of what peers run on. */
  readonly versions: readonly string[];
  readonly formats: readonly FormatMeasurement[];
}

type Turn = TurnCost & { readonly contender: string };
const { spread, spreads, known } = combine<Turn>();
const CONTENDER_FIGURES = {
  /** Records that it is measured by: after its warm-up. */
  ...spreads('records', 'elapsedMs'),
  /** It did not get through all events in the time it was given. */
  stopped: (turns: readonly Turn[]) => turns.some(({ stopped }) => stopped === true),
  eventsPerSecond: spread(({ records, elapsedMs }) => (1_000 * records) / elapsedMs),
  eventsPerCpuSecond: spread(({ records, cpuMs }) => (1_000 * records) / cpuMs),
  brokerUsPerEvent: known(({ records, brokerCpuMs }) =>
    brokerCpuMs === undefined ? undefined : (1_000 * brokerCpuMs) / records,
  ),
  ...spreads('peakRssBytes', 'rssBytes'),
};
export type ContenderFigures = Row<Turn, 'contender', typeof CONTENDER_FIGURES>;

type ProcessorTurn = TurnCost & ProcessorCost;
const ofProcessor = combine<ProcessorTurn>();
const PROCESSOR_FIGURES = {
  /** Resident growth since before the start, all buffers included, over live sessions: an upper bound of what one takes. */
  rssBytesPerSession: ofProcessor.spread(
    ({ rssBytes, rssBeforeBytes, liveSessions }) => (rssBytes - rssBeforeBytes) / liveSessions,
  ),
  ...ofProcessor.spreads('commits', 'commitP50Ms', 'commitP99Ms'),
  /** The worst turn. */
  loopDelay: (turns: readonly ProcessorTurn[]): LoopDelay => worstDelay(turns.map(({ loopDelay }) => loopDelay)),
  /** With what is left to do after the last commit: the flush to the local store, closing. */
  eventsPerCpuSecondToClose: ofProcessor.spread(({ records, cpuToCloseMs }) => (1_000 * records) / cpuToCloseMs),
};

/** Ratios are of medians. */
export interface ProcessorFigures extends Row<ProcessorTurn, 'liveSessions', typeof PROCESSOR_FIGURES> {
  readonly timesKafkajs: number;
  readonly timesReader: number;
  /** The processor's ratio, and the reader's; undefined where librdkafka did not take part. */
  readonly timesLibrdkafka: { readonly processor: number; readonly reader: number } | undefined;
  readonly timesStreams: TimesStreams;
  readonly timesKafkajsToClose: number;
}

export interface FormatFigures {
  readonly format: EventFormat;
  readonly contenders: readonly ContenderFigures[];
  readonly processor: ProcessorFigures;
}

/** @param described which of the contenders are Kafka Streams */
export function figuresOf(
  { format, costs }: FormatMeasurement,
  described: readonly Pick<Contender, 'name' | 'streams'>[],
): FormatFigures {
  const turns = Object.entries(costs).flatMap(([contender, each]) => each.map((cost) => ({ contender, ...cost })));
  const contenders = rowsOf<Turn, 'contender', typeof CONTENDER_FIGURES>(turns, ['contender'], CONTENDER_FIGURES);
  const perCpu = (name: string): number | undefined =>
    contenders.find(({ contender }) => contender === name)?.eventsPerCpuSecond.median;
  const [flatline, kafkajs, reader] = [perCpu('flatline')!, perCpu('kafkajs')!, perCpu('reader')!];
  const librdkafka = perCpu('librdkafka');
  const processed = costs['flatline']!.map((cost) => ({ ...cost, ...cost.processor! }));
  const processor = rowsOf<ProcessorTurn, never, typeof PROCESSOR_FIGURES>(processed, [], PROCESSOR_FIGURES)[0]!;
  return {
    format,
    contenders,
    processor: {
      liveSessions: processed[0]!.liveSessions,
      ...processor,
      timesKafkajs: flatline / kafkajs,
      timesReader: flatline / reader,
      timesLibrdkafka:
        librdkafka === undefined ? undefined : { processor: flatline / librdkafka, reader: reader / librdkafka },
      timesStreams: timesStreams(contenders, described),
      timesKafkajsToClose: processor.eventsPerCpuSecondToClose.median / kafkajs,
    },
  };
}

/** Two charts per format: per CPU second, and per second. */
export function throughputCharts(formats: readonly FormatFigures[]): readonly BarChart[] {
  return formats.flatMap(({ format, contenders }) => {
    const drawn = (name: string, per: string, bar: (row: ContenderFigures) => Spread): BarChart => {
      const title = `${format} events per ${per}; more is better`;
      return chart(contenders, { name: `${format}-${name}`, title, label: ({ contender }) => contender, bar });
    };
    return [
      drawn('per-cpu-second', 'CPU second', ({ eventsPerCpuSecond }) => eventsPerCpuSecond),
      drawn('per-second', 'second', ({ eventsPerSecond }) => eventsPerSecond),
    ];
  });
}

export function throughputText(measurement: ThroughputMeasurement): string {
  const { machine, loadBefore, loadAfter, settings, formats, contenders, notes, absent, versions } = measurement;
  const { events, warmUpShare, sessions, partitions, repeats, commitIntervalMs } = settings;
  const loads = `load ${loadBefore.loadAverage.toFixed(1)} before, ${loadAfter.loadAverage.toFixed(1)} after`;
  const warnings = [loadWarning('before', loadBefore), loadWarning('after', loadAfter)].filter(
    (each) => each !== undefined,
  );
  const sections = formats.map((format) => formatText(figuresOf(format, contenders)));
  return [
    `${machineText(machine)}; ${loads}`,
    ...(versions.length === 0 ? [] : [versions.join(', ')]),
    `${short(events)} events of ${short(sessions)} sessions, ${partitions} partitions, commits every ${commitIntervalMs} ms;`,
    `${repeats === 1 ? 'one turn' : `medians of ${repeats} turns, least to most in brackets`}; CPU of all processes of a contender; the broker's has a column of its own;`,
    warmUpText(events, warmUpShare),
    ...warnings.map((warning) => `WARNING: ${warning}`),
    ...sections.flatMap((section) => ['', section]),
    '',
    ...contenders.flatMap(({ name, does, lacks }) => [
      `${name}: ${does}`,
      ...(lacks === undefined ? [] : [`  lacks ${lacks}`]),
    ]),
    ...notes,
    ...absent.map((each) => `not run: ${each}`),
  ].join('\n');
}

function warmUpText(events: number, warmUpShare: number): string {
  if (warmUpShare === 0) return 'from the first event on, while code is compiled';
  return (
    `measured: events after a warm-up of the first ${short(warmUpShare * events)}, or, of those that are stopped by time, of at most\n` +
    `${100 * WARM_UP_TIME_SHARE} % of that; from then until all is dealt with and committed, or time is up (stopped). The first event of each session comes\n` +
    'before all others: who is stopped early has seen fewer sessions'
  );
}

function formatText({ format, contenders, processor }: FormatFigures): string {
  const perCpu = (name: string): number =>
    contenders.find(({ contender }) => contender === name)!.eventsPerCpuSecond.median;
  const [flatline, kafkajs] = [perCpu('flatline'), perCpu('kafkajs')];
  const table = tableText<ContenderFigures>(
    [
      [`${format} events`, ({ contender }) => contender],
      ['events/s', ({ eventsPerSecond }) => medianText(eventsPerSecond)],
      ['events/CPU-s', ({ eventsPerCpuSecond }) => medianText(eventsPerCpuSecond)],
      ['', ({ eventsPerCpuSecond }) => rangeText(eventsPerCpuSecond)],
      ['broker µs/event', ({ brokerUsPerEvent }) => ifKnown(brokerUsPerEvent, medianText)],
      ['× kafkajs', ({ eventsPerCpuSecond }) => short(eventsPerCpuSecond.median / kafkajs)],
      ['flatline is', ({ eventsPerCpuSecond }) => `${short(flatline / eventsPerCpuSecond.median)} ×`],
      ['measured', ({ records }) => medianText(records)],
      ['s', ({ elapsedMs }) => seconds(elapsedMs.median)],
      ['', ({ stopped }) => (stopped ? 'stopped' : '')],
      ['RSS', ({ rssBytes }) => megabytes(rssBytes.median)],
      ['peak', ({ peakRssBytes }) => megabytes(peakRssBytes.median)],
    ],
    contenders,
  );
  return [table, processorText(format, processor)].join('\n');
}

function processorText(format: EventFormat, processor: ProcessorFigures): string {
  const { timesKafkajsToClose, commits, commitP50Ms, commitP99Ms } = processor;
  return [
    ...goalLines(format, processor).map((line) => `  ${line}`),
    `  with the last flush and closing: ${short(processor.eventsPerCpuSecondToClose.median)} events/CPU-s, ` +
      `${timesKafkajsToClose.toFixed(2)} × kafkajs`,
    `  commits of the whole run: ${short(commits.median)}, p50 ${short(commitP50Ms.median)} ms, p99 ${short(commitP99Ms.median)} ms`,
    `  ${loopDelayVerdict(processor.loopDelay)}: ${loopDelayText(processor.loopDelay)} ms (p99 / most / most CPU)`,
    `  resident per live session: ${short(processor.rssBytesPerSession.median)} bytes of ${short(processor.liveSessions)} ` +
      'sessions, buffers and code included; a JVM takes the heap it is given',
  ].join('\n');
}
