import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { CACHED_SCHEMAS_MAX, PENDING_SCHEMAS_MAX, UNKNOWN_SCHEMA_TTL_MS, UNKNOWN_SCHEMAS_MAX } from '../limits.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { SchemaPlans } from './schema-plans.ts';
import type { RegisteredSchema, SchemaRegistry } from './schema-registry.ts';

/** A registry whose answers are given by hand, so that requests can be seen under way. */
class HandRegistry implements SchemaRegistry {
  readonly name = 'by hand';
  readonly asked: number[] = [];
  readonly #answers: ((answer: RegisteredSchema | undefined | Error) => void)[] = [];

  schemaById(id: number): Promise<RegisteredSchema | undefined> {
    this.asked.push(id);
    return new Promise((resolve, reject) => {
      this.#answers.push((answer) => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
    });
  }

  /** Answers the oldest request. */
  answer(answer: RegisteredSchema | undefined | Error): void {
    this.#answers.shift()!(answer);
  }

  schemaId(): Promise<number> {
    return Promise.resolve(1);
  }

  check(): Promise<void> {
    return Promise.resolve();
  }
}

function setUp() {
  const registry = new HandRegistry();
  const clock = new ManualClock();
  const plans = new SchemaPlans(registry, clock, (schema) => `plan of ${schema}`);
  const know = async (id: number, answer: RegisteredSchema | undefined): Promise<void> => {
    const prepared = plans.prepare(id);
    registry.answer(answer);
    await prepared;
  };
  return { registry, clock, plans, know };
}

const avro = { schemaType: 'AVRO', schema: 'S' };

describe('writer schemas', () => {
  test('PL1: a plan once prepared, and never fetched again', async () => {
    const { registry, plans, know } = setUp();
    expect(plans.of(7)).toBeUndefined();
    await know(7, avro);
    expect(plans.of(7)).toEqual({ kind: 'plan', plan: 'plan of S' });
    await plans.prepare(7);
    expect(registry.asked).toEqual([7]);
  });

  test('PL2: concurrent requests for one id are one request; others are others', async () => {
    const { registry, plans } = setUp();
    const first = plans.prepare(7);
    const second = plans.prepare(7);
    const other = plans.prepare(8);
    expect(registry.asked).toEqual([7, 8]);
    registry.answer(avro);
    registry.answer(undefined);
    await Promise.all([first, second, other]);
    expect(plans.of(7)).toMatchObject({ kind: 'plan' });
    expect(plans.of(8)).toMatchObject({ kind: 'bad', reason: 'unknown-schema-id' });
  });

  test('PL3: an unknown id is asked for again after its time, and not before', async () => {
    const { registry, clock, plans, know } = setUp();
    await know(7, undefined);
    clock.advance(UNKNOWN_SCHEMA_TTL_MS - 1);
    await plans.prepare(7);
    expect(registry.asked).toEqual([7]);
    clock.advance(1);
    expect(plans.of(7)).toBeUndefined();
    await know(7, avro);
    expect(plans.of(7)).toMatchObject({ kind: 'plan' });
  });

  test('a registry that does not answer fails all who wait, and is asked again by the next', async () => {
    const { registry, plans, know } = setUp();
    const waiting = [plans.prepare(7), plans.prepare(7)];
    registry.answer(new Retriable('down'));
    for (const one of waiting) await expect(one).rejects.toThrow(Retriable);
    expect(plans.of(7)).toBeUndefined();
    await know(7, avro);
    expect(plans.of(7)).toMatchObject({ kind: 'plan' });
  });

  test('PL4: a flood of unknown ids stays within its bound and evicts no plan', async () => {
    const { plans, know } = setUp();
    await know(1, avro);
    for (let id = 2; id < UNKNOWN_SCHEMAS_MAX + 3; id += 1) await know(id, undefined);
    expect(plans.of(2)).toBeUndefined();
    expect(plans.of(3)).toMatchObject({ kind: 'bad' });
    expect(plans.of(1)).toMatchObject({ kind: 'plan' });
  });

  test('plans are bounded: the one held longest gives way', async () => {
    const { plans, know } = setUp();
    for (let id = 1; id <= CACHED_SCHEMAS_MAX + 1; id += 1) await know(id, avro);
    expect(plans.of(1)).toBeUndefined();
    expect(plans.of(2)).toMatchObject({ kind: 'plan' });
    expect(plans.of(CACHED_SCHEMAS_MAX + 1)).toMatchObject({ kind: 'plan' });
  });

  test('requests under way are bounded', async () => {
    const { registry, plans } = setUp();
    const waiting: Promise<void>[] = [];
    for (let id = 1; id <= PENDING_SCHEMAS_MAX; id += 1) waiting.push(plans.prepare(id));
    await expect(plans.prepare(PENDING_SCHEMAS_MAX + 1)).rejects.toThrow(Retriable);
    waiting.forEach(() => {
      registry.answer(avro);
    });
    await Promise.all(waiting);
  });
});
