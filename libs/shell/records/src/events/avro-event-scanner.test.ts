import { beforeAll, describe, expect, test } from '@jest/globals';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import { AvroReader } from '../avro/avro-reader.ts';
import { AvroRecordWriter, WIRE_HEADER_BYTES } from '../avro/avro-record-writer.ts';
import { RecordPlan } from '../avro/record-plan.ts';
import { anyText, fuzz } from '../fuzz.fixture.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { TextReader } from '../text-reader.ts';
import { AvroEventScanner } from './avro-event-scanner.ts';
import { EVENT_SCHEMA, EventFormats } from './event-formats.ts';
import { type EventReading, readingOf } from './event-reading.fixture.ts';
import { EVENT_SHAPE } from './event-shape.ts';

const scanner = new AvroEventScanner(new TextReader());
const reader = new AvroReader(new TextReader());
const plan = new RecordPlan(EVENT_SCHEMA.text, EVENT_SCHEMA, EVENT_SHAPE);
const writer = new AvroRecordWriter(1, EVENT_SHAPE);

function scanned(bytes: Uint8Array): EventReading | undefined {
  // Followed by what would go on, had it the right to look there.
  const buffer = Buffer.concat([Buffer.of(2), bytes, Buffer.alloc(16)]);
  return readingOf((target) => scanner.scan(buffer, 1, 1 + bytes.length, target));
}

function planned(bytes: Uint8Array): EventReading | undefined {
  return readingOf((target) => {
    reader.reset(Buffer.from(bytes), 0, bytes.length);
    plan.read(reader, target);
    return true;
  });
}

function encoded(event: Partial<SessionEvent>): Uint8Array {
  return writer.encode({ ...blankEvent(), ...event }).subarray(WIRE_HEADER_BYTES);
}

const anyLong = fc.oneof(
  fc.maxSafeNat(),
  fc.integer(),
  fc.nat(300),
  fc.constantFrom(0, 1, 2 ** 53 - 1, 2 ** 27, 2 ** 28, 8.64e15, 8.64e15 + 1),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const anyEvent: fc.Arbitrary<Partial<SessionEvent>> = fc.record({
  type: fc.oneof(fc.constantFrom('HEARTBEAT', '', 'x'.repeat(64), 'x'.repeat(65)), anyText),
  occurredAt: maybe(anyLong),
  eventId: maybe(fc.oneof(anyText, fc.constantFrom('', 'x'.repeat(256), 'x'.repeat(257)))),
  sequence: maybe(anyLong),
  timeoutMs: maybe(anyLong),
  attributes: maybe(
    fc.array(fc.tuple(anyText, anyText), { maxLength: 4 }).map((entries) => new Map<string, string>(entries)),
  ),
});
const anyBytes = anyEvent.map(encoded);
/** One byte changed, dropped or added, or the end cut off. */
const anyDamaged = fc
  .tuple(anyBytes, fc.nat(), fc.nat(255), fc.constantFrom('change', 'drop', 'add', 'cut'))
  .map(([bytes, where, byte, kind]) => {
    const at = where % bytes.length;
    const after = kind === 'cut' ? bytes.subarray(0, 0) : bytes.subarray(kind === 'add' ? at : at + 1);
    return Buffer.concat([bytes.subarray(0, at), kind === 'drop' ? Buffer.alloc(0) : Buffer.of(byte), after]);
  });

describe('the short way through Avro', () => {
  test('reads what the plan of our schema reads, or leaves it alone (rerun: the printed seed)', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(anyBytes, anyDamaged), (bytes) => {
        const short = scanned(bytes);
        if (short === undefined) return;
        read += 1;
        expect(short).toEqual(planned(bytes));
      }),
      fuzz(4_000),
    );
    // A scanner that leaves everything alone would pass, too.
    expect(read).toBeGreaterThan(0);
  });

  test.each<[string, Partial<SessionEvent>]>([
    ['nothing said', {}],
    ['a numbered heartbeat', { occurredAt: 1_763_760_000_123, sequence: 12 }],
    ['everything', { type: 'click', occurredAt: 0, eventId: 'é-1', sequence: 0, timeoutMs: 1 }],
    ['the largest numbers', { occurredAt: 8.64e15, sequence: 2 ** 53 - 1, timeoutMs: 2 ** 53 - 1 }],
    [
      'attributes',
      {
        attributes: new Map([
          ['__proto__', 'x'],
          ['', ''],
        ]),
      },
    ],
  ])('takes %s', (_what, event) => {
    expect(scanned(encoded(event))).toEqual(planned(encoded(event)));
    expect(scanned(encoded(event))).toBeInstanceOf(Array);
  });

  test.each<[string, Uint8Array]>([
    ['a number below 0', encoded({ occurredAt: -1 })],
    ['a limit', encoded({ timeoutMs: 0 })],
    ['a time that is none', encoded({ occurredAt: 8.64e15 + 1 })],
    ['no type', encoded({ type: '' })],
    ['an end too early', encoded({ sequence: 5 }).subarray(0, -1)],
    ['something after the end', Buffer.concat([encoded({}), Buffer.of(0)])],
    ['a number beyond 2^53 - 1', Uint8Array.of(2, 0x61, 2, ...new Array<number>(9).fill(0xfe), 1, 0, 0, 0, 0)],
    ['attributes in blocks with their size', Uint8Array.of(2, 0x61, 0, 0, 0, 0, 1, 8, 2, 0x62, 2, 0x32, 0)],
  ])('leaves alone: %s', (_what, bytes) => {
    expect(scanned(bytes)).toBeUndefined();
  });
});

