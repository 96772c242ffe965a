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
  optionAt,
  outputRecord,
  type OutputRecord,
  type PartitionHistory,
  plainRecord,
  type RawRecord,
  type ValueFormat,
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

type Settings = NonNullable<PartitionHistory['settings']>;
type FormatsOf = (record: RawRecord) => ValueFormats;

type Readers = {
  readonly [Kind in PipelineConfig['kind']]: (
    pipeline: PipelineConfig,
    registry: SchemaRegistry | undefined,
    settings: Settings,
  ) => KindReaders;
};

const AS_IT_LIES: RecordReader<InputRecord> = {
  prepare: () => Promise.resolve(),
  read: (record) => keyedRecord(record),
};

const READERS: Readers = {
  session: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, (formats, record) =>
      inputRecord(record, (value) => formats.event(value)),
    ),
    output: fieldsReader(registry),
  }),
  lease: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, (formats, record) =>
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

/**
 * Returns readers for the records of a pipeline's input and output. `registry`: needed where Avro comes. `settings`: by which the
 * records of the input were applied, as far as the changelog says it.
 */
export function readersOf(
  pipeline: PipelineConfig,
  registry: SchemaRegistry | undefined,
  settings: Settings,
): KindReaders {
  return READERS[pipeline.kind](pipeline, registry, settings);
}

const FORMATS: readonly unknown[] = ['auto', 'json', 'avro'] satisfies readonly ValueFormat[];

/** Each value is what it was when it was applied, by the format that was configured then. */
function inputFormats({ input }: PipelineConfig, settings: Settings): FormatsOf {
  const said = optionAt(settings, 'inputFormat');
  const all = new Map<unknown, ValueFormats>();
  return ({ offset }) => {
    const then = said(offset);
    const format = FORMATS.includes(then) ? (then as ValueFormat) : input.format;
    const formats = all.get(format) ?? new ValueFormats(format);
    all.set(format, formats);
    return formats;
  };
}

function fieldsReader(registry: SchemaRegistry | undefined): RecordReader<OutputRecord> {
  const all = new ValueFormats('auto');
  const read = (formats: ValueFormats, record: RawRecord): OutputRecord =>
    outputRecord(record, (value) => formats.summary(value));
  return learning(() => all, registry, read);
}

function learning<R>(
  formatsOf: FormatsOf,
  registry: SchemaRegistry | undefined,
  read: (formats: ValueFormats, record: RawRecord) => R,
): RecordReader<R> {
  return {
    prepare: (records) => learn(formatsOf, records, registry),
    read: (record) => read(formatsOf(record), record),
  };
}

async function learn(
  formatsOf: FormatsOf,
  records: readonly RawRecord[],
  registry: SchemaRegistry | undefined,
): Promise<void> {
  for (const record of records) {
    const formats = formatsOf(record);
    const id = formats.lacks(record.value);
    if (id === undefined) continue;
    const found = await registry?.schemaById(id);
    formats.learn(id, found?.schemaType === 'AVRO' ? found.schema : undefined);
  }
}
