import { Fatal } from '@flatline/base';
import type { InputFormat, SchemaRegistry } from '@flatline/records';
import { SummaryFormats } from '@flatline/records/summaries';
import { KafkaLogAdmin, KafkaLogReader, type KafkaOptions, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { OutputConsumer } from './output-consumer.ts';
import { summaryReading } from './output-kinds.ts';
import type { OutputRecord } from './output-record.ts';

export type SummaryConsumer = OutputConsumer<OutputRecord>;

export interface SummaryConsumerOptions {
  readonly kafka: KafkaOptions;
  /** The output topic. */
  readonly topic: string;
  /** Where to begin: all there is, only what comes from now on, or where a consumer stood (its `positions`). */
  readonly from: 'beginning' | 'end' | ReadonlyMap<number, number>;
  /** `end`: give what is committed now, and be done. Default: follow until closed. */
  readonly until?: 'end' | undefined;
  /** Default `auto`: told apart by the first byte. */
  readonly format?: InputFormat;
  /** Needed for Avro. */
  readonly registry?: SchemaRegistry | undefined;
}

interface PartitionEnds {
  readonly partition: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Opens a consumer of every partition of an output topic, with a reader of its own, which `close` closes too.
 * @throws Fatal where the topic does not exist or may not be read; Retriable where no broker answers.
 */
export async function openSummaryConsumer(
  options: SummaryConsumerOptions,
): Promise<{ readonly consumer: SummaryConsumer; readonly close: () => Promise<void> }> {
  const { kafka, topic, from, until, format = 'auto', registry } = options;
  const partitions = await endsOf(kafka, topic);
  const reader = new KafkaLogReader(kafka);
  const begin = ({ partition, start, end }: PartitionEnds): number => {
    if (from === 'beginning') return start;
    return from === 'end' ? end : (from.get(partition) ?? start);
  };
  const consumer = new OutputConsumer<OutputRecord>({
    reader,
    topic,
    read: summaryReading(new SummaryFormats({ format, registry, clock: kafka.clock })),
    offsets: new Map(partitions.map((ends) => [ends.partition, begin(ends)])),
    until: until === 'end' ? new Map(partitions.map(({ partition, end }) => [partition, end])) : undefined,
  });
  const close = (): Promise<void> => {
    consumer.close();
    return reader.close();
  };
  return { consumer, close };
}

/** Where each partition of a topic begins and ends. @throws Fatal where it does not exist or may not be read; Retriable where no broker answers. */
export async function endsOf(kafka: KafkaOptions, topic: string): Promise<PartitionEnds[]> {
  const connection = openCluster(kafka);
  try {
    const [found] = await new KafkaTopicAdmin({ clock: kafka.clock, connection }).describeTopics([topic]);
    if (found?.kind !== 'present')
      throw new Fatal(
        found?.kind === 'unauthorized'
          ? `topic ${topic} may not be read by this user: allow it DESCRIBE and READ`
          : `topic ${topic} does not exist: create it with npx flatline topics create, or correct its name`,
      );
    const admin = new KafkaLogAdmin({ clock: kafka.clock, connection });
    return await Promise.all(
      Array.from({ length: found.partitions }, async (_, partition) => {
        const { logStartOffset, lastStableOffset } = await admin.ends({ topic, partition });
        return { partition, start: logStartOffset, end: lastStableOffset };
      }),
    );
  } finally {
    connection.close();
  }
}
