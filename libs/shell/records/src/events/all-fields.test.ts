// All fields of an event, as a reducer sees them (S10).
import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import { blankEvent } from '@flatline/ports/formats';
import avsc from 'avsc';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { EventFormats } from './event-formats.ts';

const registry = new MemorySchemaRegistry();
const formats = new EventFormats({ format: 'auto', registry, clock: new ManualClock() });

function fieldsOf(value: Uint8Array): Readonly<Record<string, unknown>> {
  // Somewhere within a batch.
  const bytes = Buffer.concat([Buffer.of(1, 2), value, Buffer.of(3)]);
  expect(formats.decode(bytes, 2, value.length, blankEvent())).toEqual({ kind: 'event' });
  return formats.fields(bytes, 2, value.length);
}

function prototypes(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return found;
  if (!Array.isArray(value)) found.add(Object.getPrototypeOf(value));
  for (const each of Object.values(value)) prototypes(each, found);
  return found;
}

describe('[S10] all fields of an event', () => {
  test('[I3] in JSON: what the text says and nothing else, however deep', () => {
    const fields = fieldsOf(Buffer.from('{"type":"BUY","amount":-0,"a":[{"__proto__":{"x":1}}],"sequence":1}'));
    expect(JSON.stringify(fields)).toBe('{"type":"BUY","amount":0,"a":[{"__proto__":{"x":1}}],"sequence":1}');
    expect(Object.is(fields['amount'], -0)).toBe(true);
    expect(fields['constructor']).toBeUndefined();
    expect([...prototypes(fields)]).toEqual([null]);
    const depth = 200_000;
    expect(fieldsOf(Buffer.from(`{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`))).toHaveProperty('deep');
  });

  test('in Avro: of any type that its schema has, ours and others', async () => {
    const schema = {
      type: 'record',
      name: 'SessionEvent',
      fields: [
        { name: 'type', type: 'string', default: 'HEARTBEAT' },
        { name: 'amount', type: 'double' },
        { name: 'small', type: 'float' },
        { name: 'count', type: ['null', 'long'] },
        { name: 'size', type: { type: 'enum', name: 'Size', symbols: ['S', 'L'] } },
        { name: 'id', type: { type: 'fixed', name: 'Id', size: 2 } },
        { name: 'raw', type: 'bytes' },
        {
          name: 'items',
          type: { type: 'array', items: { type: 'record', name: 'Item', fields: [{ name: 'n', type: 'int' }] } },
        },
        { name: 'tags', type: { type: 'map', values: 'string' } },
        { name: 'nothing', type: { type: 'array', items: 'null' } },
        { name: 'is', type: 'boolean' },
      ],
    };
    const id = registry.add({ schema: JSON.stringify(schema), schemaType: 'AVRO' });
    await formats.prepare(id);
    const value = avsc.Type.forSchema(schema as avsc.Schema, { wrapUnions: 'always' }).toBuffer({
      type: 'BUY',
      amount: 0.1,
      small: 0.5,
      count: { long: 3 },
      size: 'L',
      id: Buffer.of(1, 2),
      raw: Buffer.of(3),
      items: [{ n: -1 }, { n: 2 }],
      tags: { a: 'b' },
      nothing: [null, null],
      is: true,
    });
    const fields = fieldsOf(Buffer.concat([Buffer.of(0, 0, 0, 0, id), value]));
    expect(fields).toMatchObject({ type: 'BUY', amount: 0.1, small: 0.5, count: 3, size: 'L', is: true, nothing: [] });
    expect(fields).toMatchObject({
      items: [{ n: -1 }, { n: 2 }],
      tags: { a: 'b' },
      id: Uint8Array.of(1, 2),
      raw: Uint8Array.of(3),
    });
    expect([...prototypes(fields)]).toEqual([null]);
  });

  test('in Avro: what would be passed over is taken as it is', async () => {
    const fields = [
      { name: 'long', type: 'long' },
      { name: 'text', type: 'string' },
    ];
    const schema = JSON.stringify({ type: 'record', name: 'SessionEvent', fields });
    const id = registry.add({ schema, schemaType: 'AVRO' });
    await formats.prepare(id);
    // The greatest of 64 bits, and a byte that is no UTF-8.
    const value = Uint8Array.of(0, 0, 0, 0, id, ...[0xfe, ...new Array<number>(8).fill(0xff), 1], 2, 0xff);
    expect(fieldsOf(value)).toMatchObject({ long: 2 ** 63, text: '\ufffd' });
  });

  test('[I6] in Avro: what occupies no bytes is not visited, though it is nested 2^30-fold in a record of two', async () => {
    const nested = (depth: number): avsc.Schema => ({
      type: 'record',
      name: `R${depth}`,
      fields:
        depth === 0
          ? [{ name: 'n', type: 'null' }]
          : [
              { name: 'a', type: nested(depth - 1) },
              { name: 'b', type: `R${depth - 1}` },
            ],
    });
    const fields = [
      { name: 'type', type: 'string' },
      { name: 'x', type: nested(30) },
    ];
    const schema = JSON.stringify({ type: 'record', name: 'SessionEvent', fields });
    const id = registry.add({ schema, schemaType: 'AVRO' });
    await formats.prepare(id);
    expect(fieldsOf(Uint8Array.of(0, 0, 0, 0, id, 2, 0x41))).toEqual(
      Object.assign(Object.create(null), { type: 'A', x: null }),
    );
  });
});
