import { describe, expect, test } from '@jest/globals';
import { ByteReader, MalformedBytes } from '@flatline/base';
import fc from 'fast-check';
import { asJson } from './as-json.ts';
import { type DeclaredType, declaredType } from './declared-type.ts';
import { readingAs } from './decoding.ts';
import { encoded } from './encoding.ts';

const typeOf = (schema: unknown): DeclaredType => declaredType(schema).type;
const read = (type: DeclaredType, bytes: Uint8Array): unknown => {
  const input = new ByteReader(bytes);
  const value = readingAs(type, type)(input);
  expect(input.remaining).toBe(0);
  return value;
};
const hex = (schema: unknown, value: unknown): string => Buffer.from(encoded(typeOf(schema), value)).toString('hex');

const SCALARS = ['null', 'boolean', 'double', 'string'];
/** A type, and values of it. */
const typed = fc.letrec<{ typed: { schema: unknown; value: fc.Arbitrary<unknown> } }>((tie) => ({
  typed: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom(
      { schema: 'boolean', value: fc.boolean() },
      { schema: 'int', value: fc.integer() },
      { schema: 'long', value: fc.maxSafeInteger() },
      { schema: 'double', value: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)) },
      { schema: 'string', value: fc.string({ unit: 'grapheme' }) },
      { schema: 'bytes', value: fc.uint8Array({ maxLength: 9 }) },
      { schema: SCALARS, value: fc.oneof(fc.constant(null), fc.boolean(), fc.string(), fc.integer()) },
      { schema: { type: 'enum', name: 'E', symbols: ['A', 'B'] }, value: fc.constantFrom('A', 'B') },
    ),
    tie('typed').map(({ schema, value }) => ({
      schema: { type: 'array', items: schema },
      value: fc.array(value, { maxLength: 4 }),
    })),
    tie('typed').map(({ schema, value }) => ({
      schema: { type: 'map', values: schema },
      value: fc
        .array(
          fc.tuple(
            fc.oneof(fc.constantFrom('__proto__', 'a', '10', '9', 'constructor'), fc.string({ unit: 'grapheme' })),
            value,
          ),
          {
            maxLength: 4,
          },
        )
        .map((entries) => {
          const map = Object.create(null) as Record<string, unknown>;
          for (const [name, each] of entries) map[name] = each;
          return map;
        }),
    })),
  ),
}));
/** Names of types are said once in a schema. */
const sound = typed.typed.filter(({ schema }) => JSON.stringify(schema).split('"enum"').length <= 2);

