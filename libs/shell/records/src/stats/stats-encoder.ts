// Writes the records of `<output>.stats` (`schemas/session-stats.avsc`).
import type { SessionStats, SessionStatsEncoder } from '@flatline/ports/formats';
import { MAGIC_BYTE } from '../avro/avro-record-writer.ts';
import { AvroWriter } from '../avro/avro-writer.ts';
import { ownSchema } from '../avro/schema.ts';
import { type Format, outputSchemaId } from '../format.ts';
import type { SchemaRegistry } from '../registry/schema-registry.ts';
import { asBuffer } from '../text-reader.ts';

export const STATS_SCHEMA = ownSchema('session-stats');

/**
 * The encoder of a topic. Avro finds or registers the schema under the topic's subject first; encoding then is synchronous.
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openStatsEncoder(
  format: Format,
  topic: string,
  registry: SchemaRegistry | undefined,
): Promise<SessionStatsEncoder> {
  return statsEncoder(await outputSchemaId({ format, topic, schema: STATS_SCHEMA }, registry));
}

/** In Avro under that id of the schema, in JSON without one. */
export function statsEncoder(schemaId: number | undefined): SessionStatsEncoder {
  return schemaId === undefined ? { encode: asJson } : new AvroStats(schemaId);
}

function asJson({ countedFrom, partition, dimensions, byReason, duration, ...said }: SessionStats): Uint8Array {
  const { windowStart, windowEnd, opened, closed, active } = said;
  const { count, sum, min = null, max = null, sketch } = duration;
  const fields = {
    windowStart,
    windowEnd,
    dimensions: Object.fromEntries(dimensions),
    opened,
    closed,
    byReason: Object.fromEntries(byReason),
    active,
    duration: { count, sum, min, max, sketch: asBuffer(sketch).toString('base64') },
    partition,
    countedFrom,
  };
  return Buffer.from(JSON.stringify(fields));
}

class AvroStats implements SessionStatsEncoder {
  readonly #schemaId: number;
  readonly #writer = new AvroWriter();

  constructor(schemaId: number) {
    this.#schemaId = schemaId;
  }

  encode({ duration, ...stats }: SessionStats): Uint8Array {
    const writer = this.#writer;
    writer.clear();
    writer.byte(MAGIC_BYTE);
    writer.u32BigEndian(this.#schemaId);
    writer.long(stats.windowStart);
    writer.long(stats.windowEnd);
    this.#map(stats.dimensions, (value) => {
      writer.text(value);
    });
    writer.long(stats.opened);
    writer.long(stats.closed);
    this.#map(stats.byReason, (value) => {
      writer.long(value);
    });
    writer.long(stats.active);
    writer.long(duration.count);
    writer.long(duration.sum);
    this.#orNull(duration.min);
    this.#orNull(duration.max);
    writer.bytes(duration.sketch);
    writer.long(stats.partition);
    writer.long(stats.countedFrom);
    return writer.copy();
  }

  /** One block with all entries, then the empty one that ends a map. */
  #map<Value>(map: ReadonlyMap<string, Value>, write: (value: Value) => void): void {
    if (map.size > 0) this.#writer.long(map.size);
    for (const [key, value] of map) {
      this.#writer.text(key);
      write(value);
    }
    this.#writer.byte(0);
  }

  #orNull(value: number | undefined): void {
    this.#writer.long(value === undefined ? 0 : 1);
    if (value !== undefined) this.#writer.long(value);
  }
}
