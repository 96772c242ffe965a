// What a throughput measurement says: medians, spreads and ratios within the run. Pure.
import { type LoopDelay, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import { loadWarning, machineText } from '../machine.ts';
import type { Bar, BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { megabytes, short, textTable } from '../text-table.ts';
import type { OwnContender } from './contenders.ts';
import type { ContenderCost, ProcessorCost } from './contender-task.ts';
import type { FormatMeasurement, ThroughputMeasurement } from './throughput-benchmark.ts';

export interface ContenderFigures {
  readonly contender: string;
  readonly records: Spread;
  /** It did not get through all events in the time it was given. */
  readonly stopped: boolean;
  readonly eventsPerSecond: Spread;
  readonly eventsPerCpuSecond: Spread;
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
  /** Of the processor, and of the reader; undefined where librdkafka did not take part. */
  readonly timesLibrdkafka: { readonly processor: number; readonly reader: number } | undefined;
  readonly timesKafkajsToClose: number;
}

export interface FormatFigures {
  readonly format: string;
  readonly contenders: readonly ContenderFigures[];
  readonly processor: ProcessorFigures;
}

/** What the project promises: events per CPU second of the processor over those of kafkajs' consumer. */
const TIMES_KAFKAJS_MIN = 2;

export function figuresOf({ format, costs }: FormatMeasurement): FormatFigures {
  const contenders = Object.entries(costs).map(([name, each]) => contenderFigures(name, each));
  const perCpu = (name: OwnContender): number =>
    contenders.find(({ contender }) => contender === name)!.eventsPerCpuSecond.median;
  const librdkafka = contenders.find(({ contender }) => contender === 'librdkafka')?.eventsPerCpuSecond.median;
  const processors = costs['flatline']!.map((cost) => ({ ...cost, ...cost.processor! }));
  const spread = (of: (cost: ContenderCost & ProcessorCost) => number): Spread => spreadOf(processors.map(of));
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
      timesKafkajsToClose: toClose.median / perCpu('kafkajs'),
    },
  };
}

function contenderFigures(contender: string, costs: readonly ContenderCost[]): ContenderFigures {
  const spread = (of: (cost: ContenderCost) => number): Spread => spreadOf(costs.map(of));
  return {
    contender,
    records: spread(({ records }) => records),
    stopped: costs.some(({ stopped }) => stopped === true),
    eventsPerSecond: spread(({ records, elapsedMs }) => (1_000 * records) / elapsedMs),
    eventsPerCpuSecond: spread(({ records, cpuMs }) => (1_000 * records) / cpuMs),
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
        ...{ name: `${format}-per-cpu-second`, title: `${format} events per CPU second; more is better` },
        bars: bars(({ eventsPerCpuSecond }) => eventsPerCpuSecond),
      },
      {
        ...{ name: `${format}-per-second`, title: `${format} events per second; more is better` },
        bars: bars(({ eventsPerSecond }) => eventsPerSecond),
      },
    ];
  });
}

export function throughputText(measurement: ThroughputMeasurement): string {
  const { machine, loadBefore, loadAfter, settings, formats, contenders, absent, versions } = measurement;
  const { events, sessions, partitions, repeats, commitIntervalMs } = settings;
  const loads = `load ${loadBefore.loadAverage.toFixed(1)} before, ${loadAfter.loadAverage.toFixed(1)} after`;
  const warnings = [loadWarning('before', loadBefore), loadWarning('after', loadAfter)].filter(
    (each) => each !== undefined,
  );
  const sections = formats.map((format) => formatText(figuresOf(format), events));
  return [
    `${machineText(machine)}; ${loads}`,
    ...(versions.length === 0 ? [] : [versions.join(', ')]),
    `${short(events)} events of ${short(sessions)} sessions, ${partitions} partitions, commits every ${commitIntervalMs} ms;`,
    `medians of ${repeats} turns, least to most in brackets; CPU of all processes of a contender, not the broker's`,
    ...warnings.map((warning) => `WARNING: ${warning}`),
    ...sections.flatMap((section) => ['', section]),
    '',
    ...contenders.flatMap(({ name, does, lacks }) => [
      `${name}: ${does}`,
      ...(lacks === undefined ? [] : [`  lacks ${lacks}`]),
    ]),
    ...absent.map((each) => `not run: ${each}`),
  ].join('\n');
}

function formatText({ format, contenders, processor }: FormatFigures, events: number): string {
  const reference = contenders.find(({ contender }) => contender === 'kafkajs')!.eventsPerCpuSecond.median;
  const head = [`${format} events`, 'events/s', 'events/CPU-s', '', '× kafkajs', 'flatline is', 'RSS', 'peak'];
  const flatline = contenders.find(({ contender }) => contender === 'flatline')!.eventsPerCpuSecond.median;
  const rows = contenders.map((figures) => [
    figures.contender,
    short(figures.eventsPerSecond.median),
    short(figures.eventsPerCpuSecond.median),
    range(figures.eventsPerCpuSecond),
    short(figures.eventsPerCpuSecond.median / reference),
    `${short(flatline / figures.eventsPerCpuSecond.median)} ×`,
    megabytes(figures.rssBytes.median),
    megabytes(figures.peakRssBytes.median),
  ]);
  const stopped = contenders
    .filter((figures) => figures.stopped)
    .map(
      ({ contender, records }) => `  ${contender} was stopped at ${short(records.median)} of ${short(events)} events`,
    );
  return [textTable([head, ...rows]), processorText(format, processor), ...stopped].join('\n');
}

/** The goal is for bare heartbeats: an event with a payload is decoded, which kafkajs' merely reading consumer does not do. */
function goalText(format: string, timesKafkajs: number): string {
  if (format !== 'bare') return '';
  return ` (at least ${TIMES_KAFKAJS_MIN}: ${timesKafkajs >= TIMES_KAFKAJS_MIN ? 'met' : 'MISSED'})`;
}

function processorText(format: string, processor: ProcessorFigures): string {
  const { timesKafkajs, timesReader, timesLibrdkafka, timesKafkajsToClose } = processor;
  const { commits, commitP50Ms, commitP99Ms } = processor;
  return [
    `  per CPU second: ${timesKafkajs.toFixed(2)} × kafkajs${goalText(format, timesKafkajs)}, ` +
      `${timesReader.toFixed(2)} × its own reader`,
    ...(timesLibrdkafka === undefined
      ? []
      : [
          `  beside librdkafka merely reading: the processor ${timesLibrdkafka.processor.toFixed(2)} ×, ` +
            `the reader ${timesLibrdkafka.reader.toFixed(2)} ×`,
        ]),
    `  with the last flush and closing: ${short(processor.eventsPerCpuSecondToClose.median)} events/CPU-s, ` +
      `${timesKafkajsToClose.toFixed(2)} × kafkajs`,
    `  commits: ${short(commits.median)}, p50 ${short(commitP50Ms.median)} ms, p99 ${short(commitP99Ms.median)} ms`,
    `  ${loopDelayVerdict(processor.loopDelay)}: ${loopDelayText(processor.loopDelay)} ms (p99 / most / most CPU)`,
    `  resident per live session: ${short(processor.rssBytesPerSession.median)} bytes of ${short(processor.liveSessions)} ` +
      'sessions, buffers and code included',
  ].join('\n');
}

function range({ min, max }: Spread): string {
  return `(${short(min)} – ${short(max)})`;
}
