// Reads the records of `<output>.stats`, in JSON or Avro, for those who add them up.
import type { SessionStats } from '@flatline/ports/formats';
import avsc, { type Type } from 'avsc';
import { MAGIC_BYTE, WIRE_HEADER_BYTES } from '../avro/avro-record-writer.ts';
import { STATS_SCHEMA } from './stats-encoder.ts';
import type { SchemaRegistry } from '../registry/schema-registry.ts';

type Fields = Readonly<Record<string, unknown>>;

export class StatsReader {
  readonly #registry: SchemaRegistry | undefined;
  readonly #decoders = new Map<number, ((value: Buffer) => Fields) | undefined>();

  /** `registry`: needed where Avro comes. */
  constructor(registry: SchemaRegistry | undefined) {
    this.#registry = registry;
  }

  /** undefined: the value is none. @throws Retriable where the registry does not answer. */
  async read(value: Uint8Array): Promise<SessionStats | undefined> {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
    const fields = bytes[0] === MAGIC_BYTE ? await this.#avro(bytes) : jsonFields(bytes);
    return fields && statsIn(fields);
  }

  async #avro(value: Buffer): Promise<Fields | undefined> {
    if (value.length < WIRE_HEADER_BYTES) return undefined;
    const id = value.readUInt32BE(1);
    if (!this.#decoders.has(id)) this.#decoders.set(id, await this.#decoderOf(id));
    try {
      return this.#decoders.get(id)?.(value.subarray(WIRE_HEADER_BYTES));
    } catch {
      // avsc throws plain errors for bytes that are no such value: the record is none.
      return undefined;
    }
  }

  async #decoderOf(id: number): Promise<((value: Buffer) => Fields) | undefined> {
    const found = await this.#registry?.schemaById(id);
    if (found?.schemaType !== 'AVRO') return undefined;
    const own = avsc.Type.forSchema(JSON.parse(STATS_SCHEMA.text) as avsc.Schema, { wrapUnions: 'never' });
    const resolver = resolverOf(own, found.schema);
    return resolver && ((value) => own.fromBuffer(value, resolver) as Fields);
  }
}

/** undefined: what it writes cannot be read as ours. */
function resolverOf(own: Type, schema: string): ReturnType<Type['createResolver']> | undefined {
  try {
    const writer = avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema, { wrapUnions: 'never' });
    return own.createResolver(writer, { ignoreNamespaces: true });
  } catch {
    return undefined;
  }
}

function jsonFields(value: Buffer): Fields | undefined {
  try {
    const fields: unknown = JSON.parse(value.toString());
    return typeof fields === 'object' && fields !== null ? (fields as Fields) : undefined;
  } catch {
    return undefined;
  }
}

/** undefined: a field is missing, or of another type. */
function statsIn(fields: Fields): SessionStats | undefined {
  const { dimensions, byReason, duration } = fields;
  const { countedFrom = 0 } = fields;
  if (!isFields(dimensions) || !isFields(byReason) || !isFields(duration)) return undefined;
  const { windowStart, windowEnd, opened, closed, active, partition } = fields;
  const { count, sum, min, max, sketch } = duration;
  const counts = [windowStart, windowEnd, opened, closed, active, partition, countedFrom, count, sum];
  const bytes = typeof sketch === 'string' ? Buffer.from(sketch, 'base64') : sketch;
  if (!counts.every(isCount) || !(bytes instanceof Uint8Array)) return undefined;
  const reasons = Object.entries(byReason).filter((entry): entry is [string, number] => isCount(entry[1]));
  const values = Object.entries(dimensions).map(([name, value]): [string, string] => [name, String(value)]);
  const [from, to, begun, ended, open, of, since, all, total] = counts as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    windowStart: from,
    windowEnd: to,
    countedFrom: since,
    dimensions: new Map(values),
    opened: begun,
    closed: ended,
    byReason: new Map(reasons),
    active: open,
    duration: {
      count: all,
      sum: total,
      min: isCount(min) ? min : undefined,
      max: isCount(max) ? max : undefined,
      sketch: bytes,
    },
    partition: of,
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
