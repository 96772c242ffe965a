import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import { membersOf } from '../attributes.ts';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import { requireRegistry, type Format } from '../format.ts';
import { JsonRecordWriter, readMembers } from '../json/json-record.ts';
import { valueSubject, type SchemaRegistry } from '../registry/schema-registry.ts';
import { EVENT_SCHEMA } from './event-formats.ts';
import { EVENT_SHAPE, type EventEncoder, type OutgoingEvent } from './event-shape.ts';
import { JsonEventWriter } from './json-event-writer.ts';

/**
 * The encoder for a topic. Avro finds or registers the schema under the topic's subject first.
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openEventEncoder(
  format: Format,
  topic: string,
  registry: SchemaRegistry | undefined,
): Promise<EventEncoder> {
  if (format === 'json') return new JsonEventWriter(checked(new JsonRecordWriter(EVENT_SHAPE)));
  const found = requireRegistry(registry, `The topic ${topic}`);
  const id = await found.schemaId(valueSubject(topic), EVENT_SCHEMA.text);
  return checked(new AvroRecordWriter(id, EVENT_SHAPE));
}

function checked(writer: { encode(event: Readonly<SessionEvent>): Uint8Array }): EventEncoder {
  return { encode: (event) => writer.encode(completeEvent(event)) };
}

/** The event with its defaults, through the very checks that a decoder applies. */
function completeEvent(event: OutgoingEvent): SessionEvent {
  const attributes = membersOf(event.attributes);
  const complete = blankEvent();
  readMembers(EVENT_SHAPE, { ...event, attributes }, complete);
  return complete;
}
