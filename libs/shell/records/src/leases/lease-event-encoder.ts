import type { LeaseEvent, LeaseEventEncoder } from '@flatline/ports/formats';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import { ownSchema } from '../avro/schema.ts';
import { requireRegistry, type Format } from '../format.ts';
import { JsonRecordWriter } from '../json/json-record.ts';
import { valueSubject, type SchemaRegistry } from '../registry/schema-registry.ts';
import { LEASE_EVENT_SHAPE } from './lease-event-shape.ts';

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
  if (format === 'json') return new JsonRecordWriter(LEASE_EVENT_SHAPE);
  const found = requireRegistry(registry, `The output ${topic}`);
  return new AvroRecordWriter(await found.schemaId(valueSubject(topic), LEASE_EVENT_SCHEMA.text), LEASE_EVENT_SHAPE);
}

/** How many bytes `event` has in that format. */
export function leaseEventBytes(format: Format, event: LeaseEvent): number {
  const writer =
    format === 'json' ? new JsonRecordWriter(LEASE_EVENT_SHAPE) : new AvroRecordWriter(0, LEASE_EVENT_SHAPE);
  return writer.encode(event).length;
}
