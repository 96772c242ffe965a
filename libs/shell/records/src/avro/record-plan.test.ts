import { describe, expect, test } from '@jest/globals';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import avsc, { type Schema } from 'avsc';
import fc from 'fast-check';
import { EVENT_SCHEMA } from '../events/event-formats.ts';
import { EVENT_SHAPE } from '../events/event-shape.ts';
import { anyText, fuzz } from '../fuzz.fixture.ts';
import { TextReader } from '../text-reader.ts';
import { AvroReader } from './avro-reader.ts';
import { RecordPlan } from './record-plan.ts';

type FieldOf = Readonly<Record<string, unknown>>;

function writerOf(fields: readonly FieldOf[], name = 'SessionEvent'): string {
  return JSON.stringify({ type: 'record', name, fields });
}

function planOf(schema: string): RecordPlan<SessionEvent> {
  return new RecordPlan(schema, EVENT_SCHEMA, EVENT_SHAPE);
}

function readWith(schema: string, bytes: Uint8Array): SessionEvent {
  const reader = new AvroReader(new TextReader());
  reader.reset(Buffer.from(bytes), 0, bytes.length);
  const target = blankEvent();
  planOf(schema).read(reader, target);
  return target;
}

describe('resolving a writer schema', () => {
  test.each<[string, readonly FieldOf[]]>([
    ['int for long', [{ name: 'occurredAt', type: 'int' }]],
    ['bytes for string', [{ name: 'type', type: 'bytes' }]],
    ['no union for a union', [{ name: 'eventId', type: 'string' }]],
    ['the union turned round', [{ name: 'eventId', type: ['string', 'null'] }]],
    ['a union of all that promotes', [{ name: 'sequence', type: ['long', 'null', 'int'] }]],
    ['always null', [{ name: 'sequence', type: 'null' }]],
    ['a map of unions', [{ name: 'attributes', type: { type: 'map', values: ['string', 'bytes'] } }]],
    [
      'a logical type of the same unit',
      [{ name: 'occurredAt', type: { type: 'long', logicalType: 'timestamp-millis' } }],
    ],
    ['no field of ours', [{ name: 'other', type: 'double' }]],
  ])('accepts %s', (_what, fields) => {
    expect(() => planOf(writerOf(fields))).not.toThrow();
  });

  test('another namespace is the same record, another name is not', () => {
    const fields = [{ name: 'type', type: 'string' }];
    expect(() => planOf(writerOf(fields, 'com.example.SessionEvent'))).not.toThrow();
    expect(() => planOf(writerOf(fields, 'Click'))).toThrow('cannot be resolved to ours');
  });

  test.each<[string, string, string]>([
    ['another type', writerOf([{ name: 'sequence', type: 'string' }]), 'cannot be resolved'],
    ['a number that is not whole', writerOf([{ name: 'occurredAt', type: 'double' }]), 'cannot be resolved'],
    ['null where it is not allowed', writerOf([{ name: 'type', type: ['null', 'string'] }]), 'cannot be resolved'],
    [
      'microseconds',
      writerOf([{ name: 'occurredAt', type: { type: 'long', logicalType: 'timestamp-micros' } }]),
      'occurredAt is in timestamp-micros, wanted milliseconds',
    ],
    [
      'nanoseconds, in a union',
      writerOf([{ name: 'occurredAt', type: ['null', { type: 'long', logicalType: 'timestamp-nanos' }] }]),
      'occurredAt is in timestamp-nanos',
    ],
    ['no record', '"string"', 'a string, wanted a record'],
    ['no JSON', '{', 'cannot be resolved'],
    ['no Avro', '{"type":"record"}', 'cannot be resolved'],
    ['an unknown type', writerOf([{ name: 'x', type: 'decimal' }]), 'cannot be resolved'],
    ['names that are code', writerOf([{ name: 'x;process.exit()', type: 'int' }]), 'cannot be resolved'],
    [
      'nesting beyond any stack',
      writerOf([{ name: 'x', type: 0 }]).replace(
        '0',
        `${'{"type":"array","items":'.repeat(50_000)}"int"${'}'.repeat(50_000)}`,
      ),
      'cannot be resolved',
    ],
  ])('refuses %s', (_what, schema, message) => {
    expect(() => planOf(schema)).toThrow(message);
    expect(() => planOf(schema)).toThrow(expect.objectContaining({ name: 'BadInput', reason: 'incompatible-schema' }));
  });
});

