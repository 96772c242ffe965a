// Foreign records among outputs: each is passed over, whatever is in it.
import { describe, expect, test } from '@jest/globals';
import { Misconfigured } from '@flatline/base';
import type { RawOutput } from '@flatline/client/parts';
import { Simulation } from '@flatline/cluster';
import type { SchemaRegistry } from '@flatline/records';
import type { Taken } from './sink-batch.ts';
import { sinkReading } from './sink-reading.ts';

const MINUTE_MS = 60_000;
const inAvro = (schemaId: number): Uint8Array => Uint8Array.from([0, 0, 0, 0, schemaId, 7, 7]);
const raw = (offset: number, value: Uint8Array): RawOutput => ({
  partition: 0,
  offset,
  timestamp: 5,
  key: Buffer.from('anna'),
  value,
  headers: [],
});

class World {
  readonly simulation = new Simulation({ seed: 1 });
  readonly #clock = this.simulation.start('a').ports.clock;
  readonly asked: number[] = [];
  readonly passedOver: string[] = [];
  readonly signal = new AbortController().signal;
  readonly registry: SchemaRegistry = {
    name: 'http://registry',
    schemaById: (id) => {
      this.asked.push(id);
      return Promise.resolve(undefined);
    },
    schemaId: () => Promise.reject(new Error('no output is written')),
    check: () => Promise.resolve(),
  };

  reading(format: 'json' | 'avro', registry: SchemaRegistry | undefined): ReturnType<typeof sinkReading> {
    const surroundings = { kafka: { clock: this.#clock }, registry, format, topic: 'closed', onNote: () => undefined };
    return sinkReading('session', surroundings, (where) => {
      this.passedOver.push(where);
    });
  }
}

describe('[O7] a foreign record', () => {
  test.each([[inAvro(7)], [Uint8Array.of(0)], [Buffer.from('hello')], [Buffer.from('{"a":1}')], [new Uint8Array(0)]])(
    'no. %# is passed over in a topic of JSON, and no registry is asked',
    (value) => {
      const world = new World();
      for (const registry of [undefined, world.registry]) {
        const taken = world.reading('json', registry)(raw(4, value), world.signal);
        expect(taken).toMatchObject({ offset: 4, row: undefined, incarnation: undefined });
      }
      expect(world.asked).toEqual([]);
      expect(world.passedOver).toHaveLength(2);
      expect(world.passedOver[0]).toMatch(/^the record at closed-0-4: /);
    },
  );

  test('of a schema that the registry does not know is waited for, then passed over, and its like at once', async () => {
    const world = new World();
    const read = world.reading('avro', world.registry);
    let taken: Taken | undefined;
    const waited = Promise.resolve(read(raw(4, inAvro(7)), world.signal)).then((found) => {
      taken = found;
    });
    await world.simulation.time.runFor(9 * MINUTE_MS);
    expect(taken).toBeUndefined();
    await world.simulation.time.runFor(2 * MINUTE_MS);
    await waited;
    expect(taken).toMatchObject({ offset: 4, row: undefined });
    expect(await read(raw(5, inAvro(7)), world.signal)).toMatchObject({ offset: 5, row: undefined });
    expect(world.passedOver.map((where) => where.slice(0, 24))).toEqual([
      'the record at closed-0-4',
      'the record at closed-0-5',
    ]);
  });
});

test('[I4] a topic of Avro needs a registry', () => {
  expect(() => new World().reading('avro', undefined)).toThrow(Misconfigured);
});
