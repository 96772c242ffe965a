// Reads the values of a topic, in JSON or Avro, recognized by their first byte (docs/FORMATS.md, Input).
//
// Owns: the schemas learned, by their ids.
// Does not own: fetching them.
import { type AvroRecord, canBe, type Content, isFieldOf, NoSchema, recordSchema } from './avro-schema.ts';
import { avroAll, avroFields, avroRecord } from './avro-value.ts';
import { BrokenBytes, ByteWalk } from './byte-walk.ts';
import type { EventFields, InputEvent, ValueFormat } from './history.ts';
import { eventOf, jsonEvent, jsonObject } from './json-event.ts';

const OPENING_BRACE = 0x7b;
/** Confluent's wire format: this byte, the id of the writer's schema, the value. */
const AVRO_MAGIC = 0x00;
const SCHEMA_ID_BYTES = 4;
const WIRE_HEADER_BYTES = 1 + SCHEMA_ID_BYTES;

export class ValueFormats {
  readonly #format: ValueFormat;
  readonly #schemas = new Map<number, AvroRecord | undefined>();

  /** `format`: of all values, by the configuration. */
  constructor(format: ValueFormat) {
    this.#format = format;
  }

  /** The id of the schema that is missing to read the value; undefined: none is. */
  lacks(value: Uint8Array | null): number | undefined {
    if (value === null || this.#formatOf(value) !== 'avro' || value.length < WIRE_HEADER_BYTES) return undefined;
    const id = schemaIdIn(value);
    return this.#schemas.has(id) ? undefined : id;
  }

  /** Takes the Avro schema of an id; undefined: there is none, and values written by it cannot be read. */
  learn(id: number, schema: string | undefined): void {
    this.#schemas.set(id, schema === undefined ? undefined : parsed(schema));
  }

  /** Reads the event in a value that is neither null nor empty. `bad`: it is not an event (I1). */
  event(value: Uint8Array): InputEvent | 'bad' {
    if (this.#formatOf(value) === 'json') return jsonEvent(value);
    const fields = this.#avro('event', value);
    return fields === undefined ? 'bad' : eventOf(fields);
  }

  /** Reads the fields of a value that is neither null nor empty, as a request for a lease; undefined: unreadable. */
  request(value: Uint8Array): EventFields | undefined {
    return this.#formatOf(value) === 'json' ? jsonObject(value) : this.#avro('request', value);
  }

  /** All fields of a value that `event` has read (S10). */
  allFields(value: Uint8Array): EventFields | undefined {
    if (this.#formatOf(value) === 'json') return jsonObject(value);
    const schema = this.#schemaOf(value);
    return schema && unlessBroken(() => avroAll(schema, value.subarray(WIRE_HEADER_BYTES)));
  }

  /** Reads a record of the output; undefined: unreadable. */
  summary(value: Uint8Array): EventFields | undefined {
    if (value[0] === OPENING_BRACE) return jsonObject(value);
    const schema = value[0] === AVRO_MAGIC ? this.#schemaOf(value) : undefined;
    return schema && unlessBroken(() => avroRecord(schema, value.subarray(WIRE_HEADER_BYTES)));
  }

  #avro(content: Content, value: Uint8Array): EventFields | undefined {
    const schema = this.#formatOf(value) === 'avro' ? this.#schemaOf(value) : undefined;
    if (schema === undefined || !canBe(content, schema)) return undefined;
    const isWanted = (name: string): boolean => isFieldOf(content, name);
    return unlessBroken(() => avroFields(schema, value.subarray(WIRE_HEADER_BYTES), isWanted));
  }

  #formatOf(value: Uint8Array): 'json' | 'avro' | undefined {
    if (this.#format === 'json') return 'json';
    if (value[0] === AVRO_MAGIC) return 'avro';
    return this.#format === 'auto' && value[0] === OPENING_BRACE ? 'json' : undefined;
  }

  #schemaOf(value: Uint8Array): AvroRecord | undefined {
    return value.length < WIRE_HEADER_BYTES ? undefined : this.#schemas.get(schemaIdIn(value));
  }
}

function schemaIdIn(value: Uint8Array): number {
  return new ByteWalk(value.subarray(1, WIRE_HEADER_BYTES)).uint32();
}

function parsed(schema: string): AvroRecord | undefined {
  try {
    return recordSchema(schema);
  } catch (error) {
    if (error instanceof NoSchema) return undefined;
    throw error;
  }
}

function unlessBroken(read: () => EventFields): EventFields | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenBytes) return undefined;
    throw error;
  }
}
