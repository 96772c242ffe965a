// Figures from the turns of a throughput measurement: medians, spreads and ratios within one measurement. Pure.
import { combine, type Row, rowsOf } from '../frame/page.ts';
import { type LoopDelay, worstDelay } from '../loop-delay.ts';
import type { ProcessorCost, TurnCost } from '../tasks/contender-task.ts';
import type { EventFormat } from '../tasks/event-format.ts';
import type { Contender } from './contenders.ts';

export interface FormatMeasurement {
  readonly format: EventFormat;
  /** By contender, in order of the turns. */
  readonly costs: Readonly<Record<string, readonly TurnCost[]>>;
}

type Turn = TurnCost & { readonly contender: string };
const { spread, spreads, known } = combine<Turn>();
const CONTENDER_FIGURES = {
  /** Records that count: those after the warm-up. */
  ...spreads('records', 'elapsedMs'),
  /** True if it did not finish all events in time. */
  stopped: (turns: readonly Turn[]) => turns.some(({ stopped }) => stopped === true),
  eventsPerSecond: spread(({ records, elapsedMs }) => (1_000 * records) / elapsedMs),
  eventsPerCpuSecond: spread(({ records, cpuMs }) => (1_000 * records) / cpuMs),
  brokerUsPerEvent: known(({ records, brokerCpuMs }) =>
    brokerCpuMs === undefined ? undefined : (1_000 * brokerCpuMs) / records,
  ),
  compilingUsPerEvent: known(({ records, brokerCompilingMs }) =>
    brokerCompilingMs === undefined ? undefined : (1_000 * brokerCompilingMs) / records,
  ),
  ...spreads('peakRssBytes', 'rssBytes'),
};
export type ContenderFigures = Row<Turn, 'contender', typeof CONTENDER_FIGURES>;

type ProcessorTurn = TurnCost & ProcessorCost;
const ofProcessor = combine<ProcessorTurn>();
const PROCESSOR_FIGURES = {
  /** Resident growth since before the start, including all buffers, per live session: an upper bound of its size. */
  rssBytesPerSession: ofProcessor.spread(
    ({ rssBytes, rssBeforeBytes, liveSessions }) => (rssBytes - rssBeforeBytes) / liveSessions,
  ),
  ...ofProcessor.spreads('commits', 'commitP50Ms', 'commitP99Ms'),
  /** The worst turn. */
  loopDelay: (turns: readonly ProcessorTurn[]): LoopDelay => worstDelay(turns.map(({ loopDelay }) => loopDelay)),
  /** Includes the work after the last commit: the flush to the local store, closing. */
  eventsPerCpuSecondToClose: ofProcessor.spread(({ records, cpuToCloseMs }) => (1_000 * records) / cpuToCloseMs),
};

/** Events per CPU second of the processor, over those of the named contender. */
interface TimesPeer {
  readonly contender: string;
  readonly times: number;
  readonly closes: boolean;
}

/** Undefined if none of that kind was measured. */
interface TimesStreams {
  /** Against all variants of Kafka Streams, and against those that close sessions. */
  readonly best: TimesPeer | undefined;
  readonly bestClosing: TimesPeer | undefined;
  /** The better one of its session windows. */
  readonly windows: TimesPeer | undefined;
}

/** Ratios are of medians. */
export interface ProcessorFigures extends Row<ProcessorTurn, 'liveSessions', typeof PROCESSOR_FIGURES> {
  readonly timesKafkajs: number;
  readonly timesReader: number;
  /** The processor's ratio, and the reader's; undefined if librdkafka did not take part. */
  readonly timesLibrdkafka: { readonly processor: number; readonly reader: number } | undefined;
  readonly timesStreams: TimesStreams;
  readonly timesKafkajsToClose: number;
}

export interface FormatFigures {
  readonly format: EventFormat;
  readonly contenders: readonly ContenderFigures[];
  readonly processor: ProcessorFigures;
}

/** @param described the contenders that are Kafka Streams */
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

function timesStreams(
  figures: readonly ContenderFigures[],
  described: readonly Pick<Contender, 'name' | 'streams'>[],
): TimesStreams {
  const kinds = new Map(described.map(({ name, streams }) => [name, streams]));
  const flatline = figures.find(({ contender }) => contender === 'flatline')!.eventsPerCpuSecond.median;
  const times = figures
    .filter(({ contender }) => kinds.get(contender) !== undefined)
    .map(({ contender, eventsPerCpuSecond }) => ({
      contender,
      times: flatline / eventsPerCpuSecond.median,
      closes: kinds.get(contender) !== 'never',
    }))
    .sort((a, b) => a.times - b.times);
  return {
    best: times[0],
    bestClosing: times.find(({ closes }) => closes),
    windows: times.find(({ contender }) => kinds.get(contender) === 'windows'),
  };
}
