// Records of Kafka in the checker's terms. The oracle reads them, from the bytes on: neither the product's cursor nor its
// codec takes part, so that a fault of theirs shows. What is asked of the product is the schemas of a registry, by their ids.
import type { PipelineConfig } from '@flatline/config';
import {
  type InputRecord,
  inputRecord,
  keyedRecord,
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

interface KindReaders {
  readonly input: RecordReader<InputRecord>;
  readonly output: RecordReader<OutputRecord>;
}

type Readers = {
  readonly [Kind in PipelineConfig['kind']]: (
    pipeline: PipelineConfig,
    registry: SchemaRegistry | undefined,
  ) => KindReaders;
};

const AS_IT_LIES: RecordReader<InputRecord> = {
  prepare: () => Promise.resolve(),
  read: (record) => keyedRecord(record),
};

const READERS: Readers = {
  session: ({ input }, registry) => ({
    input: learning(new ValueFormats(input.format), registry, (formats, record) =>
      inputRecord(record, (value) => formats.event(value)),
    ),
    output: fieldsReader(registry),
  }),
  lease: ({ input }, registry) => ({
    input: learning(new ValueFormats(input.format), registry, (formats, record) =>
      keyedRecord(record, (value) => formats.request(value)),
    ),
    output: fieldsReader(registry),
  }),
  debounce: (_pipeline, registry) => ({ input: AS_IT_LIES, output: fieldsReader(registry) }),
  // Values go through untouched: what they say is not ours.
  schedule: () => ({
    input: AS_IT_LIES,
    output: { prepare: () => Promise.resolve(), read: (record) => outputRecord(record, () => undefined) },
  }),
};

/** How the records of a pipeline's input and output are read. `registry`: needed where Avro comes. */
export function readersOf(pipeline: PipelineConfig, registry: SchemaRegistry | undefined): KindReaders {
  return READERS[pipeline.kind](pipeline, registry);
}

function fieldsReader(registry: SchemaRegistry | undefined): RecordReader<OutputRecord> {
  return learning(new ValueFormats('auto'), registry, (formats, record) =>
    outputRecord(record, (value) => formats.summary(value)),
  );
}

function learning<R>(
  formats: ValueFormats,
  registry: SchemaRegistry | undefined,
  read: (formats: ValueFormats, record: RawRecord) => R,
): RecordReader<R> {
  return { prepare: (records) => learn(formats, records, registry), read: (record) => read(formats, record) };
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
