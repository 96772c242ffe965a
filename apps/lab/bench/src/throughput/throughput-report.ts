// What a throughput measurement says: medians, spreads and ratios within the run. Pure.
import { type LoopDelay, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import { loadWarning, machineText } from '../machine.ts';
import type { Bar, BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf, spreadOfKnown } from '../statistics.ts';
import { megabytes, short, textTable } from '../text-table.ts';
import type { Contender, OwnContender } from './contenders.ts';
import { type ProcessorCost, type TurnCost, WARM_UP_TIME_SHARE } from './contender-task.ts';
import type { EventFormat } from './event-load.ts';
import type { FormatMeasurement, ThroughputMeasurement } from './throughput-benchmark.ts';
import { goalLines, type TimesStreams, timesStreams } from './throughput-goals.ts';

export interface ContenderFigures {
  readonly contender: string;
  /** That it is measured by: after its warm-up. */
  readonly records: Spread;
  readonly elapsedMs: Spread;
  /** It did not get through all events in the time it was given. */
  readonly stopped: boolean;
  readonly eventsPerSecond: Spread;
  readonly eventsPerCpuSecond: Spread;
  /** CPU time of the broker; undefined where it was not seen in every turn. */
  readonly brokerUsPerEvent: Spread | undefined;
  readonly peakRssBytes: Spread;
  readonly rssBytes: Spread;
}

export interface ProcessorFigures {
  readonly liveSessions: number;
  /** Resident growth since before the start, all buffers included, over live sessions: an upper bound of what one takes. */
  readonly rssBytesPerSession: Spread;
  readonly commits: Spread;
  readonly commitP50Ms: Spread;
  readonly commitP99Ms: Spread;
  /** The worst turn. */
  readonly loopDelay: LoopDelay;
  /** With what is left to do after the last commit: the flush to the local store, closing. */
  readonly eventsPerCpuSecondToClose: Spread;
  /** Ratios of medians. */
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
  const contenders = Object.entries(costs).map(([name, each]) => contenderFigures(name, each));
  const perCpu = (name: OwnContender): number =>
    contenders.find(({ contender }) => contender === name)!.eventsPerCpuSecond.median;
  const librdkafka = contenders.find(({ contender }) => contender === 'librdkafka')?.eventsPerCpuSecond.median;
  const processors = costs['flatline']!.map((cost) => ({ ...cost, ...cost.processor! }));
  const spread = (of: (cost: TurnCost & ProcessorCost) => number): Spread => spreadOf(processors.map(of));
  const toClose = spread(({ records, cpuToCloseMs }) => (1_000 * records) / cpuToCloseMs);
  return {
    format,
    contenders,
    processor: {
      liveSessions: processors[0]!.liveSessions,
      rssBytesPerSession: spread(
        ({ rssBytes, rssBeforeBytes, liveSessions }) => (rssBytes - rssBeforeBytes) / liveSessions,
      ),
      commits: spread(({ commits }) => commits),
      commitP50Ms: spread(({ commitP50Ms }) => commitP50Ms),
      commitP99Ms: spread(({ commitP99Ms }) => commitP99Ms),
      loopDelay: worstDelay(processors.map(({ loopDelay }) => loopDelay)),
      eventsPerCpuSecondToClose: toClose,
      timesKafkajs: perCpu('flatline') / perCpu('kafkajs'),
      timesReader: perCpu('flatline') / perCpu('reader'),
      timesLibrdkafka:
        librdkafka === undefined
          ? undefined
          : { processor: perCpu('flatline') / librdkafka, reader: perCpu('reader') / librdkafka },
      timesStreams: timesStreams(contenders, described),
      timesKafkajsToClose: toClose.median / perCpu('kafkajs'),
    },
  };
}

function contenderFigures(contender: string, costs: readonly TurnCost[]): ContenderFigures {
  const spread = (of: (cost: TurnCost) => number): Spread => spreadOf(costs.map(of));
  return {
    contender,
    records: spread(({ records }) => records),
    elapsedMs: spread(({ elapsedMs }) => elapsedMs),
    stopped: costs.some(({ stopped }) => stopped === true),
    eventsPerSecond: spread(({ records, elapsedMs }) => (1_000 * records) / elapsedMs),
    eventsPerCpuSecond: spread(({ records, cpuMs }) => (1_000 * records) / cpuMs),
    brokerUsPerEvent: spreadOfKnown(
      costs.map(({ records, brokerCpuMs }) =>
        brokerCpuMs === undefined ? undefined : (1_000 * brokerCpuMs) / records,
      ),
    ),
    peakRssBytes: spread(({ peakRssBytes }) => peakRssBytes),
    rssBytes: spread(({ rssBytes }) => rssBytes),
  };
}

/** Two charts per format: per CPU second, and per second. */
export function throughputCharts(formats: readonly FormatFigures[]): readonly BarChart[] {
  return formats.flatMap(({ format, contenders }) => {
    const bars = (of: (figures: ContenderFigures) => Spread): readonly Bar[] =>
      contenders.map((figures) => ({ label: figures.contender, ...of(figures) }));
    return [
      {
        name: `${format}-per-cpu-second`,
        title: `${format} events per CPU second; more is better`,
        bars: bars(({ eventsPerCpuSecond }) => eventsPerCpuSecond),
      },
      {
        name: `${format}-per-second`,
        title: `${format} events per second; more is better`,
        bars: bars(({ eventsPerSecond }) => eventsPerSecond),
      },
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
  const reference = contenders.find(({ contender }) => contender === 'kafkajs')!.eventsPerCpuSecond.median;
  const head = [
    `${format} events`,
    'events/s',
    'events/CPU-s',
    '',
    'broker µs/event',
    '× kafkajs',
    'flatline is',
    'measured',
    's',
    '',
    'RSS',
    'peak',
  ];
  const flatline = contenders.find(({ contender }) => contender === 'flatline')!.eventsPerCpuSecond.median;
  const rows = contenders.map((figures) => [
    figures.contender,
    short(figures.eventsPerSecond.median),
    short(figures.eventsPerCpuSecond.median),
    range(figures.eventsPerCpuSecond),
    figures.brokerUsPerEvent === undefined ? 'n/a' : short(figures.brokerUsPerEvent.median),
    short(figures.eventsPerCpuSecond.median / reference),
    `${short(flatline / figures.eventsPerCpuSecond.median)} ×`,
    short(figures.records.median),
    (figures.elapsedMs.median / 1_000).toFixed(1),
    figures.stopped ? 'stopped' : '',
    megabytes(figures.rssBytes.median),
    megabytes(figures.peakRssBytes.median),
  ]);
  return [textTable([head, ...rows]), processorText(format, processor)].join('\n');
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

function range({ min, max }: Spread): string {
  return min === max ? '' : `(${short(min)} – ${short(max)})`;
}
