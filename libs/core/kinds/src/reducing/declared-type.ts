// Types that a reducer declares for its state and its result, in Avro's words (Avro 1.12, "Schema Declaration").
//
// The part of Avro whose values JavaScript has one form for: no `float`, which would round what it is given, no `fixed`, and of
// the branches of a union at most one for each form. So a value needs no wrapping, and is encoded in one way only.
import { hashBytes } from '@flatline/base';

export interface RecordField {
  readonly name: string;
  readonly type: DeclaredType;
  /** In JSON, as the schema has it; undefined: the field has none. */
  readonly byDefault: unknown;
}

export interface RecordType {
  readonly kind: 'record';
  readonly name: string;
  readonly fields: readonly RecordField[];
}

export type PlainName = 'null' | 'boolean' | 'int' | 'long' | 'double' | 'bytes' | 'string';

export type DeclaredType =
  | { readonly kind: PlainName }
  | { readonly kind: 'enum'; readonly name: string; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly items: DeclaredType }
  | { readonly kind: 'union'; readonly branches: readonly DeclaredType[] }
  | RecordType;

/** A declared type with the text that stands for it, and the number by which states name it. */
export interface Declared {
  readonly type: DeclaredType;
  /** Without white space, documentation and order of members: two texts that differ are two types. */
  readonly text: string;
  readonly fingerprint: number;
}

/** A schema as it is written: JSON. */
export type WrittenSchema = string | readonly unknown[] | Readonly<Record<string, unknown>>;

/** The schema is none, or not one that a reducer may have. */
export class NoDeclaredType extends Error {
  override readonly name = 'NoDeclaredType';
}

const PLAIN: ReadonlySet<unknown> = new Set<PlainName>(['null', 'boolean', 'int', 'long', 'double', 'bytes', 'string']);
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Deeper than any state is; a schema that contains itself has no end. */
const DEPTH_MAX = 32;
/** UTF-16 units of a schema's text: the settings of a commit, which have it, are bounded. */
const SCHEMA_LENGTH_MAX = 8_192;

const utf8 = new TextEncoder();
/** Constant of the format: it is kept with each state. */
const FINGERPRINT_SEED = 0x52656475;

/** @throws NoDeclaredType, whose message says where in the schema. */
export function declaredType(schema: unknown): Declared {
  const type = new Reading().read(schema, '', 0);
  const text = JSON.stringify(canonical(type));
  if (text.length > SCHEMA_LENGTH_MAX)
    throw new NoDeclaredType(`the schema has ${text.length} characters; at most ${SCHEMA_LENGTH_MAX}`);
  const bytes = utf8.encode(text);
  return { type, text, fingerprint: hashBytes(bytes, 0, bytes.length, FINGERPRINT_SEED) >>> 0 };
}

/** The schema that `declaredType` would read as this type. */
function canonical(type: DeclaredType): unknown {
  switch (type.kind) {
    case 'enum':
      return { type: 'enum', name: type.name, symbols: type.symbols };
    case 'array':
      return { type: 'array', items: canonical(type.items) };
    case 'map':
      return { type: 'map', values: canonical(type.items) };
    case 'union':
      return type.branches.map(canonical);
    case 'record':
      return { type: 'record', name: type.name, fields: type.fields.map(canonicalField) };
    default:
      return type.kind;
  }
}

function canonicalField({ name, type, byDefault }: RecordField): unknown {
  return { name, type: canonical(type), ...(byDefault !== undefined && { default: byDefault }) };
}

/** The form that values of the type have: a union may have one branch of each. */
export function formOf({ kind }: DeclaredType): string {
  if (kind === 'int' || kind === 'long' || kind === 'double') return 'number';
  if (kind === 'string' || kind === 'enum') return 'text';
  return kind === 'record' || kind === 'map' ? 'object' : kind;
}

class Reading {
  readonly #names = new Set<string>();

