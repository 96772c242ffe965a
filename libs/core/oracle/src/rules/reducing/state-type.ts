// Declared types of a reducer's state and result, read a second time (docs/FORMATS.md, Reducers): their values as bytes, and what
// becomes of a state when its schema evolves.
import { BrokenBytes, ByteWalk } from '../../logs/byte-walk.ts';
import { murmur3 } from '../../logs/murmur3.ts';

/** As the settings of a commit have it, which is the one form that there is of it. */
export type Schema = string | readonly Schema[] | SchemaObject;

interface SchemaObject {
  readonly type: string;
  readonly name?: string;
  readonly fields?: readonly { readonly name: string; readonly type: Schema; readonly default?: unknown }[];
  readonly items?: Schema;
  readonly values?: Schema;
  readonly symbols?: readonly string[];
}

/** A value is none of its type: the event that made it is refused. */
export class NoValue extends Error {
  override readonly name = 'NoValue';
}

const FINGERPRINT_SEED = 0x52656475;
const utf8 = new TextEncoder();
const utf8Text = new TextDecoder('utf-8', { ignoreBOM: true });

export function fingerprintOf(schema: Schema): number {
  return murmur3(utf8.encode(JSON.stringify(schema)), FINGERPRINT_SEED) >>> 0;
}

function kindOf(schema: Schema): string {
  if (typeof schema === 'string') return schema;
  return isUnion(schema) ? 'union' : schema.type;
}

function isUnion(schema: Schema): schema is readonly Schema[] {
  return Array.isArray(schema);
}

/** The bytes of a value, in Avro. @throws NoValue */
export function bytesOf(schema: Schema, value: unknown): number[] {
  if (isUnion(schema)) {
    const branch = schema.findIndex((each) => mayBe(each, value));
    if (branch < 0) throw new NoValue('of none of the branches');
    return [...long(branch), ...bytesOf(schema[branch]!, value)];
  }
  const kind = kindOf(schema);
  const { fields = [], items, values, symbols = [] } = typeof schema === 'string' ? ({} as SchemaObject) : schema;
  if (kind === 'record') return recordBytes(fields, value);
  if (kind === 'array') return listBytes(value, (each) => bytesOf(items!, each));
  if (kind === 'map') {
    const entries = Object.entries(objectIn(value)).sort(([a], [b]) => (a < b ? -1 : 1));
    return listBytes(entries, ([name, each]: [string, unknown]) => [...text(name), ...bytesOf(values!, each)]);
  }
  if (kind === 'enum') {
    if (!symbols.includes(value as string)) throw new NoValue('no symbol');
    return long(symbols.indexOf(value as string));
  }
  return plainBytes(kind, value);
}

function plainBytes(kind: string, value: unknown): number[] {
  switch (kind) {
    case 'null':
      if (value !== null && value !== undefined) throw new NoValue('not null');
      return [];
    case 'boolean':
      if (typeof value !== 'boolean') throw new NoValue('no boolean');
      return [value ? 1 : 0];
    case 'int':
    case 'long': {
      const most = kind === 'int' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
      if (!Number.isInteger(value) || Math.abs(Number(value)) > most) throw new NoValue('no integer');
      return long(Number(value));
    }
    case 'double': {
      if (typeof value !== 'number' || !Number.isFinite(value)) throw new NoValue('no finite number');
      return [...new Uint8Array(Float64Array.of(value === 0 ? 0 : value).buffer)];
    }
    case 'bytes':
      if (!(value instanceof Uint8Array)) throw new NoValue('no bytes');
      return [...long(value.length), ...value];
    default:
      if (typeof value !== 'string') throw new NoValue('no text');
      return text(value);
  }
}

function recordBytes(fields: NonNullable<SchemaObject['fields']>, value: unknown): number[] {
  const members = objectIn(value);
  if (Object.keys(members).some((name) => !fields.some((field) => field.name === name)))
    throw new NoValue('a field that is not declared');
  return fields.flatMap(({ name, type }) => bytesOf(type, Object.hasOwn(members, name) ? members[name] : undefined));
}

function listBytes(value: unknown, each: (item: never) => number[]): number[] {
  if (!Array.isArray(value)) throw new NoValue('no list');
  // Not a map over it: holes are items, too.
  const items = Array.from(value as never[], each);
  return [...(items.length > 0 ? long(items.length) : []), ...items.flat(), 0];
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  if (Object.prototype.toString.call(value) !== '[object Object]') throw new NoValue('no object');
  return value as Readonly<Record<string, unknown>>;
}