describe('reading by a plan', () => {
  type AvroType =
    | string
    | { readonly type: 'array'; readonly items: AvroType }
    | { readonly type: 'map'; readonly values: AvroType }
    | readonly AvroType[];
  const PRIMITIVES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    null: fc.constant(null),
    boolean: fc.boolean(),
    int: fc.integer(),
    // avsc writes what is below -2^51 wrongly.
    long: fc.integer({ min: -(2 ** 51), max: 2 ** 53 - 2 }),
    float: fc.float({ noNaN: true }),
    double: fc.double({ noNaN: true }),
    bytes: anyText.map((text) => Buffer.from(text)),
    string: anyText,
  };
  const anyType: fc.Arbitrary<AvroType> = fc.letrec<{ type: AvroType }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'),
      fc.record({ type: fc.constant('array'), items: tie('type') }),
      fc.record({ type: fc.constant('map'), values: tie('type') }),
      tie('type')
        .filter((type) => !Array.isArray(type) && type !== 'null')
        .map((type) => ['null', type]),
    ),
  })).type;
  const ours: readonly (readonly [string, readonly AvroType[]])[] = [
    ['type', ['string', 'bytes']],
    ['occurredAt', ['long', 'int', ['null', 'long'], ['int', 'null']]],
    ['eventId', ['string', ['null', 'string'], ['bytes', 'null']]],
    ['sequence', ['int', ['null', 'int', 'long']]],
    [
      'attributes',
      [
        { type: 'map', values: 'string' },
        { type: 'map', values: ['bytes', 'string'] },
      ],
    ],
  ];
  type Branch = Exclude<AvroType, readonly AvroType[]>;
  /** A value as avsc takes it, unions wrapped. */
  const anyValueOf = (type: AvroType): fc.Arbitrary<unknown> => {
    if (typeof type === 'string') return PRIMITIVES[type]!;
    if ('length' in type) return fc.oneof(...(type as readonly Branch[]).map((branch) => wrapped(branch)));
    if ('items' in type) return fc.array(anyValueOf(type.items), { maxLength: 3 });
    return fc.array(fc.tuple(anyText, anyValueOf(type.values)), { maxLength: 3 }).map(
      // avsc's reading loses `__proto__`, which the test after this one is about.
      (entries) => Object.fromEntries(entries.filter(([key]) => key !== '__proto__')),
    );
  };
  const wrapped = (branch: Branch): fc.Arbitrary<unknown> => {
    if (branch === 'null') return fc.constant(null);
    const name = typeof branch === 'string' ? branch : 'items' in branch ? 'array' : 'map';
    return anyValueOf(branch).map((value) => ({ [name]: value }));
  };
  const anyWriterAndValue = fc
    .tuple(
      fc.tuple(...ours.map(([name, types]) => fc.option(fc.constantFrom(...types).map((type) => ({ name, type }))))),
      fc.array(anyType, { maxLength: 4 }),
    )
    .chain(([known, others]) => {
      const fields = [
        ...known.filter((field) => field !== null),
        ...others.map((type, i) => ({ name: `x${i}`, type })),
      ];
      return fc.shuffledSubarray(fields, { minLength: fields.length });
    })
    .chain((fields) =>
      fc.record({
        schema: fc.constant(JSON.stringify({ type: 'record', name: 'SessionEvent', fields })),
        value: fc.record(Object.fromEntries(fields.map(({ name, type }) => [name, anyValueOf(type)]))),
      }),
    );

  /** avsc's own reading, made comparable. */
  function oracle(schema: string, bytes: Buffer): Record<string, unknown> {
    const options = { wrapUnions: 'always' } as const;
    const writer = avsc.Type.forSchema(JSON.parse(schema) as Schema, options);
    const reader = avsc.Type.forSchema(JSON.parse(EVENT_SCHEMA.text) as Schema, options);
    const read = reader.fromBuffer(bytes, reader.createResolver(writer, { ignoreNamespaces: true })) as object;
    const branch = (value: unknown): unknown => (value === null ? undefined : Object.values(value as object)[0]);
    const { type, attributes, ...unions } = read as Record<string, unknown>;
    const rest = Object.fromEntries(Object.entries(unions).map(([name, value]) => [name, branch(value)]));
    return { type, ...rest, attributes: { ...(attributes as object) } };
  }

  test('any writer that resolves: what avsc reads (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(anyWriterAndValue, ({ schema, value }) => {
        const bytes = avsc.Type.forSchema(JSON.parse(schema) as Schema, { wrapUnions: 'always' }).toBuffer(value);
        const wanted = oracle(schema, bytes);
        // Limits are not the question here.
        const free = EVENT_SHAPE.map((field) => ({
          ...field,
          set: (target: object, value: unknown) => {
            Object.assign(target, { [field.name]: value });
          },
        }));
        const plan = new RecordPlan(schema, EVENT_SCHEMA, free);
        const reader = new AvroReader(new TextReader());
        reader.reset(bytes, 0, bytes.length);
        const target = blankEvent();
        plan.read(reader, target);
        expect({ ...target, attributes: Object.fromEntries(target.attributes ?? []) }).toEqual(wanted);
      }),
      fuzz(1_000),
    );
  });

  test('[I3] a map holds __proto__ like any other key', () => {
    const type = avsc.Type.forSchema(JSON.parse(EVENT_SCHEMA.text) as Schema);
    const hostile: unknown = JSON.parse('{"__proto__":"x","constructor":"y"}');
    const bytes = type.toBuffer({
      type: 'a',
      occurredAt: null,
      eventId: null,
      sequence: null,
      timeoutMs: null,
      attributes: hostile,
    });
    expect(readWith(EVENT_SCHEMA.text, bytes).attributes).toEqual(
      new Map([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    );
  });

  test('a map in several blocks, with and without their size', () => {
    const schema = writerOf([{ name: 'attributes', type: { type: 'map', values: 'string' } }]);
    const bytes = Uint8Array.of(2, 2, 0x61, 2, 0x31, 1, 8, 2, 0x62, 2, 0x32, 0);
    expect(readWith(schema, bytes).attributes).toEqual(
      new Map([
        ['a', '1'],
        ['b', '2'],
      ]),
    );
  });

  test('what follows the end is bad input', () => {
    const schema = writerOf([{ name: 'type', type: 'string' }]);
    expect(() => readWith(schema, Uint8Array.of(2, 0x61, 0))).toThrow(
      expect.objectContaining({ reason: 'trailing-bytes', message: '1 byte after the end of the value' }),
    );
  });

  test('a broken value names its field', () => {
    const schema = writerOf([
      { name: 'type', type: 'string' },
      { name: 'sequence', type: 'long' },
    ]);
    expect(() => readWith(schema, Uint8Array.of(2, 0x61))).toThrow('sequence: the value ends too early');
    expect(() => readWith(schema, Uint8Array.of(2, 0x61, ...new Array<number>(9).fill(0xff), 1))).toThrow(
      'sequence: a number beyond 2^53 - 1',
    );
  });
});

