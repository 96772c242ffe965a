// The form of a configuration file as JSON Schema, for editors.
import { WRITTEN_DURATION } from '@flatline/base';
import { z } from 'zod';
import { configurationSchema } from './schema.ts';
import { definedReducer, routeFunction, SETTING_WORDS } from '@flatline/kind-modules/form';
import { unitOf } from './units.ts';

/** As much of JSON Schema as is changed here. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/**
 * Schema of a configuration file (draft 2020-12): defaults may be left out, and lengths of time be written as "30m". Rules between
 * settings are not in it: `flatline config check` knows those.
 */
export function configurationJsonSchema(): object {
  const schema = withDurations(
    z.toJSONSchema(configurationSchema, { io: 'input', metadata: SETTING_WORDS, override: withoutValues }),
  ) as Schema;
  return {
    ...schema,
    title: 'Configuration of Flatline',
    properties: { $schema: { type: 'string' }, ...schema.properties },
  };
}

/** A value that only code can say is none that a file may have. */
function withoutValues({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> }): void {
  if (zodSchema === definedReducer || zodSchema === routeFunction) jsonSchema['not'] = {};
}

function withDurations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDurations);
  if (typeof value !== 'object' || value === null) return value;
  const { properties, ...rest } = withAlternatives(value as Schema);
  const others = Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, withDurations(inner)]));
  if (properties === undefined) return others;
  const settings = Object.entries(properties).map(([name, inner]) => [name, setting(name, inner)]);
  return { ...others, properties: Object.fromEntries(settings) as unknown };
}

/** A setting that may be left out beside another is required only without it. */
function withAlternatives({ required = [], ...schema }: Schema): Schema {
  const others = required.filter((name) => schema.properties?.[name]?.['orSetting'] !== undefined);
  const either = others.map((name) => ({
    anyOf: [name, schema.properties?.[name]?.['orSetting']].map((each) => ({ required: [each] })),
  }));
  return {
    ...schema,
    ...(required.length > 0 && { required: required.filter((name) => !others.includes(name)) }),
    ...(either.length > 0 && { allOf: either }),
  };
}

/** Words for the page of settings, and for this one. */
const OWN_WORDS: readonly string[] = ['meaning', 'orSetting'];

function setting(name: string, { unit: said, ...words }: Schema): unknown {
  const schema = Object.fromEntries(Object.entries(words).filter(([keyword]) => !OWN_WORDS.includes(keyword)));
  const unit = said ?? unitOf(name);
  if (unit === undefined) return withDurations(schema);
  if (unit !== 'ms') return { ...schema, description: `Unit: ${unit as string}.` };
  const { default: byDefault, ...milliseconds } = schema;
  const written = { type: 'string', pattern: WRITTEN_DURATION.source };
  return {
    description: 'Unit: ms. Or with its unit: "250ms", "10s", "30m", "12h", "7d".',
    anyOf: [milliseconds, written],
    ...(byDefault !== undefined && { default: byDefault }),
  };
}