describe('values of declared types', () => {
  test('come back as they were, and in one encoding (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(
        sound.chain(({ schema, value }) => value.map((each) => [schema, each] as const)),
        ([schema, value]) => {
          const type = typeOf(schema);
          const bytes = encoded(type, value);
          const back = read(type, bytes);
          expect(encoded(type, back)).toEqual(bytes);
          const plain = (each: unknown): unknown =>
            JSON.parse(
              JSON.stringify(each, (_, inner: unknown) =>
                inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
              ),
            );
          expect(plain(back)).toEqual(plain(value));
          expect(JSON.parse(asJson(type, back))).toEqual(plain(value));
        },
      ),
      { numRuns: 400 },
    );
  });

  test('any bytes: a value or MalformedBytes, never more items than bytes (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(sound, fc.uint8Array({ maxLength: 40 }), ({ schema }, bytes) => {
        const type = typeOf(schema);
        try {
          readingAs(type, type)(new ByteReader(bytes));
        } catch (error) {
          if (!(error instanceof MalformedBytes)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('are as Avro has them', () => {
    expect(hex('long', 64)).toBe('8001');
    expect(hex('long', -(2 ** 53 - 1))).toBe('fdffffffffffff1f');
    expect(hex('long', 2 ** 53 - 1)).toBe('feffffffffffff1f');
    expect(hex('double', -0)).toBe(hex('double', 0));
    expect(hex({ type: 'array', items: 'int' }, [1, -1])).toBe('04020100');
    expect(hex({ type: 'map', values: 'boolean' }, { b: true, a: false })).toBe(
      hex({ type: 'map', values: 'boolean' }, { a: false, b: true }),
    );
    expect(hex(['null', 'string'], 'a')).toBe('020261');
    expect(hex(['null', 'string'], undefined)).toBe('00');
  });

  test.each<[string, unknown, unknown, string]>([
    ['a number that is none', 'double', Number.NaN, 'it is NaN, wanted a finite number'],
    ['one without an end', 'double', -Infinity, 'it is -Infinity, wanted a finite number'],
    ['a fraction', 'long', 0.5, 'it is 0.5, wanted an integer up to 2^53 - 1'],
    ['32 bits', 'int', 2 ** 31, 'wanted a 32-bit integer'],
    ['half of a pair', 'string', '\ud800', 'it holds half of a surrogate pair'],
    ['a date', { type: 'map', values: 'int' }, new Date(0), 'it is a value of the type Date, wanted an object'],
    ['a Map', { type: 'map', values: 'int' }, new Map(), 'it is a value of the type Map, wanted an object'],
    ['a branch', ['null', 'int'], 'x', 'it is "x", wanted null or int'],
    [
      'a promise',
      { type: 'map', values: 'int' },
      Promise.resolve({}),
      'it is a promise: a reducer is synchronous, wanted',
    ],
  ])('are refused: %s', (_what, schema, value, message) => {
    expect(() => encoded(typeOf(schema), value)).toThrow(message);
  });

  test('say where in a state what is wrong is', () => {
    const type = typeOf({
      type: 'record',
      name: 'R',
      fields: [{ name: 'list', type: { type: 'array', items: { type: 'map', values: 'int' } } }],
    });
    expect(() => encoded(type, { list: [{}, { a: 1, b: 'x' }] })).toThrow('list[1].b is "x"');
    expect(() => encoded(type, { list: [], other: 1 })).toThrow('other is no field of the schema');
    expect(() => encoded(type, Object.create({ list: [] }))).toThrow('list is undefined, wanted an array');
  });
});

describe('schemas of reducers', () => {
  test.each<[unknown, string]>([
    ['float', 'write "double" for "float", which rounds'],
    [{ type: 'fixed', name: 'F', size: 4 }, '"fixed" is no type here'],
    [['int', 'double'], 'two branches of one form (number)'],
    [['string', { type: 'enum', name: 'E', symbols: ['A'] }], 'two branches of one form (text)'],
    [{ type: 'array', items: 'null' }, 'an array of what says nothing'],
    [{ type: 'long', logicalType: 'timestamp-millis' }, 'no logical type'],
    [{ type: 'record', name: 'a.B', fields: [] }, 'a name is a.B'],
    [
      { type: 'record', name: 'R', fields: [{ name: 'r', type: { type: 'record', name: 'R', fields: [] } }] },
      'r: two types are named R',
    ],
    [{ type: 'record', name: 'R', fields: [{ name: 'a-b', type: 'int' }] }, "a field's name is a-b"],
    [{ type: 'enum', name: 'E', symbols: ['A', 'A'] }, 'the enum E needs symbols, each once'],
    [7, 'a type is 7'],
  ])('%j is refused', (schema, message) => {
    expect(() => declaredType(schema)).toThrow(message);
  });

  test('that say the same have one text and one fingerprint, which stand in changelogs', () => {
    const a = declaredType({
      type: 'record',
      name: 'R',
      doc: 'x',
      fields: [{ type: { type: 'long' }, name: 'n', default: 0 }],
    });
    const b = declaredType({ fields: [{ name: 'n', type: 'long', default: 0 }], name: 'R', type: 'record' });
    expect(a).toEqual(b);
    expect(a.text).toBe('{"type":"record","name":"R","fields":[{"name":"n","type":"long","default":0}]}');
    expect(a.fingerprint).toMatchInlineSnapshot(`192599352`);
    expect(declaredType(JSON.parse(a.text))).toEqual(a);
  });
});
