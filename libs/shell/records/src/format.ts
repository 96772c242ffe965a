import { Misconfigured } from '@flatline/base';
import type { SchemaRegistry } from './registry/schema-registry.ts';

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
