// The writer schemas a decoder knows, each worked out to a plan once.
//
// Owns: plans, what is known of ids without one, the requests under way.
// Does not own: the registry.
//
// Invariants
//   PL1  After `prepare(id)` resolves, `of(id)` is defined: the plan, or why there is none.
//   PL2  One request per id at a time, however many ask for it.
//   PL3  An id the registry does not know is forgotten after UNKNOWN_SCHEMA_TTL_MS; a schema, once given out, never changes.
//   PL4  Unknown ids are kept apart from plans: a flood of invented ids evicts no plan.
import { Retriable, type Clock, type DurationMs } from '@flatline/base';
import { BadInput, badOutcome, type BadOutcome } from '../bad-input.ts';
import { CACHED_SCHEMAS_MAX, PENDING_SCHEMAS_MAX, UNKNOWN_SCHEMA_TTL_MS, UNKNOWN_SCHEMAS_MAX } from '../limits.ts';
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

/** Ids are signed 32-bit integers in every registry. */
const SCHEMA_ID_MAX = 0x7fffffff;

export type Known<Plan> = { readonly kind: 'plan'; readonly plan: Plan } | BadOutcome;

export class SchemaPlans<Plan> {
  readonly #registry: SchemaRegistry;
  readonly #clock: Clock;
  readonly #makePlan: (writerSchema: string) => Plan;
  readonly #known = new Map<number, Known<Plan>>();
  readonly #unknownUntil = new Map<number, DurationMs>();
  readonly #pending = new Map<number, Promise<void>>();

  /** `makePlan` throws BadInput for a schema that cannot be read. */
  constructor(registry: SchemaRegistry, clock: Clock, makePlan: (writerSchema: string) => Plan) {
    this.#registry = registry;
    this.#clock = clock;
    this.#makePlan = makePlan;
  }

  /** undefined: not known, `prepare` it. */
  of(id: number): Known<Plan> | undefined {
    return this.#known.get(id) ?? this.#unknown(id) ?? this.#atHand(id);
  }

  /** undefined of a registry that has to be asked. */
  #atHand(id: number): Known<Plan> | undefined {
    const registry = this.#registry;
    if (registry.schemaAtHand === undefined) return undefined;
    const registered = registry.schemaAtHand(id);
    if (registered === undefined) return this.#notThere(id);
    const known = this.#resolve(registered);
    keepBounded(this.#known, id, known, CACHED_SCHEMAS_MAX);
    return known;
  }

  #unknown(id: number): BadOutcome | undefined {
    if (id > SCHEMA_ID_MAX)
      return { kind: 'bad', reason: 'unknown-schema-id', detail: `no registry gives the schema id ${id}` };
    const until = this.#unknownUntil.get(id);
    return until === undefined || until <= this.#clock.monotonicMs() ? undefined : this.#notThere(id);
  }

  #notThere(id: number): BadOutcome {
    return {
      kind: 'bad',
      reason: 'unknown-schema-id',
      detail: `the schema registry at ${this.#registry.name} does not know the schema id ${id}`,
    };
  }

  /** @throws Retriable where the registry does not answer. */
  async prepare(id: number): Promise<void> {
    if (this.of(id) !== undefined) return;
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending;
    if (this.#pending.size >= PENDING_SCHEMAS_MAX) {
      throw new Retriable(`${PENDING_SCHEMAS_MAX} schemas are being fetched from ${this.#registry.name} already`);
    }
    const request = this.#fetch(id).finally(() => this.#pending.delete(id));
    this.#pending.set(id, request);
    return request;
  }

  async #fetch(id: number): Promise<void> {
    const registered = await this.#registry.schemaById(id);
    if (registered === undefined) {
      keepBounded(this.#unknownUntil, id, this.#clock.monotonicMs() + UNKNOWN_SCHEMA_TTL_MS, UNKNOWN_SCHEMAS_MAX);
    } else {
      keepBounded(this.#known, id, this.#resolve(registered), CACHED_SCHEMAS_MAX);
    }
  }

  #resolve({ schemaType, schema }: RegisteredSchema): Known<Plan> {
    try {
      if (schemaType !== 'AVRO')
        throw new BadInput('incompatible-schema', `the writer schema is ${schemaType}, wanted AVRO`);
      return { kind: 'plan', plan: this.#makePlan(schema) };
    } catch (error) {
      return badOutcome(error);
    }
  }
}

/** Adds to a map, dropping what was added first where it is full. */
function keepBounded<Value>(map: Map<number, Value>, id: number, value: Value, most: number): void {
  map.delete(id);
  const oldest = map.keys().next();
  if (map.size >= most && !oldest.done) map.delete(oldest.value);
  map.set(id, value);
}
