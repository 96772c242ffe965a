// The project's goals for the processor against others, and whether they are met. Pure.
import type { EventFormat } from '../tasks/event-format.ts';
import type { ProcessorFigures } from './throughput-figures.ts';

type Limits = Readonly<Partial<Record<EventFormat, number>>>;

/** The project's goals, per CPU second. Mere readers are not compared on events that must be decoded. */
const TIMES_KAFKAJS_MIN: Limits = { bare: 2 };
const TIMES_READER_MIN: Limits = { bare: 0.5 };
const TIMES_LIBRDKAFKA_MIN: Limits = { bare: 1 };
const TIMES_STREAMS_MIN: Limits = { bare: 15, json: 6, avro: 10 };
const TIMES_WINDOWS_MIN: Limits = { bare: 80 };

/** One line per kind of peer that was measured. */
export function goalLines(format: EventFormat, processor: ProcessorFigures): readonly string[] {
  const { timesKafkajs, timesReader, timesLibrdkafka, timesStreams: streams } = processor;
  const said = (times: number, limits: Limits): string => `${times.toFixed(2)} ×`.concat(goal(times, limits[format]));
  const { best, bestClosing, windows } = streams;
  return [
    `per CPU second: kafkajs merely reading ${said(timesKafkajs, TIMES_KAFKAJS_MIN)}, our reader ${said(timesReader, TIMES_READER_MIN)}`,
    ...(timesLibrdkafka === undefined
      ? []
      : [
          `librdkafka merely reading ${said(timesLibrdkafka.processor, TIMES_LIBRDKAFKA_MIN)}; our reader is ` +
            `${timesLibrdkafka.reader.toFixed(2)} × as fast`,
        ]),
    ...(best === undefined
      ? []
      : [
          `Kafka Streams' best variant (${best.contender}${best.closes ? '' : ', which closes nothing'}) ${said(best.times, TIMES_STREAMS_MIN)}`,
        ]),
    ...(bestClosing === undefined || bestClosing === best
      ? []
      : [
          `Kafka Streams' best variant that closes sessions (${bestClosing.contender}) ${said(bestClosing.times, TIMES_STREAMS_MIN)}`,
        ]),
    ...(windows === undefined
      ? []
      : [`Kafka Streams' session windows (${windows.contender}) ${said(windows.times, TIMES_WINDOWS_MIN)}`]),
  ];
}

function goal(times: number, limit: number | undefined): string {
  return limit === undefined ? '' : ` (at least ${limit}: ${times >= limit ? 'met' : 'MISSED'})`;
}
