import { describe, expect, test } from '@jest/globals';
import { blankEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import { type Attributes, membersOf } from '../attributes.ts';
import { anyText, fuzz } from '../fuzz.fixture.ts';
import { readMembers } from '../json/json-record.ts';
import { anyEvent, sampleEvent } from '../records.fixture.ts';
import { openEventEncoder } from './event-encoder.ts';
import { EVENT_SHAPE, type OutgoingEvent } from './event-shape.ts';
import { JsonEventWriter } from './json-event-writer.ts';

/** By the checks that a decoder applies, and the engine's own JSON. */
function expected(event: OutgoingEvent): string {
  const read = blankEvent();
  readMembers(EVENT_SHAPE, { ...event, attributes: membersOf(event.attributes) }, read);
  return JSON.stringify({ ...read, attributes: read.attributes && Object.fromEntries(read.attributes) });
}

/** Text, or why there is none. */
function outcome(encode: () => Uint8Array | string): string {
  try {
    return Buffer.from(encode()).toString();
  } catch (error) {
    return String(error);
  }
}

class DuplicatingMap extends Map<string, string> {
  override *[Symbol.iterator](): MapIterator<[string, string]> {
    yield ['a', '1'];
    yield ['a', '2'];
  }
}

const anyAttributes = fc
  .array(fc.tuple(fc.oneof(anyText, fc.constantFrom('0', '7', '10', '01', 'a')), anyText), { maxLength: 6 })
  .chain((entries): fc.Arbitrary<Attributes> => {
    const [asMap, asObject] = [new Map(entries), Object.fromEntries(entries)];
    return fc.constantFrom<Attributes>(asMap, asObject, Object.assign(Object.create(null) as object, asObject));
  });
const anyPlainEvent: fc.Arbitrary<OutgoingEvent> = fc
  .tuple(anyEvent, fc.option(anyAttributes, { nil: undefined }), fc.boolean())
  .map(([event, attributes, isBare]) => {
    const given = attributes === undefined ? event : { ...event, attributes };
    return isBare ? Object.assign(Object.create(null) as object, given) : given;
  });

const anyWrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    -0,
    0,
    1,
    -1,
    1.5,
    NaN,
    Infinity,
    -Infinity,
    8.64e15,
    8.64e15 + 1,
    2 ** 53,
    7n,
    true,
  ),
  fc.constantFrom(
    '',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(257),
    'é'.repeat(33),
    '\ud800',
    'a\udc00"',
    '🎈\u2028',
  ),
  fc.constantFrom<unknown>([], ['a'], {}, new Date(0), () => 'x', Symbol('x'), { toJSON: () => 'x' }, Object('x')),
  fc.constantFrom<unknown>(
    new Map<unknown, unknown>([[1, 'a']]),
    new Map<unknown, unknown>([['a', 1]]),
    new Map([['\ud800', 'a']]),
    new Map([
      ['b', 'x'],
      ['1', 'y'],
    ]),
    new DuplicatingMap(),
    new Set(['a']),
    { a: undefined },
    { a: '\udc00' },
    { a: { b: 'c' } },
    { get: 'x', [Symbol.iterator]: 'y' },
    { toJSON: 'x', b: 'y', 1: 'z' },
    new (class {
      readonly page = '/';
    })(),
  ),
);
const anyHostileEvent = fc
  .tuple(anyEvent, fc.dictionary(fc.constantFrom(...Object.keys(sampleEvent), 'other'), anyWrong, { maxKeys: 3 }))
  .map(([event, wrong]) => ({ ...event, ...wrong }));

const HANDED_OVER = new Uint8Array(0);

describe('an event as JSON', () => {
  test('[I3] of what is plain the bytes are those of JSON.stringify, written at once (rerun: the printed seed)', () => {
    const writer = new JsonEventWriter({ encode: () => HANDED_OVER });
    let written = 0;
    fc.assert(
      fc.property(anyPlainEvent, (event) => {
        const bytes = writer.encode(event);
        const names = event.attributes instanceof Map ? [...(event.attributes.keys() as Iterable<string>)] : [];
        // A Map's order is not that of an object with such names.
        if (names.some((name) => /^\d/.test(name))) return;
        written += 1;
        expect(Buffer.from(bytes).toString()).toBe(expected(event));
      }),
      fuzz(3_000),
    );
    expect(written).toBeGreaterThan(0);
  });

  test('[I1] of anything else they are the same, or the refusal is (rerun: the printed seed)', async () => {
    const encoder = await openEventEncoder('json', 'visits', undefined);
    fc.assert(
      fc.property(fc.oneof(anyPlainEvent, anyHostileEvent), (event) => {
        expect(outcome(() => encoder.encode(event))).toBe(outcome(() => expected(event)));
      }),
      fuzz(10_000),
    );
  });

  test('[I3] a class counts by its own members, as an object that is spread does', async () => {
    class Event {
      readonly sequence = 3;
      get type(): string {
        return 'INHERITED';
      }
    }
    const encoder = await openEventEncoder('json', 'visits', undefined);
    expect(Buffer.from(encoder.encode(new Event())).toString()).toBe('{"type":"HEARTBEAT","sequence":3}');
  });

  test('what was encoded stays as it is', async () => {
    const encoder = await openEventEncoder('json', 'visits', undefined);
    const first = encoder.encode(sampleEvent);
    encoder.encode({ type: 'OTHER', attributes: { page: '/'.repeat(200) } });
    expect(Buffer.from(first).toString()).toBe(expected(sampleEvent));
  });
});
