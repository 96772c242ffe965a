// Reads all partitions of an output as a read_committed consumer does, record by record.
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';
import type { RecordCursor } from '@flatline/ports';

interface Output {
  readonly topic: string;
  readonly partitions: number;
  /** Offsets by partition at which it begins; default: 0. */
  readonly from?: readonly number[];
}

export class OutputReader {
  readonly #reader: KafkaLogReader;
  /** The error that ended the reading. */
  failure: Error | undefined;

  /** @param onRecord told of each; the cursor is valid during the call */
  constructor(
    kafka: KafkaOptions,
    { topic, partitions, from = [] }: Output,
    onRecord: (record: RecordCursor, partition: number) => void,
  ) {
    this.#reader = new KafkaLogReader({ ...kafka, reusesAnswers: true });
    for (let partition = 0; partition < partitions; partition += 1) {
      const subscription = this.#reader.subscribe({ topic, partition }, from[partition] ?? 0);
      subscription.onChange(() => {
        this.failure ??= subscription.failure;
        for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take())
          while (fetched.cursor.next()) onRecord(fetched.cursor, partition);
      });
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }
}

export function valueText({ bytes, valueStart, valueLength }: RecordCursor): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueLength).toString('utf8');
}
