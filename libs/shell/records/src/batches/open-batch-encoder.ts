import { BATCH_BYTES_MAX, type DebouncedBatchEncoder } from '@flatline/ports/formats';
import { ownSchema } from '../avro/schema.ts';
import { outputSchemaId, type Format } from '../format.ts';
import type { SchemaRegistry } from '../registry/schema-registry.ts';
import { AvroBatches } from './avro-batches.ts';
import { JsonBatches } from './json-batches.ts';

export const BATCH_SCHEMA = ownSchema('debounced-batch');

/**
 * The encoder of an output. Avro finds or registers the schema under the topic's subject first; encoding then is synchronous.
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openBatchEncoder(
  format: Format,
  topic: string,
  registry: SchemaRegistry | undefined,
): Promise<DebouncedBatchEncoder> {
  return batchEncoder(await outputSchemaId({ format, topic, schema: BATCH_SCHEMA }, registry));
}

/** In Avro under that id of the schema, in JSON without one. */
export function batchEncoder(schemaId: number | undefined): DebouncedBatchEncoder {
  return schemaId === undefined ? new JsonBatches(BATCH_BYTES_MAX) : new AvroBatches(schemaId, BATCH_BYTES_MAX);
}
