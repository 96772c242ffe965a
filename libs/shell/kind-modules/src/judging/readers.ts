// Records of Kafka in the checker's terms. The oracle reads them, from the bytes on: neither the product's cursor nor its
// codec takes part, so that a fault of theirs shows. What is asked of the product is the schemas of a registry, by their ids.
import {
  type InputRecord,
  keyedRecord,
  optionAt,
  outputRecord,
  type OutputRecord,
  type RawRecord,
  type ValueFormat,
  ValueFormats,
} from '@flatline/oracle';
import type { SchemaRegistry } from '@flatline/records';
import type { AnyPipeline } from '../pipeline.ts';
import type { RecordReader, Settings } from './kind-judging.ts';

type FormatsOf = (record: RawRecord) => ValueFormats;

/** For inputs whose values are not read. */
export const AS_IT_LIES: RecordReader<InputRecord> = {
  prepare: () => Promise.resolve(),
  read: (record) => keyedRecord(record),
};

const FORMATS: readonly unknown[] = ['auto', 'json', 'avro'] satisfies readonly ValueFormat[];

/** Each value is what it was when it was applied, by the format that was configured then. */
export function inputFormats({ input }: AnyPipeline, settings: Settings): FormatsOf {
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

/** Each value by the format that is configured now: what was before is said by offsets of the first input alone. */
export function formatsAs(format: ValueFormat): FormatsOf {
  const formats = new ValueFormats(format);
  return () => formats;
}

/** For outputs whose values have named fields. */
export function fieldsReader(registry: SchemaRegistry | undefined): RecordReader<OutputRecord> {
  const all = new ValueFormats('auto');
  const read = (formats: ValueFormats, record: RawRecord): OutputRecord =>
    outputRecord(record, (value) => formats.summary(value));
  return learning(() => all, registry, read);
}

/** Asks the registry for the schemas of values that it does not know yet. */
export function learning<R>(
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
