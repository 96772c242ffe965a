import { KIND_NAMES, type KindName } from '@flatline/base';
import { kindOf } from '@flatline/kind-modules';
import { z } from 'zod';
import { isKind } from './kind-defaults.ts';
import { configurationSchema } from './schema.ts';

/** `pipelines[0].timeoutMs` */
export function settingName(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'configuration' : text.replace(/^\./, '');
}

/** Names of the settings where `path` leads, from the schema itself; of a pipeline of `root`, those of its kind. */
export function settingsAt(path: readonly PropertyKey[], root: unknown): string[] {
  const found = schemasAt(path, root).flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  );
  return [...new Set(found)];
}

/** Kinds that have such a setting. */
export function kindsWith(setting: string): KindName[] {
  return KIND_NAMES.filter((kind) => {
    const { form } = kindOf({ kind });
    return form instanceof z.ZodObject && Object.hasOwn(form.shape, setting);
  });
}

export interface NumberBounds {
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
  /** It has no default. */
  readonly isRequired: boolean;
}

/** Bounds of the number at `path`; undefined if it may lead to anything else. */
export function numberAt(path: readonly PropertyKey[], root: unknown): NumberBounds | undefined {
  // Settings of every kind are one schema.
  const found = [...new Set(outerAt(path, root))];
  const [schema, ...others] = found.flatMap(unwrapped);
  if (!(schema instanceof z.ZodNumber) || others.length > 0) return undefined;
  return {
    least: schema.minValue ?? -Infinity,
    most: schema.maxValue ?? Infinity,
    whole: schema.format?.includes('int') === true,
    isRequired: found[0] === schema,
  };
}

function schemasAt(path: readonly PropertyKey[], root: unknown): z.core.$ZodType[] {
  return outerAt(path, root).flatMap(unwrapped);
}

function outerAt(path: readonly PropertyKey[], root: unknown): z.core.$ZodType[] {
  let schemas: z.core.$ZodType[] = [configurationSchema];
  let value = root;
  for (const part of path) {
    schemas = schemas.flatMap((schema) => ofItsKind(schema, value)).flatMap((schema) => innerOf(schema, part));
    value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
  }
  return schemas.flatMap((schema) => ofItsKind(schema, value, (each) => [each]));
}

/** The one of the forms of pipelines that `value` says, if it says one. */
function ofItsKind(schema: z.core.$ZodType, value: unknown, others = unwrapped): z.core.$ZodType[] {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return others(schema);
  const kind: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'kind') : undefined;
  return isKind(kind) ? [kindOf({ kind }).form] : others(schema);
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
