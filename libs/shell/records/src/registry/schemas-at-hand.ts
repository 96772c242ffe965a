// A schema registry without a server: what is handed to it, and schemas of our own. It answers at once, so that reading never waits.
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

export class SchemasAtHand implements SchemaRegistry {
  readonly name: string;
  readonly #schemas: Map<number, RegisteredSchema>;
  #nextId: number;

  /** `schemas`: Avro schemas as JSON, by id. */
  constructor(name: string, schemas: Readonly<Record<number, string>> = {}) {
    const given = Object.entries(schemas).map(
      ([id, schema]) => [Number(id), { schemaType: 'AVRO', schema }] as [number, RegisteredSchema],
    );
    this.name = name;
    this.#schemas = new Map(given);
    this.#nextId = Math.max(0, ...this.#schemas.keys()) + 1;
  }

  schemaAtHand(id: number): RegisteredSchema | undefined {
    return this.#schemas.get(id);
  }

  /** The id of a schema, which gets one where it has none. */
  idOf(schema: string): number {
    const known = [...this.#schemas].find(([, registered]) => registered.schema === schema);
    if (known !== undefined) return known[0];
    const id = this.#nextId;
    this.#nextId += 1;
    this.#schemas.set(id, { schemaType: 'AVRO', schema });
    return id;
  }

  schemaById(id: number): Promise<RegisteredSchema | undefined> {
    return Promise.resolve(this.schemaAtHand(id));
  }

  schemaId(_subject: string, schema: string): Promise<number> {
    return Promise.resolve(this.idOf(schema));
  }

  check(): Promise<void> {
    return Promise.resolve();
  }
}
