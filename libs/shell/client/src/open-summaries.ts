// Summaries without a group, over connections of their own.
import type { KafkaOptions } from '@flatline/kafka';
import type { SchemaRegistry } from '@flatline/records';
import { openSummaryConsumer } from './open-summary-consumer.ts';
import type { OutputRecord } from './output-record.ts';

export interface SummariesOptions {
  /** The output topic of a pipeline. */
  readonly topic: string;
  /** Where to begin: all there is, only what comes from now on, or where another stood (its `positions`). */
  readonly from: 'beginning' | 'end' | ReadonlyMap<number, number>;
  /** `end`: give what is committed now, and be done. Default: follow until closed. */
  readonly until?: 'end';
  /** How the topic is written. Default `auto`: told apart by the first byte. */
  readonly format?: 'auto' | 'json' | 'avro';
}

/** Committed records of an output topic, each once, in the order of each partition. Leaving the loop closes it. */
export interface Summaries extends AsyncIterable<OutputRecord> {
  /** The offset after the last record given, by partition number: to be kept with what was made of the records. */
  readonly positions: ReadonlyMap<number, number>;
  /** Ends the iteration, and closes the connections. Idempotent. */
  close(): Promise<void>;
}

interface Surroundings {
  readonly kafka: KafkaOptions;
  readonly registry: SchemaRegistry | undefined;
}

export async function openSummaries(options: SummariesOptions, { kafka, registry }: Surroundings): Promise<Summaries> {
  const { consumer, close } = await openSummaryConsumer({ ...options, kafka, registry });
  return {
    get positions() {
      return consumer.positions;
    },
    close,
    [Symbol.asyncIterator]: async function* () {
      try {
        yield* consumer;
      } finally {
        await close();
      }
    },
  };
}
