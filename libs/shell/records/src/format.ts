import { Misconfigured } from '@flatline/base';
import type { OwnSchema } from './avro/schema.ts';
import { type SchemaRegistry, valueSubject } from './registry/schema-registry.ts';

/** How a topic's values are written. */
export type Format = 'json' | 'avro';
/** How an input's values are read: `auto` tells them apart by their first byte. */
export type InputFormat = Format | 'auto';

/** @throws Misconfigured where Avro is asked for and there is no registry. */
export function requireRegistry(registry: SchemaRegistry | undefined, what: string): SchemaRegistry {
  if (registry !== undefined) return registry;
  throw new Misconfigured(
    `${what} has the format avro, which needs a schema registry. Set SCHEMA_REGISTRY_URL, or the format json.`,
  );
}

/**
 * Under which id an output in Avro is written: that of its schema under the topic's subject, which is registered where it is not
 * there yet. undefined: it is written in JSON. @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function outputSchemaId(
  { format, topic, schema }: { readonly format: Format; readonly topic: string; readonly schema: OwnSchema },
  registry: SchemaRegistry | undefined,
): Promise<number | undefined> {
  if (format === 'json') return undefined;
  return requireRegistry(registry, `The output ${topic}`).schemaId(valueSubject(topic), schema.text);
}