describe('writers with our fields', () => {
  const schemaWith = (change: (fields: Record<string, unknown>[]) => unknown): string => {
    const schema = JSON.parse(EVENT_SCHEMA.text) as { fields: Record<string, unknown>[] };
    return JSON.stringify({ ...schema, fields: change(schema.fields) });
  };
  const planOf = (schema: string): RecordPlan<SessionEvent> => new RecordPlan(schema, EVENT_SCHEMA, EVENT_SHAPE);

  test('are known whatever their documentation, defaults and namespace are', () => {
    const bare = schemaWith((fields) => fields.map(({ name, type }) => ({ name, type })));
    const java = schemaWith((fields) =>
      fields.map((field) =>
        field['type'] === 'string' ? { ...field, type: { type: 'string', 'avro.java.string': 'String' } } : field,
      ),
    );
    const elsewhere = EVENT_SCHEMA.text.replace('"namespace":"flatline"', '"namespace":"com.example"');
    expect([EVENT_SCHEMA.text, bare, java, elsewhere].map((schema) => planOf(schema).ofOwnFields)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test('are others where a field is missing, added, turned round, elsewhere or of another type', () => {
    const others = [
      schemaWith((fields) => fields.slice(1)),
      schemaWith((fields) => [...fields, { name: 'more', type: 'long' }]),
      schemaWith((fields) => [...fields].reverse()),
      schemaWith((fields) =>
        fields.map((field) => (field['name'] === 'sequence' ? { name: 'sequence', type: 'long' } : field)),
      ),
      schemaWith((fields) =>
        fields.map((field) => (field['name'] === 'eventId' ? { name: 'eventId', type: ['string', 'null'] } : field)),
      ),
    ];
    expect(others.map((schema) => planOf(schema).ofOwnFields)).toEqual(others.map(() => false));
  });
});

describe('decoding events of several schemas in turn', () => {
  const registry = new MemorySchemaRegistry();
  const formats = new EventFormats({ format: 'auto', registry, clock: new ManualClock() });
  const own = registry.add({ schema: EVENT_SCHEMA.text, schemaType: 'AVRO' });
  const fields = [{ name: 'sequence', type: 'long' }];
  const other = registry.add({
    schema: JSON.stringify({ type: 'record', name: 'SessionEvent', fields }),
    schemaType: 'AVRO',
  });
  beforeAll(async () => {
    for (const id of [own, other]) await formats.prepare(id);
  });

  test('each is read by its own, and what the one left half filled is not seen by the next', () => {
    const outcomes: unknown[] = [];
    const target = blankEvent();
    const decode = (id: number, value: Uint8Array): void => {
      const bytes = Buffer.concat([Buffer.of(0, 0, 0, 0, id), value]);
      const { kind } = formats.decode(bytes, 0, bytes.length, target);
      outcomes.push([kind, target.type, target.sequence]);
    };
    decode(own, encoded({ type: 'a', sequence: 1 }));
    decode(other, Uint8Array.of(4));
    // In two blocks, and so left to the plan.
    decode(own, Uint8Array.of(2, 0x62, 0, 0, 2, 6, 0, 1, 8, 2, 0x62, 2, 0x32, 0, 0));
    decode(99, Uint8Array.of(4));
    decode(own, encoded({ sequence: 4 }));
    expect(outcomes).toEqual([
      ['event', 'a', 1],
      ['event', 'HEARTBEAT', 2],
      ['event', 'b', 3],
      ['unknownSchema', 'HEARTBEAT', undefined],
      ['event', 'HEARTBEAT', 4],
    ]);
  });
});
