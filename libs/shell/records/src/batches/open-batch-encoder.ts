import { BATCH_BYTES_MAX, type DebouncedBatchEncoder } from '@flatline/ports/formats';
import { ownSchema } from '../avro/schema.ts';
import { requireRegistry, type Format } from '../format.ts';
import { valueSubject, type SchemaRegistry } from '../registry/schema-registry.ts';
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
  if (format === 'json') return new JsonBatches(BATCH_BYTES_MAX);
  const found = requireRegistry(registry, `The output ${topic}`);
  return new AvroBatches(await found.schemaId(valueSubject(topic), BATCH_SCHEMA.text), BATCH_BYTES_MAX);
}
