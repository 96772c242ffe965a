// Records in the Confluent wire format: 0x00, the schema id in four bytes (big endian), the Avro encoding.
import { assert } from '@flatline/base';
import type { FieldKind, FieldValues, RecordField, RecordShape, WrittenValue } from '../record-shape.ts';
import { AvroWriter } from './avro-writer.ts';

export const MAGIC_BYTE = 0x00;
export const WIRE_HEADER_BYTES = 5;

/** Writes one record after another of the same shape, under the id the registry gave its schema. */
export class AvroRecordWriter<Source> {
  readonly #schemaId: number;
  readonly #shape: RecordShape<Source, never>;
  readonly #writer = new AvroWriter();

  constructor(schemaId: number, shape: RecordShape<Source, never>) {
    this.#schemaId = schemaId;
    this.#shape = shape;
  }

  encode(source: Source): Uint8Array {
    this.#write(source);
    return this.#writer.copy();
  }

  /** The same bytes, valid until the next call. */
  view(source: Source): Uint8Array {
    this.#write(source);
    return this.#writer.view();
  }

  #write(source: Source): void {
    const writer = this.#writer;
    writer.clear();
    writer.byte(MAGIC_BYTE);
    writer.u32BigEndian(this.#schemaId);
    for (const field of this.#shape) writeField(writer, field, source);
  }
}

function writeField<Source>(writer: AvroWriter, field: RecordField<Source, never>, source: Source): void {
  const value = field.get(source);
  if (field.nullable) {
    writer.long(value === undefined ? 0 : 1);
    if (value === undefined) return;
  }
  if (value === undefined) {
    assert(field.kind.endsWith('Map'), 'only maps may be absent where null is not allowed', { field: field.name });
    writer.byte(0);
    return;
  }
  writeValue(writer, value);
}

function writeValue(writer: AvroWriter, value: WrittenValue<FieldValues[FieldKind]>): void {
  switch (typeof value) {
    case 'string':
      writer.text(value);
      return;
    case 'number':
      writer.long(value);
      return;
    case 'boolean':
      writer.boolean(value);
      return;
    default:
      if (value instanceof Map) writeMap(writer, value as ReadonlyMap<string, string | number>);
      else writeTexts(writer, value as readonly string[]);
  }
}

/** Likewise. */
function writeTexts(writer: AvroWriter, texts: readonly string[]): void {
  if (texts.length > 0) writer.long(texts.length);
  for (const each of texts) writer.text(each);
  writer.byte(0);
}

/** One block with all entries, then the empty one that ends a map. */
function writeMap(writer: AvroWriter, map: ReadonlyMap<string, string | number>): void {
  if (map.size > 0) writer.long(map.size);
  for (const [key, value] of map) {
    writer.text(key);
    writeValue(writer, value);
  }
  writer.byte(0);
}
