// Passing over what a writer's schema has and ours has not.
//
// Types that occupy no bytes (null, records of nulls, fixed(0)) are found beforehand and never visited: an array of 2^50
// nulls, or records nested 2^30-fold, cost nothing. Everything else consumes at least a byte per visit (AR2).
import type { Type, types } from 'avsc';
import { BadInput } from '../bad-input.ts';
import { SKIP_DEPTH_MAX } from '../limits.ts';
import type { AvroReader } from './avro-reader.ts';
import { isArray, isFixed, isLogical, isMap, isRecord, isUnion } from './schema.ts';

export type Skip = (reader: AvroReader) => void;

/** Makes skips for the types of one schema, each type once, however often and recursively it is named. */
export class Skips {
  readonly #made = new Map<Type, { skip: Skip | undefined }>();

  /** undefined: there is nothing to skip. */
  of(type: Type): Skip | undefined {
    const known = this.#made.get(type);
    // Under construction means recursive: resolved when it runs, by which time it is made.
    if (known !== undefined) return known.skip ?? (this.#done.has(type) ? undefined : (reader) => known.skip?.(reader));
    const entry: { skip: Skip | undefined } = { skip: undefined };
    this.#made.set(type, entry);
    entry.skip = this.#make(type);
    this.#done.add(type);
    return entry.skip;
  }

  readonly #done = new Set<Type>();

  #make(type: Type): Skip | undefined {
    if (isLogical(type)) return this.of(type.underlyingType);
    if (isUnion(type)) return this.#union(type);
    if (isRecord(type)) return this.#record(type);
    if (isArray(type)) return blocks(this.of(type.itemsType));
    if (isMap(type)) return blocks(entry(this.of(type.valuesType)));
    if (isFixed(type)) return fixed(type.size);
    switch (type.typeName) {
      case 'null':
        return undefined;
      case 'boolean':
        return (reader) => void reader.advance(1);
      case 'int':
      case 'long':
      case 'enum':
        return (reader) => {
          reader.skipLong();
        };
      case 'float':
        return (reader) => void reader.advance(4);
      case 'double':
        return (reader) => void reader.advance(8);
      case 'bytes':
      case 'string':
        return (reader) => {
          reader.skipSized();
        };
      default:
        throw new BadInput('incompatible-schema', `the writer schema has a ${type.typeName}, which Avro does not know`);
    }
  }

  #record(type: types.RecordType): Skip | undefined {
    const skips = type.fields.map((field) => this.of(field.type)).filter((skip) => skip !== undefined);
    if (skips.length === 0) return undefined;
    return nested((reader) => {
      for (const skip of skips) skip(reader);
    });
  }

  #union(type: types.WrappedUnionType): Skip {
    const branches = type.types.map((branch) => this.of(branch));
    return (reader) => branches[reader.branch(branches.length)]?.(reader);
  }
}

function fixed(size: number): Skip | undefined {
  return size === 0 ? undefined : (reader) => void reader.advance(size);
}

function entry(value: Skip | undefined): Skip {
  return (reader) => {
    reader.skipSized();
    value?.(reader);
  };
}

function blocks(item: Skip | undefined): Skip {
  return nested((reader) => {
    for (;;) {
      const { count, skipped } = reader.blockToSkip();
      if (count === 0) return;
      if (skipped || item === undefined) continue;
      for (let rest = count; rest > 0; rest -= 1) item(reader);
    }
  });
}

function nested(skip: Skip): Skip {
  return (reader) => {
    if (reader.depth >= SKIP_DEPTH_MAX) {
      throw new BadInput('invalid-avro', `nested more than ${SKIP_DEPTH_MAX} deep in a field we do not have`);
    }
    reader.depth += 1;
    skip(reader);
    reader.depth -= 1;
  };
}
