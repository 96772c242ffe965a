import { describe, expect, test } from '@jest/globals';
import { blankEvent, type DecodeOutcome, type SessionEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import type { InputFormat } from '../format.ts';
import { anyText, fuzz } from '../fuzz.fixture.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { anyEvent } from '../records.fixture.ts';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { openEventEncoder } from './event-encoder.ts';
import { EventFormats, openEventDecoder } from './event-formats.ts';

const TOPIC = 'events';

function formats(format: InputFormat = 'auto', registry?: MemorySchemaRegistry): EventFormats {
  return new EventFormats({ format, registry, clock: new ManualClock() });
}

async function withRegistry(format: InputFormat = 'auto') {
  const registry = new MemorySchemaRegistry();
  const encoder = await openEventEncoder('avro', TOPIC, registry);
  const decoder = formats(format, registry);
  await decoder.prepare(1);
  return { registry, encoder, decoder };
}

function decode(decoder: EventFormats, bytes: Uint8Array, target: SessionEvent = blankEvent()): DecodeOutcome {
  // Within a larger buffer, as records are.
  const around = Buffer.concat([Buffer.from('}{'), bytes, Buffer.from('"}')]);
  return decoder.decode(around, 2, bytes.length, target);
}

function decodeText(text: string): { readonly outcome: DecodeOutcome; readonly target: SessionEvent } {
  const target = blankEvent();
  return { outcome: decode(formats(), Buffer.from(text), target), target };
}

describe('round trip', () => {
  test('any event, in JSON and Avro: what was sent is what is read (rerun: the printed seed)', async () => {
    const { encoder, decoder } = await withRegistry();
    const json = await openEventEncoder('json', TOPIC, undefined);
    fc.assert(
      fc.property(anyEvent, (event) => {
        const attributes = event.attributes?.size === 0 ? undefined : event.attributes;
        for (const bytes of [encoder.encode(event), json.encode(event)]) {
          const target = blankEvent();
          expect(decode(decoder, bytes, target)).toEqual({ kind: 'event' });
          expect(target).toEqual({ ...blankEvent(), ...event, attributes });
        }
      }),
      fuzz(1_000),
    );
  });

  test('one scratch event is used again: nothing of the former record remains', () => {
    const target = blankEvent();
    const decoder = formats();
    decode(decoder, Buffer.from('{"type":"a","eventId":"e","sequence":1,"attributes":{"x":"y"}}'), target);
    decode(decoder, Buffer.from('{"occurredAt":5}'), target);
    expect(target).toEqual({ ...blankEvent(), occurredAt: 5 });
  });

  test.each<[string, object, string]>([
    ['type', { type: '' }, 'type is "", wanted 1 to 64 characters'],
    ['eventId', { eventId: 'e'.repeat(257) }, 'wanted 1 to 256 characters'],
    ['occurredAt', { occurredAt: 1.5 }, 'occurredAt is 1.5'],
    ['occurredAt', { occurredAt: 8.64e15 + 1 }, 'occurredAt is 8640000000000001'],
    ['sequence', { sequence: 2 ** 53 }, 'sequence is 9007199254740992'],
    ['timeoutMs', { timeoutMs: 0 }, 'timeoutMs is 0, wanted an integer from 1 to 2^53 - 1'],
    ['attributes', { attributes: new Map([['a', '\ud800']]) }, 'attributes holds half of a surrogate pair'],
  ])('a producer cannot send what a decoder refuses: %s', async (_field, event, message) => {
    const { encoder } = await withRegistry();
    expect(() => encoder.encode(event)).toThrow(message);
  });
});

describe('[S5] a field called source that may be another one', () => {
  const url = 'https://shop.example/' + 'x'.repeat(60);
  test.each<[string, unknown]>([
    ['an object', { app: 'x' }],
    ['a number', 7],
    ['an array', ['web']],
    ['true', true],
  ])(
    '[S5][I2] %s names no source, with a sequence or without: the event counts, as of the unnamed one',
    (_what, source) => {
      for (const rest of [{ type: 'VIEW', sequence: 3, attributes: { a: 'b' } }, { type: 'VIEW' }]) {
        const { outcome, target } = decodeText(JSON.stringify({ source, ...rest }));
        expect([outcome, target.source, target.type]).toEqual([{ kind: 'event' }, undefined, 'VIEW']);
        expect(target.sequence).toBe(rest.sequence);
      }
    },
  );

  test.each<[string, string]>([
    ['too long', url],
    ['empty', ''],
    ['half of a character', '\ud800'],
  ])(
    '[S5] nor does text that is no name (%s), unless there is a sequence that it may have numbered',
    (_what, source) => {
      const alone = decodeText(JSON.stringify({ source, type: 'VIEW' }));
      expect([alone.outcome, alone.target.source]).toEqual([{ kind: 'event' }, undefined]);
      const numbered = decodeText(JSON.stringify({ source, sequence: 3 }));
      expect(numbered.outcome).toMatchObject({
        kind: 'bad',
        reason: source === '\ud800' ? 'invalid-utf8' : 'invalid-source',
      });
    },
  );

  test('[S5] the refusal says what to do', () => {
    expect(decodeText(JSON.stringify({ source: url, sequence: 3 })).outcome).toMatchObject({
      detail: expect.stringMatching(
        /^source is "https.* characters\), wanted 1 to 64 bytes in UTF-8, the name of a sender: shorten it, or call the field otherwise$/,
      ) as unknown,
    });
  });

  test('[S5] a producer of ours is held to it', async () => {
    const json = await openEventEncoder('json', TOPIC, undefined);
    for (const source of [7, { app: 'x' }, '', url])
      expect(() => json.encode({ source: source as never })).toThrow(/^source is .*wanted/);
  });
});

describe('telling formats apart', () => {
  test.each<[InputFormat, string, string]>([
    ['auto', '', 'the value is empty'],
    ['auto', 'hello', 'the first byte is 0x68, wanted 0x00 (Avro) or { (JSON)'],
    ['auto', ' {}', 'the first byte is 0x20'],
    ['auto', '\uFEFF{}', 'the first byte is 0xef'],
    ['avro', '{}', 'the first byte is 0x7b, wanted 0x00 (Avro)'],
  ])('[I1] format %s, value %j: unknown-format', (format, text, detail) => {
    expect(decode(formats(format, new MemorySchemaRegistry()), Buffer.from(text))).toEqual({
      kind: 'bad',
      reason: 'unknown-format',
      detail: expect.stringContaining(detail),
    });
  });

  test('[I1] format json: everything is taken for JSON, white space before it included', async () => {
    const { encoder } = await withRegistry();
    expect(decode(formats('json'), encoder.encode({}))).toMatchObject({ reason: 'invalid-json' });
    expect(decode(formats('json'), Buffer.from(' \n{"type":"a"} '))).toEqual({ kind: 'event' });
  });

  test('[I1] Avro without a registry is bad input that names the setting', () => {
    expect(decode(formats(), Buffer.from([0, 0, 0, 0, 1, 0]))).toMatchObject({
      reason: 'no-schema-registry',
      detail: expect.stringContaining('SCHEMA_REGISTRY_URL'),
    });
  });

  test('an input fixed to Avro without a registry does not open', async () => {
    await expect(
      openEventDecoder(TOPIC, { format: 'avro', registry: undefined, clock: new ManualClock() }),
    ).rejects.toThrow(/^The input events has the format avro, which needs a schema registry\. Set SCHEMA_REGISTRY_URL/);
  });
});

describe('[I1] bad JSON: a stable reason, and a detail that names the field and shows the value', () => {
  const long = 'x'.repeat(100);
  test.each<[string, string, string]>([
    ['{"type":5}', 'invalid-type', 'type is 5, wanted a string'],
    ['{"type":""}', 'invalid-type', 'type is "", wanted 1 to 64 characters'],
    [`{"type":"${long}"}`, 'invalid-type', `type is "${'x'.repeat(60)}"… (100 characters), wanted 1 to 64 characters`],
    ['{"type":["a"]}', 'invalid-type', 'type is an array, wanted a string'],
    ['{"occurredAt":"2024-01-01"}', 'invalid-occurred-at', 'occurredAt is "2024-01-01", wanted an integer'],
    [
      '{"occurredAt":-1}',
      'invalid-occurred-at',
      'occurredAt is -1, wanted an integer from 0 to 8640000000000000, milliseconds',
    ],
    [
      '{"occurredAt":1.5}',
      'invalid-occurred-at',
      'occurredAt is 1.5, wanted an integer from 0 to 8640000000000000, milliseconds',
    ],
    [
      '{"occurredAt":1e999}',
      'invalid-occurred-at',
      'occurredAt is Infinity, wanted an integer from 0 to 8640000000000000, milliseconds',
    ],
    [
      '{"occurredAt":8640000000000001}',
      'invalid-occurred-at',
      'occurredAt is 8640000000000001, wanted an integer from 0 to 8640000000000000, milliseconds',
    ],
    [
      '{"occurredAt":4503599627370496e1}',
      'invalid-occurred-at',
      'occurredAt is 45035996273704960, wanted an integer from 0 to 8640000000000000, milliseconds',
    ],
    ['{"occurredAt":true}', 'invalid-occurred-at', 'occurredAt is true, wanted an integer'],
    [
      '{"sequence":9007199254740993}',
      'invalid-sequence',
      'sequence is 9007199254740992, wanted an integer from 0 to 2^53 - 1',
    ],
    ['{"timeoutMs":0}', 'invalid-timeout-ms', 'timeoutMs is 0, wanted an integer from 1 to 2^53 - 1'],
    ['{"eventId":7}', 'invalid-event-id', 'eventId is 7, wanted a string'],
    ['{"eventId":""}', 'invalid-event-id', 'eventId is "", wanted 1 to 256 characters'],
    ['{"attributes":[]}', 'invalid-attributes', 'attributes is an array, wanted an object of strings'],
    ['{"attributes":{"a":1}}', 'invalid-attributes', 'attributes["a"] is 1, wanted a string'],
    ['{"attributes":{"a":{"b":"c"}}}', 'invalid-attributes', 'attributes["a"] is an object, wanted a string'],
    ['{"attributes":{"<b>":null}}', 'invalid-attributes', 'attributes["<b>"] is null, wanted a string'],
    ['{"type":"\\ud800"}', 'invalid-utf8', 'type holds half of a surrogate pair'],
    ['{"attributes":{"\\udc00":"a"}}', 'invalid-utf8', 'attributes holds half of a surrogate pair'],
  ])('%s', (text, reason, detail) => {
    expect(decodeText(text).outcome).toEqual({ kind: 'bad', reason, detail });
  });

  test.each([
    '{',
    '{"type":"a"}x',
    '{type:1}',
    "{'type':1}",
    '{"occurredAt":NaN}',
    '{"type":"a\u0000"}',
    '{"sequence":01}',
  ])('not JSON: %j', (text) => {
    expect(decodeText(text).outcome).toMatchObject({ kind: 'bad', reason: 'invalid-json' });
  });

  test('bytes that are not UTF-8, wherever they are', () => {
    for (const text of ['{"type":"\xff"}', '{"other":"\xc0\x80"}', '{"attributes":{"\xed\xa0\x80":""}}', '{\xff']) {
      expect(decode(formats(), Buffer.from(text, 'latin1'))).toMatchObject({ reason: 'invalid-utf8' });
    }
  });

  test('details are bounded, whatever the value', () => {
    const hostile = [
      `{"attributes":{"${'k'.repeat(1e5)}":1}}`,
      `{"eventId":"${'e'.repeat(1e5)}"}`,
      `{${'z'.repeat(1e5)}}`,
    ];
    for (const text of hostile) {
      const { outcome } = decodeText(text);
      expect(outcome.kind === 'bad' ? outcome.detail.length : Infinity).toBeLessThan(250);
    }
  });

  test('a million levels of nesting are ignored in a field we do not have, and refused in ours', () => {
    const deep = '['.repeat(1e6) + ']'.repeat(1e6);
    expect(decodeText(`{"other":${deep}}`).outcome).toEqual({ kind: 'event' });
    expect(decodeText(`{"type":${deep}}`).outcome).toMatchObject({ detail: 'type is an array, wanted a string' });
    expect(decodeText(`{"other":${'['.repeat(1e6)}`).outcome).toMatchObject({ reason: 'invalid-json' });
  });
});

describe('JSON that is fine', () => {
  test.each<[string, Partial<SessionEvent>]>([
    ['{}', {}],
    ['{"type":null,"occurredAt":null,"eventId":null,"sequence":null,"timeoutMs":null,"attributes":null}', {}],
    ['{"occurredAt":null}', {}],
    ['{"eventId":"a","eventId":null}', {}],
    ['{"other":1,"type":"a"}', { type: 'a' }],
    ['{"occurredAt":1.7e3,"sequence":-0}', { occurredAt: 1700, sequence: 0 }],
    ['{"occurredAt":-0,"sequence":9007199254740991}', { occurredAt: 0, sequence: 2 ** 53 - 1 }],
    ['{"occurredAt":8640000000000000}', { occurredAt: 8.64e15 }],
    ['{"attributes":{}}', {}],
    ['{"type":"a\\u0062"}', { type: 'ab' }],
    ['{"type":"\uFFFD"}', { type: '\uFFFD' }],
  ])('%s', (text, event) => {
    const { outcome, target } = decodeText(text);
    expect(outcome).toEqual({ kind: 'event' });
    expect(target).toStrictEqual({ ...blankEvent(), ...event });
  });

  test('[I3] __proto__ and its like are names', () => {
    const text =
      '{"__proto__":{"type":"x"},"constructor":1,"attributes":{"__proto__":"a","toString":"b","\\u0031":"c"}}';
    const { outcome, target } = decodeText(text);
    expect(outcome).toEqual({ kind: 'event' });
    expect(target.type).toBe('HEARTBEAT');
    expect(Object.fromEntries(target.attributes ?? [])).toEqual(JSON.parse('{"1":"c","__proto__":"a","toString":"b"}'));
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('type');
  });
});

describe('[I1] bad Avro', () => {
  test('too short for a schema id', async () => {
    const { decoder } = await withRegistry();
    expect(decode(decoder, Uint8Array.of(0, 0, 0))).toEqual({
      kind: 'bad',
      reason: 'invalid-avro',
      detail: 'no schema id in 3 bytes',
    });
  });

  test('an id not fetched yet is asked for, and bad once the registry has said no', async () => {
    const { decoder } = await withRegistry();
    const bytes = Uint8Array.of(0, 0, 0, 3, 9, 0);
    expect(decode(decoder, bytes)).toEqual({ kind: 'unknownSchema', schemaId: 777 });
    await decoder.prepare(777);
    expect(decode(decoder, bytes)).toEqual({
      kind: 'bad',
      reason: 'unknown-schema-id',
      detail: 'the schema registry at memory does not know the schema id 777',
    });
  });

  test('an id no registry gives out is bad at once', async () => {
    const { decoder } = await withRegistry();
    expect(decode(decoder, Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff, 0))).toMatchObject({ reason: 'unknown-schema-id' });
  });

  test.each([
    ['another record', { schemaType: 'AVRO', schema: '{"type":"record","name":"Click","fields":[]}' }, 'to ours'],
    ['another kind of schema', { schemaType: 'PROTOBUF', schema: 'syntax = "proto3";' }, 'is PROTOBUF, wanted AVRO'],
  ])('a schema that cannot be resolved: %s', async (_what, schema, detail) => {
    const { registry, decoder } = await withRegistry();
    const id = registry.add(schema);
    await decoder.prepare(id);
    expect(decode(decoder, Uint8Array.of(0, 0, 0, 0, id, 0))).toMatchObject({
      reason: 'incompatible-schema',
      detail: expect.stringContaining(detail),
    });
  });

  test('limits hold as in JSON', async () => {
    const { decoder } = await withRegistry();
    const noType = Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
    expect(decode(decoder, noType)).toEqual({
      kind: 'bad',
      reason: 'invalid-type',
      detail: 'type is "", wanted 1 to 64 characters',
    });
    const negative = Uint8Array.of(0, 0, 0, 0, 1, 2, 0x61, 2, 1, 0, 0, 0, 0);
    expect(decode(decoder, negative)).toMatchObject({ reason: 'invalid-occurred-at' });
  });
});

