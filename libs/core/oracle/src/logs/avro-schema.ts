// A writer's Avro schema (Avro 1.12), and whether its values can be events (docs/FORMATS.md, Input). Uses no library: the product
// resolves schemas with one, and would share its faults.

export type AvroType =
  | { readonly kind: 'plain'; readonly name: string; readonly unit?: string | undefined }
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array' | 'map'; readonly items: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | AvroRecord;

export interface AvroRecord {
  readonly kind: 'record';
  readonly name: string;
  /** Filled when its fields are parsed: they may name the record itself. */
  readonly fields: { readonly name: string; readonly type: AvroType }[];
}

type Json = Readonly<Record<string, unknown>>;

/** Thrown if a text is no schema, or not one of a record. */
export class NoSchema extends Error {
  override readonly name = 'NoSchema';
}

const PLAIN = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);
/** Units in which a number would resolve to ours with another meaning. */
const FOREIGN_UNITS = new Set([
  'timestamp-micros',
  'timestamp-nanos',
  'local-timestamp-micros',
  'local-timestamp-nanos',
  'time-micros',
]);

/** Parses the schema of a record. @throws NoSchema */
export function recordSchema(text: string): AvroRecord {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new NoSchema(`the schema is no JSON: ${String(error)}`);
  }
  const type = new SchemaParser().parse(json, '');
  if (type.kind !== 'record') throw new NoSchema('the schema is not of a record');
  return type;
}

class SchemaParser {
  readonly #named = new Map<string, AvroType>();

  parse(json: unknown, namespace: string): AvroType {
    if (typeof json === 'string') return this.#reference(json, namespace);
    if (Array.isArray(json)) return { kind: 'union', branches: json.map((each) => this.parse(each, namespace)) };
    if (typeof json !== 'object' || json === null) throw new NoSchema(`a type is ${String(json)}`);
    const schema = json as Json;
    const { type } = schema;
    if (type === 'array') return { kind: 'array', items: this.parse(schema['items'], namespace) };
    if (type === 'map') return { kind: 'map', items: this.parse(schema['values'], namespace) };
    if (type === 'record' || type === 'error') return this.#record(schema, namespace);
    if (type === 'enum') return this.#keep(schema, namespace, { kind: 'enum', symbols: symbolsIn(schema) });
    if (type === 'fixed') return this.#keep(schema, namespace, { kind: 'fixed', size: Number(schema['size']) });
    const parsed = this.parse(type, namespace);
    return parsed.kind === 'plain' ? { ...parsed, unit: unitIn(schema) } : parsed;
  }

  #reference(name: string, namespace: string): AvroType {
    if (PLAIN.has(name)) return { kind: 'plain', name };
    const found = this.#named.get(qualified(name, namespace)) ?? this.#named.get(name);
    if (found === undefined) throw new NoSchema(`no type is named ${name}`);
    return found;
  }

  #record(schema: Json, outer: string): AvroType {
    const name = String(schema['name']);
    const namespace = namespaceOf(schema, outer);
    const record: AvroRecord = { kind: 'record', name: name.slice(name.lastIndexOf('.') + 1), fields: [] };
    this.#keep(schema, outer, record);
    if (!Array.isArray(schema['fields'])) throw new NoSchema(`the record ${name} has no fields`);
    for (const field of schema['fields'] as readonly Json[])
      record.fields.push({ name: String(field['name']), type: this.parse(field['type'], namespace) });
    return record;
  }

  #keep<T extends AvroType>(schema: Json, outer: string, type: T): T {
    this.#named.set(qualified(String(schema['name']), namespaceOf(schema, outer)), type);
    return type;
  }
}

function qualified(name: string, namespace: string): string {
  return name.includes('.') || namespace === '' ? name : `${namespace}.${name}`;
}

/** The namespace in which names within a named type are looked up. */
function namespaceOf(schema: Json, outer: string): string {
  const name = String(schema['name']);
  if (name.includes('.')) return name.slice(0, name.lastIndexOf('.'));
  const { namespace } = schema;
  return typeof namespace === 'string' ? namespace : outer;
}

function symbolsIn({ symbols }: Json): readonly string[] {
  return Array.isArray(symbols) ? symbols.map(String) : [];
}

function unitIn({ logicalType }: Json): string | undefined {
  return typeof logicalType === 'string' ? logicalType : undefined;
}

type Wanted = 'text' | 'long' | 'texts';

type WantedFields = Readonly<Record<string, readonly [wanted: Wanted, nullable: boolean]>>;

/** The fields of an event, and of a request for a lease; all have a default. `true`: nullable. */
const COMMON_FIELDS: WantedFields = {
  type: ['text', false],
  occurredAt: ['long', true],
  eventId: ['text', true],
  sequence: ['long', true],
  timeoutMs: ['long', true],
  attributes: ['texts', false],
};
const EVENT_FIELDS: WantedFields = { ...COMMON_FIELDS, source: ['text', true] };
const REQUEST_FIELDS: WantedFields = {
  ...COMMON_FIELDS,
  token: ['long', true],
  requestId: ['text', true],
  waitMs: ['long', true],
};
const FIELDS = { event: EVENT_FIELDS, request: REQUEST_FIELDS };
const EVENT_NAME = 'SessionEvent';

export type Content = keyof typeof FIELDS;

/**
 * True if any value of the schema can be read as `content` (Avro 1.12, "Schema Resolution"), comparing names without namespace.
 */
export function canBe(content: Content, { name, fields }: AvroRecord): boolean {
  if (name !== EVENT_NAME) return false;
  return fields.every((field) => {
    const own = Object.hasOwn(FIELDS[content], field.name) ? FIELDS[content][field.name] : undefined;
    return own === undefined || resolves(field.type, own[0], own[1], false);
  });
}

export function isFieldOf(content: Content, name: string): boolean {
  return Object.hasOwn(FIELDS[content], name);
}

/** `anyUnit`: within a map, where numbers are refused anyway, their unit does not matter. */
function resolves(type: AvroType, wanted: Wanted, nullable: boolean, anyUnit: boolean): boolean {
  if (type.kind === 'union') return type.branches.every((branch) => resolves(branch, wanted, nullable, anyUnit));
  if (type.kind === 'map') return wanted === 'texts' && resolves(type.items, 'text', false, true);
  if (type.kind !== 'plain') return false;
  if (type.unit !== undefined && FOREIGN_UNITS.has(type.unit) && !anyUnit) return false;
  if (type.name === 'null') return nullable;
  if (wanted === 'text') return type.name === 'string' || type.name === 'bytes';
  return wanted === 'long' && (type.name === 'int' || type.name === 'long');
}