function text(value: string): number[] {
  if (!value.isWellFormed()) throw new NoValue('half of a surrogate pair');
  const bytes = utf8.encode(value);
  return [...long(bytes.length), ...bytes];
}

function long(value: number): number[] {
  let rest = value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value);
  const bytes: number[] = [];
  for (; rest >= 128n; rest /= 128n) bytes.push(Number(rest % 128n) + 128);
  return [...bytes, Number(rest)];
}

function mayBe(schema: Schema, value: unknown): boolean {
  const kind = kindOf(schema);
  if (value === null || value === undefined) return kind === 'null';
  if (Array.isArray(value)) return kind === 'array';
  if (value instanceof Uint8Array) return kind === 'bytes';
  if (typeof value === 'object') return kind === 'record' || kind === 'map';
  if (typeof value === 'string') return kind === 'string' || kind === 'enum';
  if (typeof value === 'boolean') return kind === 'boolean';
  return typeof value === 'number' && (kind === 'int' || kind === 'long' || kind === 'double');
}

/** Reads a value. @throws BrokenBytes */
export function valueIn(schema: Schema, bytes: Uint8Array): unknown {
  const walk = new ByteWalk(bytes);
  const value = read(schema, walk);
  if (walk.left > 0) throw new BrokenBytes('has bytes behind a state');
  return value;
}

function read(schema: Schema, walk: ByteWalk): unknown {
  if (isUnion(schema)) return read(schema[walk.exactLong()] ?? 'null', walk);
  const kind = kindOf(schema);
  const { fields = [], items, values, symbols = [] } = typeof schema === 'string' ? ({} as SchemaObject) : schema;
  switch (kind) {
    case 'null':
      return null;
    case 'boolean':
      return walk.byte() === 1;
    case 'int':
    case 'long':
      return walk.exactLong();
    case 'double': {
      const eight = walk.bytes(8);
      return new DataView(eight.buffer, eight.byteOffset).getFloat64(0, true);
    }
    case 'bytes':
      return walk.bytes(walk.exactLong()).slice();
    case 'string':
      return utf8Text.decode(walk.bytes(walk.exactLong()));
    case 'enum':
      return symbols[walk.exactLong()];
    case 'record':
      return Object.fromEntries(fields.map(({ name, type }) => [name, read(type, walk)]));
    case 'array':
      return items === undefined ? [] : list(walk, () => read(items, walk));
    default: {
      const entries = list(walk, () => [utf8Text.decode(walk.bytes(walk.exactLong())), read(values!, walk)] as const);
      const map = Object.create(null) as Record<string, unknown>;
      for (const [name, value] of entries) map[name] = value;
      return map;
    }
  }
}

function list<T>(walk: ByteWalk, item: () => T): T[] {
  const items: T[] = [];
  for (let left = walk.exactLong(); left > 0; left = walk.exactLong()) for (; left > 0; left -= 1) items.push(item());
  return items;
}

/** A value of `from` as one of `to`, where it evolves (Avro 1.12, "Schema Resolution"). */
export function evolved(value: unknown, from: Schema, to: Schema): unknown {
  if (JSON.stringify(from) === JSON.stringify(to)) return value;
  if (isUnion(from))
    return evolved(
      value,
      from.find((each) => mayBe(each, value))!,
      to,
    );
  if (isUnion(to))
    return evolved(
      value,
      from,
      to.find((each) => mayBe(each, value))!,
    );
  if (typeof from === 'string' || typeof to === 'string') return value;
  if (from.items !== undefined) return (value as unknown[]).map((each) => evolved(each, from.items!, to.items!));
  if (from.values !== undefined) {
    const map = Object.create(null) as Record<string, unknown>;
    for (const [name, each] of Object.entries(value as object)) map[name] = evolved(each, from.values, to.values!);
    return map;
  }
  if (from.fields === undefined || to.fields === undefined) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    to.fields.map((field) => {
      const known = from.fields!.find(({ name }) => name === field.name);
      return [
        field.name,
        known === undefined ? byDefault(field) : evolved(members[field.name], known.type, field.type),
      ];
    }),
  );
}

function byDefault({ type, default: value }: { readonly type: Schema; readonly default?: unknown }): unknown {
  const of = isUnion(type) ? type[0]! : type;
  return valueIn(of, Uint8Array.from(bytesOf(of, value)));
}
