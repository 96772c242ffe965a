export type { BadOutcome } from './bad-input.ts';
export type { Format, InputFormat } from './format.ts';
export { BadInput } from './bad-input.ts';
export * as codecLimits from './limits.ts';
export type { ReadingOptions } from './record-formats.ts';
export { HttpSchemaRegistry, type HttpSchemaRegistryOptions } from './registry/http-schema-registry.ts';
export type { RegisteredSchema, SchemaRegistry } from './registry/schema-registry.ts';
export { SchemasAtHand } from './registry/schemas-at-hand.ts';
