// Records of Kafka in the checker's terms. The oracle reads them, from the bytes on: neither the product's cursor nor its
// codec takes part, so that a fault of theirs shows. What is asked of the product is the schemas of a registry, by their ids.
import type { PipelineConfig } from '@flatline/config';
import {
  type InputRecord,
  inputRecord,
  letterRecord,
  type LetterRecord,
  type LogRecord,
  outputRecord,
  type OutputRecord,
  plainRecord,
  type RawRecord,
  ValueFormats,
} from '@flatline/oracle';
import type { SchemaRegistry } from '@flatline/records';

export interface RecordReader<R> {
  /** Fetches what `read` needs for these records. @throws Retriable where the registry does not answer. */
  prepare(records: readonly RawRecord[]): Promise<void>;
  read(record: RawRecord): R;
}

export const logRecords: RecordReader<LogRecord> = { prepare: () => Promise.resolve(), read: plainRecord };
export const letters: RecordReader<LetterRecord> = { prepare: () => Promise.resolve(), read: letterRecord };

export function inputReader(
  { input }: PipelineConfig,
  registry: SchemaRegistry | undefined,
): RecordReader<InputRecord> {
  const formats = new ValueFormats(input.format);
  return {
    prepare: (records) => learn(formats, records, registry),
    read: (record) => inputRecord(record, (value) => formats.event(value)),
  };
}

export function outputReader(registry: SchemaRegistry | undefined): RecordReader<OutputRecord> {
  const formats = new ValueFormats('auto');
  return {
    prepare: (records) => learn(formats, records, registry),
    read: (record) => outputRecord(record, (value) => formats.summary(value)),
  };
}

async function learn(
  formats: ValueFormats,
  records: readonly RawRecord[],
  registry: SchemaRegistry | undefined,
): Promise<void> {
  for (const { value } of records) {
    const id = formats.lacks(value);
    if (id === undefined) continue;
    const found = await registry?.schemaById(id);
    formats.learn(id, found?.schemaType === 'AVRO' ? found.schema : undefined);
  }
}