  read(schema: unknown, at: string, depth: number): DeclaredType {
    if (depth > DEPTH_MAX) throw refused(at, `it is nested more than ${DEPTH_MAX} deep`);
    if (Array.isArray(schema)) return this.#union(schema, at, depth);
    if (PLAIN.has(schema)) return { kind: schema as PlainName };
    if (typeof schema === 'string') throw refused(at, wordsFor(schema));
    if (typeof schema !== 'object' || schema === null) throw refused(at, `a type is ${String(schema)}`);
    const { type, items, values, logicalType } = schema as Readonly<Record<string, unknown>>;
    if (logicalType !== undefined) throw refused(at, "no logical type: what a number means is the reducer's to say");
    switch (type) {
      case 'array':
        return arrayOf(this.read(items, `${at}[]`, depth + 1), at);
      case 'map':
        return { kind: 'map', items: this.read(values, `${at}{}`, depth + 1) };
      case 'record':
        return this.#record(schema as Readonly<Record<string, unknown>>, at, depth);
      case 'enum':
        return this.#enum(schema as Readonly<Record<string, unknown>>, at);
      default:
        return this.read(type, at, depth + 1);
    }
  }

  #union(schemas: readonly unknown[], at: string, depth: number): DeclaredType {
    const branches = schemas.map((each) => this.read(each, at, depth + 1));
    if (branches.length === 0) throw refused(at, 'a union of nothing');
    const forms = branches.map((each) => (each.kind === 'union' ? 'union' : formOf(each)));
    const twice = forms.find((form, i) => form === 'union' || forms.indexOf(form) !== i);
    if (twice !== undefined)
      throw refused(at, `a union with two branches of one form (${twice}): a value would not tell which it is of`);
    return { kind: 'union', branches };
  }

  #record(schema: Readonly<Record<string, unknown>>, at: string, depth: number): DeclaredType {
    const name = this.#name(schema, at);
    const { fields } = schema;
    if (!Array.isArray(fields)) throw refused(at, `the record ${name} has no list of fields`);
    const read = fields.map((field: unknown) => this.#field(field, at, depth));
    const twice = read.find((field, i) => read.findIndex((other) => other.name === field.name) !== i);
    if (twice !== undefined) throw refused(at, `the field ${twice.name} stands there twice`);
    return { kind: 'record', name, fields: read };
  }

  #field(field: unknown, at: string, depth: number): RecordField {
    if (typeof field !== 'object' || field === null) throw refused(at, `a field is ${String(field)}`);
    const { name, type, default: byDefault } = field as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || !NAME.test(name)) throw refused(at, `a field's name is ${String(name)}`);
    return { name, type: this.read(type, `${at}.${name}`, depth + 1), byDefault };
  }

  #enum(schema: Readonly<Record<string, unknown>>, at: string): DeclaredType {
    const name = this.#name(schema, at);
    const symbols: unknown = schema['symbols'];
    const areNames = Array.isArray(symbols) && symbols.every((each) => typeof each === 'string' && NAME.test(each));
    if (!areNames || symbols.length === 0 || new Set(symbols).size < symbols.length)
      throw refused(at, `the enum ${name} needs symbols, each once: letters, digits and "_"`);
    return { kind: 'enum', name, symbols: symbols as string[] };
  }

  #name({ name, namespace, aliases }: Readonly<Record<string, unknown>>, at: string): string {
    if (typeof name !== 'string' || !NAME.test(name))
      throw refused(at, `a name is ${String(name)}: letters, digits and "_", without a namespace`);
    if (namespace !== undefined || aliases !== undefined) throw refused(at, `${name} has no namespace and no aliases`);
    if (this.#names.has(name)) throw refused(at, `two types are named ${name}`);
    this.#names.add(name);
    return name;
  }
}

/** How many there are is believed only where each takes a byte. */
function arrayOf(items: DeclaredType, at: string): DeclaredType {
  if (isEmpty(items)) throw refused(at, 'an array of what says nothing: keep how many there are as a number');
  return { kind: 'array', items };
}

function isEmpty(type: DeclaredType): boolean {
  return type.kind === 'null' || (type.kind === 'record' && type.fields.every((field) => isEmpty(field.type)));
}

function wordsFor(name: string): string {
  if (name === 'float') return 'write "double" for "float", which rounds';
  return `"${name}" is no type here: null, boolean, int, long, double, bytes, string, or a record, enum, array, map or union of these`;
}

function refused(at: string, why: string): NoDeclaredType {
  return new NoDeclaredType(at === '' ? why : `${at.replace(/^\./, '')}: ${why}`);
}
