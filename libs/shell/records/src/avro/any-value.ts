// Reads values of any type of a writer's schema, as a reducer sees them (S10), and the result of a reducer.
//
// Accepts whatever skipping accepts (skip.ts), since the record was let through by that: a number beyond 2^53 − 1 is rounded, a text
// that is not UTF-8 gets U+FFFD, a value of no bytes is null in a record, and an array of such values is empty.
import type { Type, types } from 'avsc';
import { BadInput } from '../bad-input.ts';
import { SKIP_DEPTH_MAX } from '../limits.ts';
import type { AvroReader } from './avro-reader.ts';
import { isArray, isEnum, isFixed, isLogical, isMap, isRecord, isUnion } from './schema.ts';
import { Skips } from './skip.ts';

export type ReadAny = (reader: AvroReader) => unknown;

/** Makes readers for the types of one schema, each type once: a schema may contain itself. */
export class AnyValues {
  readonly #made = new Map<Type, { read: ReadAny }>();
  readonly #skips = new Skips();

  of(type: Type): ReadAny {
    const known = this.#made.get(type);
    if (known !== undefined) return (reader) => known.read(reader);
    const entry = { read: (): unknown => null };
    this.#made.set(type, entry);
    entry.read = this.#make(type) as () => unknown;
    return (reader) => (entry.read as ReadAny)(reader);
  }

  #make(type: Type): ReadAny {
    if (isLogical(type)) return this.of(type.underlyingType);
    if (isUnion(type)) return this.#union(type);
    if (isRecord(type)) return nested(this.#record(type));
    if (isArray(type)) return nested(this.#array(type.itemsType));
    if (isMap(type)) return nested(mapOf(this.of(type.valuesType)));
    if (isFixed(type)) return (reader) => reader.raw(type.size);
    if (isEnum(type)) return symbolOf(type.symbols);
    return PLAIN[type.typeName] ?? unknown(type);
  }

  #record({ fields }: types.RecordType): ReadAny {
    const steps = fields.map(({ name, type }) => ({ name, read: this.#field(type) }));
    return (reader) => {
      const record = Object.create(null) as Record<string, unknown>;
      for (const { name, read } of steps) record[name] = read(reader);
      return record;
    };
  }

  /** Elements of no bytes are not visited, as in skipping: records of such fields may be nested 2^30-fold in a record of two bytes. */
  #field(type: Type): ReadAny {
    return this.#skips.of(type) === undefined ? () => null : this.of(type);
  }

  #union(type: types.WrappedUnionType): ReadAny {
    const branches = type.types.map((branch) => this.of(branch));
    return (reader) => branches[reader.branch(branches.length)]!(reader);
  }

  #array(items: Type): ReadAny {
    // A count without elements is not believed.
    const isEmpty = this.#skips.of(items) === undefined;
    const read = this.of(items);
    return (reader) => {
      const array: unknown[] = [];
      for (let left = reader.blockCount(); left > 0; left = reader.blockCount())
        for (; left > 0 && !isEmpty; left -= 1) array.push(read(reader));
      return array;
    };
  }
}

function mapOf(read: ReadAny): ReadAny {
  return (reader) => {
    const map = Object.create(null) as Record<string, unknown>;
    for (let left = reader.blockCount(); left > 0; left = reader.blockCount())
      for (; left > 0; left -= 1) {
        const name = reader.lossyText();
        map[name] = read(reader);
      }
    return map;
  };
}

function symbolOf(symbols: readonly string[]): ReadAny {
  return (reader) => symbols[reader.roundedLong()] ?? null;
}

const PLAIN: Readonly<Record<string, ReadAny>> = {
  null: () => null,
  boolean: (reader) => reader.raw(1)[0] !== 0,
  int: (reader) => reader.roundedLong(),
  long: (reader) => reader.roundedLong(),
  float: (reader) => reader.float(),
  double: (reader) => reader.double(),
  bytes: (reader) => reader.bytes(),
  string: (reader) => reader.lossyText(),
};

function nested(read: ReadAny): ReadAny {
  return (reader) => {
    if (reader.depth >= SKIP_DEPTH_MAX)
      throw new BadInput('invalid-avro', `nested more than ${SKIP_DEPTH_MAX} deep in a field we do not have`);
    reader.depth += 1;
    const value = read(reader);
    reader.depth -= 1;
    return value;
  };
}

function unknown(type: Type): never {
  throw new BadInput('incompatible-schema', `the writer schema has a ${type.typeName}, which Avro does not know`);
}
