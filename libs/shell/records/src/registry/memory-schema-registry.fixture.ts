import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

/** A registry in memory, for simulations and tests: same answers, no compatibility rules. */
export class MemorySchemaRegistry implements SchemaRegistry {
  readonly name = 'memory';
  readonly #schemas: RegisteredSchema[] = [];
  readonly #subjects = new Map<string, Map<string, number>>();

  schemaById(id: number): Promise<RegisteredSchema | undefined> {
    return Promise.resolve(this.#schemas[id - 1]);
  }

  schemaId(subject: string, schema: string): Promise<number> {
    const versions = this.#subjects.get(subject) ?? new Map<string, number>();
    this.#subjects.set(subject, versions);
    const id = versions.get(schema) ?? this.add({ schema, schemaType: 'AVRO' });
    versions.set(schema, id);
    return Promise.resolve(id);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  /** Adds a schema under no subject; its id. The same text has the same id. */
  add(registered: RegisteredSchema): number {
    const at = this.#schemas.findIndex(({ schema }) => schema === registered.schema);
    return at >= 0 ? at + 1 : this.#schemas.push(registered);
  }
}
