import { z } from 'zod';
import { configurationSchema } from './schema.ts';

/** Names of the settings where `path` leads, from the schema itself. */
export function settingsAt(path: readonly PropertyKey[]): string[] {
  return schemasAt(path).flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
}

export interface NumberBounds {
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

/** Bounds of the number at `path`; undefined if it may lead to anything else. */
export function numberAt(path: readonly PropertyKey[]): NumberBounds | undefined {
  const [schema, ...others] = schemasAt(path);
  if (!(schema instanceof z.ZodNumber) || others.length > 0) return undefined;
  return {
    least: schema.minValue ?? -Infinity,
    most: schema.maxValue ?? Infinity,
    whole: schema.format?.includes('int') === true,
  };
}

function schemasAt(path: readonly PropertyKey[]): z.core.$ZodType[] {
  let schemas: z.core.$ZodType[] = [configurationSchema];
  for (const part of path) schemas = schemas.flatMap(unwrapped).flatMap((schema) => innerOf(schema, part));
  return schemas.flatMap(unwrapped);
}

/** Schemas that one with a default, an optional one, or a union stands for. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return unwrapped(schema.unwrap());
  return schema instanceof z.ZodUnion ? schema.options.flatMap(unwrapped) : [schema];
}

function innerOf(schema: z.core.$ZodType, part: PropertyKey): z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return typeof part === 'number' ? [schema.element] : [];
  if (!(schema instanceof z.ZodObject) || typeof part !== 'string') return [];
  const inner = (schema.shape as Readonly<Record<string, z.core.$ZodType>>)[part];
  return inner === undefined ? [] : [inner];
}
