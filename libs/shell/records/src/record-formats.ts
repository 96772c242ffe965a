// Values of one kind of record in every format, told apart by their first byte unless the configuration fixes it
// (docs/FORMATS.md, Input): 0x00 the Confluent wire format, `{` JSON. Empty and null values have no format, and mean what
// the topic says they mean (I2).
import { assert, bareJson, type Clock, counted } from '@flatline/base';
import { MAGIC_BYTE, WIRE_HEADER_BYTES } from './avro/avro-record-writer.ts';
import { AvroReader } from './avro/avro-reader.ts';
import { RecordPlan } from './avro/record-plan.ts';
import type { OwnSchema } from './avro/schema.ts';
import { BadInput, badOutcome, type BadOutcome } from './bad-input.ts';
import type { InputFormat } from './format.ts';
import type { RecordShape } from './record-shape.ts';
import { SchemaPlans } from './registry/schema-plans.ts';
import type { SchemaRegistry } from './registry/schema-registry.ts';
import { decodeUtf8, type TextReader } from './text-reader.ts';

const OPENING_BRACE = 0x7b;

export type ReadOutcome =
  { readonly kind: 'read' } | BadOutcome | { readonly kind: 'unknownSchema'; readonly schemaId: number };

const READ: ReadOutcome = { kind: 'read' };

export interface ReadingOptions {
  readonly format: InputFormat;
  /** Without one, values in Avro are bad input. */
  readonly registry: SchemaRegistry | undefined;
  readonly clock: Clock;
}

export interface RecordKind<Target> {
  readonly shape: RecordShape<never, Target>;
  readonly schema: OwnSchema;
  /** @throws BadInput. */
  readonly readJson: (buffer: Buffer, start: number, end: number, target: Target) => void;
  /**
   * A short way through values in Avro of a writer with our own fields, after the header. False: left to the schema's plan,
   * and the target is blank again. @throws BadInput.
   */
  readonly readOwnAvro?: (buffer: Buffer, start: number, end: number, target: Target) => boolean;
}

export class RecordFormats<Target> {
  readonly #kind: RecordKind<Target>;
  readonly #format: InputFormat;
  readonly #reader: AvroReader;
  readonly #plans: SchemaPlans<RecordPlan<Target>> | undefined;
  /** The plan used last, which is nearly always the next one: what an id stands for never changes (PL3). */
  #lastId = -1;
  #lastPlan: RecordPlan<Target> | undefined;

  constructor(kind: RecordKind<Target>, options: ReadingOptions, texts: TextReader) {
    this.#kind = kind;
    this.#format = options.format;
    this.#reader = new AvroReader(texts);
    this.#plans =
      options.registry &&
      new SchemaPlans(options.registry, options.clock, (schema) => new RecordPlan(schema, kind.schema, kind.shape));
  }

  /** Reads a value into a blank target. Never throws on bad bytes. */
  read(buffer: Buffer, start: number, end: number, target: Target): ReadOutcome {
    try {
      if (end <= start) throw new BadInput('unknown-format', 'the value is empty');
      if (this.#formatOf(buffer[start]!) === 'avro') return this.#readAvro(buffer, start, end, target);
      this.#kind.readJson(buffer, start, end, target);
      return READ;
    } catch (error) {
      return badOutcome(error);
    }
  }

  /** All fields of a value that `read` has taken, in objects without a prototype, for the caller to keep. */
  fields(buffer: Buffer, start: number, end: number): Readonly<Record<string, unknown>> {
    if (this.#formatOf(buffer[start]!) === 'json')
      return bareJson(decodeUtf8(buffer, start, end)) as Readonly<Record<string, unknown>>;
    const plan = this.#lastPlan;
    assert(plan !== undefined, 'the fields are of the value that was read last');
    this.#reader.reset(buffer, start + WIRE_HEADER_BYTES, end);
    return plan.readAll(this.#reader);
  }

  /** @throws Retriable where the registry does not answer. */
  async prepare(schemaId: number): Promise<void> {
    await this.#plans?.prepare(schemaId);
  }

  #formatOf(first: number): 'json' | 'avro' {
    if (this.#format === 'json') return 'json';
    if (first === MAGIC_BYTE) return 'avro';
    if (this.#format === 'auto' && first === OPENING_BRACE) return 'json';
    const wanted = this.#format === 'avro' ? '0x00 (Avro)' : '0x00 (Avro) or { (JSON)';
    throw new BadInput(
      'unknown-format',
      `the first byte is 0x${first.toString(16).padStart(2, '0')}, wanted ${wanted}`,
    );
  }

  #readAvro(buffer: Buffer, start: number, end: number, target: Target): ReadOutcome {
    if (end - start < WIRE_HEADER_BYTES) {
      throw new BadInput('invalid-avro', `no schema id in ${counted(end - start, 'byte')}`);
    }
    if (this.#plans === undefined) {
      throw new BadInput('no-schema-registry', 'the value is in Avro, and SCHEMA_REGISTRY_URL is not set');
    }
    const schemaId = readUint32(buffer, start + 1);
    if (schemaId !== this.#lastId || this.#lastPlan === undefined) {
      const known = this.#plans.of(schemaId);
      if (known === undefined) return { kind: 'unknownSchema', schemaId };
      if (known.kind === 'bad') return known;
      this.#lastId = schemaId;
      this.#lastPlan = known.plan;
    }
    const plan = this.#lastPlan;
    const first = start + WIRE_HEADER_BYTES;
    if (plan.ofOwnFields && this.#kind.readOwnAvro?.(buffer, first, end, target) === true) return READ;
    this.#reader.reset(buffer, first, end);
    plan.read(this.#reader, target);
    return READ;
  }
}

/** Big endian, within the buffer. */
function readUint32(buffer: Buffer, at: number): number {
  return ((buffer[at]! << 24) | (buffer[at + 1]! << 16) | (buffer[at + 2]! << 8) | buffer[at + 3]!) >>> 0;
}
