// Avro schemas, parsed and checked by avsc. Reading and writing bytes is ours (avro-reader.ts): avsc believes block counts,
// and reads maps into plain objects, where `__proto__` gets lost (I3).
import { messageOf } from '@flatline/base';
import { readFileSync } from 'node:fs';
import avsc, { type Type, type types } from 'avsc';
import { BadInput, excerpt } from '../bad-input.ts';

/** avsc keeps a logical type only where it is given a class for it: these are kept, so that they can be refused. */
class ForeignUnit extends avsc.types.LogicalType {
  protected override _fromValue(value: unknown): unknown {
    return value;
  }
  protected override _toValue(value: unknown): unknown {
    return value;
  }
  protected override _resolve(): undefined {
    return undefined;
  }
}

/** Numbers that would resolve to our `long` and mean another unit. */
const FOREIGN_UNITS = {
  'timestamp-micros': ForeignUnit,
  'timestamp-nanos': ForeignUnit,
  'local-timestamp-micros': ForeignUnit,
  'local-timestamp-nanos': ForeignUnit,
  'time-micros': ForeignUnit,
};

/** `wrapUnions` is stated because avsc's own choice depends on the schema, and unwrapped unions refuse ambiguous branches. */
function parse(schema: string, logicalTypes: Readonly<Record<string, typeof ForeignUnit>>): Type {
  return avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema, {
    wrapUnions: 'always',
    logicalTypes: { ...logicalTypes },
  });
}

/** One of our own schemas: what we write, and what we resolve others to. */
export interface OwnSchema {
  /** The schema without white space, as the registry gets it. */
  readonly text: string;
  readonly type: Type;
}

/** Reads `schemas/<name>.avsc` of the repository, which is the contract; there is no second copy of it. */
export function ownSchema(
  name: 'session-event' | 'session-summary' | 'session-stats' | 'lease-request' | 'lease-event' | 'debounced-batch',
): OwnSchema {
  return parseOwnSchema(readFileSync(new URL(`../../../../../schemas/${name}.avsc`, import.meta.url), 'utf8'));
}

export function parseOwnSchema(schema: string): OwnSchema {
  return { text: JSON.stringify(JSON.parse(schema)), type: parse(schema, {}) };
}

/**
 * The record type that a producer's schema stands for, if all it may write can be read as `own`: same unqualified name, and
 * for each field of ours a field to resolve (Avro 1.12, "Schema Resolution") or a default.
 * @throws BadInput `incompatible-schema`.
 */
export function resolvableWriter(schema: string, own: OwnSchema): types.RecordType {
  try {
    const writer = parse(schema, FOREIGN_UNITS);
    if (!isRecord(writer))
      throw new BadInput('incompatible-schema', `the writer schema is a ${writer.typeName}, wanted a record`);
    own.type.createResolver(writer, { ignoreNamespaces: true });
    return writer;
  } catch (error) {
    if (error instanceof BadInput) throw error;
    // avsc names neither its errors nor their causes; a schema of any shape must end here and not the process.
    const why = messageOf(error);
    throw new BadInput('incompatible-schema', `the writer schema cannot be resolved to ours: ${excerpt(why)}`);
  }
}

export function isRecord(type: Type): type is types.RecordType {
  return type.typeName === 'record' || type.typeName === 'error';
}
export function isUnion(type: Type): type is types.WrappedUnionType {
  return type.typeName.startsWith('union:');
}
export function isLogical(type: Type): type is types.LogicalType {
  return type.typeName.startsWith('logical:');
}
export function isArray(type: Type): type is types.ArrayType {
  return type.typeName === 'array';
}
/** avsc's own declaration leaves the type of the values open. */
export function isMap(type: Type): type is Type & { readonly valuesType: Type } {
  return type.typeName === 'map';
}
export function isEnum(type: Type): type is types.EnumType {
  return type.typeName === 'enum';
}
export function isFixed(type: Type): type is types.FixedType {
  return type.typeName === 'fixed';
}
