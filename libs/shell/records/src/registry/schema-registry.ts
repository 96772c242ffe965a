// The port to a schema registry: what this library asks of one.

export interface RegisteredSchema {
  /** The registry leaves `AVRO` out of its answers; here it is always given. */
  readonly schemaType: string;
  readonly schema: string;
}

export interface SchemaRegistry {
  /** Where it is, for messages; without credentials. */
  readonly name: string;
  /** The schema of an id, which never changes; undefined where the registry does not know the id. @throws Retriable. */
  schemaById(id: number): Promise<RegisteredSchema | undefined>;
  /** The same at once, of one that has all there is in memory; left out of one that has to be asked. */
  schemaAtHand?(id: number): RegisteredSchema | undefined;
  /**
   * The id of an Avro schema under a subject; registers it where it is not there yet, and leaves the subject's
   * compatibility setting alone. @throws Retriable; Fatal where the registry refuses it.
   */
  schemaId(subject: string, schema: string): Promise<number>;
  /** Checks that it answers as a schema registry does. @throws Retriable, Fatal. */
  check(): Promise<void>;
}

/** Confluent's default naming strategy for values: one subject per topic. */
export function valueSubject(topic: string): string {
  return `${topic}-value`;
}