describe('[I1] whatever comes, decode returns', () => {
  const settled = (outcome: DecodeOutcome): void => {
    expect(['event', 'bad', 'unknownSchema']).toContain(outcome.kind);
    if (outcome.kind === 'bad') expect(outcome.reason).toMatch(/^[a-z][a-z0-9-]+$/);
  };

  test('random bytes, under any first byte and format (rerun: the printed seed)', async () => {
    const { registry, decoder } = await withRegistry();
    const json = formats('json', registry);
    const heads = [[], [0], [0, 0, 0, 0, 1], [0x7b], [...Buffer.from('{"attributes":{')]];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 80 }), (head, tail) => {
        const bytes = Uint8Array.of(...head, ...tail);
        settled(decode(decoder, bytes));
        settled(decode(json, bytes));
      }),
      fuzz(10_000),
    );
  });

  test('valid values with bytes changed, dropped, repeated (rerun: the printed seed)', async () => {
    const { encoder, decoder } = await withRegistry();
    const json = await openEventEncoder('json', TOPIC, undefined);
    let events = 0;
    let refused = 0;
    const change = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff, 0x22, 0x5c, 0x7b));
    fc.assert(
      fc.property(anyEvent, fc.boolean(), fc.array(change, { maxLength: 4 }), (event, asJson, changes) => {
        let bytes: Uint8Array = (asJson ? json : encoder).encode(event);
        for (const [where, kind, byte] of changes) bytes = changed(bytes, where % (bytes.length || 1), kind, byte);
        const outcome = decode(decoder, bytes);
        settled(outcome);
        if (outcome.kind === 'event') events += 1;
        if (outcome.kind === 'bad') refused += 1;
      }),
      fuzz(10_000),
    );
    expect(Math.min(events, refused)).toBeGreaterThan(0);
  });

  test('text of any length in every place (rerun: the printed seed)', () => {
    const decoder = formats();
    fc.assert(
      fc.property(
        anyText,
        fc.constantFrom('{%', '{"%":1}', '{"type":"%"}', '{"attributes":{"%":"%"}}', '{"sequence":%}'),
        (text, around) => {
          settled(decode(decoder, Buffer.from(around.replaceAll('%', () => text))));
        },
      ),
      fuzz(2_000),
    );
  });
});

function changed(bytes: Uint8Array, at: number, kind: number, byte: number): Uint8Array {
  switch (kind) {
    case 0:
      return Uint8Array.of(...bytes.subarray(0, at), byte, ...bytes.subarray(at + 1));
    case 1:
      return Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + 1));
    case 2:
      return Uint8Array.of(...bytes.subarray(0, at + 1), ...bytes.subarray(at));
    default:
      return bytes.subarray(0, at + 1);
  }
}
