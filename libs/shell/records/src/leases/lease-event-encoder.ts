import type { LeaseEvent, LeaseEventEncoder } from '@flatline/ports/formats';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import { ownSchema } from '../avro/schema.ts';
import { outputSchemaId, type Format } from '../format.ts';
import { JsonRecordWriter } from '../json/json-record.ts';
import type { SchemaRegistry } from '../registry/schema-registry.ts';
import { LEASE_EVENT_IN_JSON, LEASE_EVENT_SHAPE } from './lease-event-shape.ts';

export const LEASE_EVENT_SCHEMA = ownSchema('lease-event');

/**
 * The encoder of an output. Avro finds or registers the schema under the topic's subject first; encoding then is synchronous.
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openLeaseEventEncoder(
  format: Format,
  topic: string,
  registry: SchemaRegistry | undefined,
): Promise<LeaseEventEncoder> {
  return leaseEventEncoder(await outputSchemaId({ format, topic, schema: LEASE_EVENT_SCHEMA }, registry));
}

/** In Avro under that id of the schema, in JSON without one. */
export function leaseEventEncoder(schemaId: number | undefined): LeaseEventEncoder {
  return schemaId === undefined
    ? new JsonRecordWriter(LEASE_EVENT_IN_JSON)
    : new AvroRecordWriter(schemaId, LEASE_EVENT_SHAPE);
}

/** How many bytes `event` has in that format. */
export function leaseEventBytes(format: Format, event: LeaseEvent): number {
  return leaseEventEncoder(format === 'json' ? undefined : 0).encode(event).length;
}