describe('passing over fields we do not have', () => {
  const countOf2To50 = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x04];

  test('2^50 items that occupy nothing cost nothing', () => {
    const nothing = {
      type: 'record',
      name: 'Nothing',
      fields: [
        { name: 'a', type: 'null' },
        { name: 'b', type: { type: 'fixed', name: 'F', size: 0 } },
      ],
    };
    const schema = writerOf([
      { name: 'x', type: { type: 'array', items: nothing } },
      { name: 'type', type: 'string' },
    ]);
    expect(readWith(schema, Uint8Array.of(...countOf2To50, 0, 2, 0x61)).type).toBe('a');
  });

  test('2^50 items that are not there end with the bytes', () => {
    for (const type of [
      { type: 'array', items: 'int' },
      { type: 'map', values: 'null' },
      { type: 'map', values: 'string' },
    ]) {
      const schema = writerOf([{ name: 'x', type }]);
      expect(() => readWith(schema, Uint8Array.of(...countOf2To50, 2, 2))).toThrow('too early');
    }
    const ours = writerOf([{ name: 'attributes', type: { type: 'map', values: 'string' } }]);
    expect(() => readWith(ours, Uint8Array.of(...countOf2To50, 2, 0x61))).toThrow('too early');
  });

  test('records that double with every level cost nothing where they hold nothing', () => {
    let type: unknown = 'null';
    for (let level = 0; level < 60; level += 1) {
      const fields = [
        { name: 'left', type },
        { name: 'right', type: level === 0 ? 'null' : `R${level - 1}` },
      ];
      type = { type: 'record', name: `R${level}`, fields };
    }
    expect(
      readWith(
        writerOf([
          { name: 'x', type },
          { name: 'type', type: 'string' },
        ]),
        Uint8Array.of(2, 0x61),
      ).type,
    ).toBe('a');
  });

  test('a chain longer than the bound is bad input, a shorter one is passed over', () => {
    const chain = { type: 'record', name: 'Link', fields: [{ name: 'next', type: ['null', 'Link'] }] };
    const schema = writerOf([{ name: 'x', type: chain }]);
    const linked = (links: number): Uint8Array => Uint8Array.of(...new Array<number>(links).fill(2), 0);
    expect(() => readWith(schema, linked(60))).not.toThrow();
    expect(() => readWith(schema, linked(100_000))).toThrow('x: nested more than 64 deep');
  });

  test('the bound is on depth, not on number', () => {
    const item = { type: 'record', name: 'Item', fields: [{ name: 'a', type: 'int' }] };
    const schema = writerOf([{ name: 'x', type: { type: 'array', items: item } }]);
    expect(() => readWith(schema, Uint8Array.of(0xc8, 1, ...new Array<number>(100).fill(2), 0))).not.toThrow();
  });

  test('a record within itself, which no value can have, is bad input', () => {
    const schema = writerOf([
      { name: 'x', type: { type: 'record', name: 'Self', fields: [{ name: 'self', type: 'Self' }] } },
    ]);
    expect(() => readWith(schema, Uint8Array.of(2, 2, 2))).toThrow('nested more than 64 deep');
  });

  test('numbers beyond 2^53 are no concern of ours there', () => {
    const schema = writerOf([
      { name: 'x', type: 'long' },
      { name: 'type', type: 'string' },
    ]);
    expect(readWith(schema, Uint8Array.of(...new Array<number>(9).fill(0xff), 1, 2, 0x61)).type).toBe('a');
  });
});
