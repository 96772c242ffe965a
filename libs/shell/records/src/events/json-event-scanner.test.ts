import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText, fuzz } from '../fuzz.fixture.ts';
import { readJsonRecord } from '../json/json-record.ts';
import { TextReader } from '../text-reader.ts';
import { type EventReading, readingOf } from './event-reading.fixture.ts';
import { EVENT_SHAPE } from './event-shape.ts';
import { JsonEventScanner } from './json-event-scanner.ts';

const scanner = new JsonEventScanner(new TextReader());

function scanned(bytes: Uint8Array): EventReading | undefined {
  // Followed by what would complete it, had it the right to look there.
  const buffer = Buffer.concat([Buffer.from('{'), bytes, Buffer.from('"}}}')]);
  return readingOf((target) => scanner.scan(buffer, 1, 1 + bytes.length, target));
}

function parsed(bytes: Uint8Array): EventReading | undefined {
  return readingOf((target) => {
    readJsonRecord(EVENT_SHAPE, bytes, 0, bytes.length, target);
    return true;
  });
}

const names = ['type', 'occurredAt', 'eventId', 'sequence', 'timeoutMs', 'attributes', 'other'];
const anyLiteral = fc.oneof(
  anyText.map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '0',
    '-0',
    '00',
    '01',
    '1.0',
    '1e3',
    '-1',
    'null',
    'true',
    '{}',
    '[]',
    '"a\\u0062"',
    '"\\ud800"',
    '""',
  ),
  fc.constantFrom('999999999999999', '9999999999999999', '9007199254740991', '9007199254740992', '1700000000123'),
  fc.array(fc.tuple(anyText, anyText), { maxLength: 4 }).map(
    // Not through an object: repeated names and their order are the point.
    (entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
  ),
);
const fitting: Readonly<Record<string, fc.Arbitrary<string>>> = {
  type: anyText.map((text) => JSON.stringify(text.slice(0, 30) || 'A')),
  occurredAt: fc.maxSafeNat().map(String),
  eventId: fc.string({ minLength: 1, maxLength: 300 }).map((text) => JSON.stringify(text)),
  sequence: fc.nat().map(String),
  timeoutMs: fc.nat().map(String),
};
const anyMember = fc
  .constantFrom(...names)
  .chain((name) =>
    fc
      .oneof({ weight: 4, arbitrary: fitting[name] ?? anyLiteral }, { weight: 1, arbitrary: anyLiteral })
      .map((value) => [name, value] as const),
  );
const anySpace = fc.constantFrom('', '', '', ' ', '  ', '\n');
/** Objects that are nearly, and often exactly, what producers send. */
const anyJson = fc
  .tuple(fc.array(anyMember, { maxLength: 6 }), fc.infiniteStream(anySpace))
  .map(([members, spaces]) => {
    const space = (): string => spaces.next().value as string;
    const texts = members.map(([name, value]) => `${space()}"${name}"${space()}:${space()}${value}${space()}`);
    return Buffer.from(`{${texts.join(',')}}`);
  });
/** The same behind what most events begin with. */
const anyUsual = fc.tuple(fc.oneof(fitting['occurredAt']!, anyLiteral), anyJson).map(([time, rest]) => {
  const beginning = Buffer.from(`{"type":"HEARTBEAT","occurredAt":${time}${rest.length > 2 ? ',' : ''}`);
  return Buffer.concat([beginning, rest.subarray(1)]);
});
/** One byte changed, dropped or added. */
const anyDamaged = fc
  .tuple(fc.oneof(anyJson, anyUsual), fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2))
  .map(([json, where, byte, kind]) => {
    const at = where % json.length;
    const before = json.subarray(0, kind === 2 ? at : at);
    const after = json.subarray(kind === 2 ? at : at + 1);
    return Buffer.concat([before, kind === 1 ? Buffer.alloc(0) : Buffer.of(byte), after]);
  });

describe('the short way through JSON', () => {
  test('reads what JSON.parse reads, or leaves it alone (rerun: the printed seed)', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.oneof(anyJson, anyUsual, anyDamaged), (bytes) => {
        const short = scanned(bytes);
        if (short === undefined) return;
        read += 1;
        expect(short).toEqual(parsed(bytes));
      }),
      fuzz(10_000),
    );
    // A scanner that leaves everything alone would pass, too.
    expect(read).toBeGreaterThan(0);
  });

  test.each([
    ['{"type":"page_view","occurredAt":1700000000123,"attributes":{"page":"/shop","land":"Österreich"}}'],
    ['{"type":"HEARTBEAT","occurredAt":1700000000123,"sequence":12}'],
    ['{"type":"HEARTBEAT","occurredAt": 0 , "type":"a","occurredAt":5}'],
    ['{ "type": "ENDED", "eventId": "a-1", "sequence": 0, "timeoutMs": 1, "attributes": {} }'],
    ['{"sequence":999999999999999,"attributes":{"__proto__":"x","constructor":"y"}}'],
    ['{"attributes":{"x":"1"},"attributes":{}}'],
    ['{"type":"a","type":"b","attributes":{"x":"1"},"attributes":{"y":"2"}}'],
  ])('takes %s', (text) => {
    expect(scanned(Buffer.from(text))).toEqual(parsed(Buffer.from(text)));
    expect(scanned(Buffer.from(text))).toBeInstanceOf(Array);
  });

  test.each([
    ['an unknown field', '{"other":"x"}'],
    ['an escape', '{"type":"a\\u0062"}'],
    ['a key that an object would put first', '{"attributes":{"b":"x","1":"y"}}'],
    ['sixteen digits', '{"occurredAt":1000000000000000}'],
    ['a leading zero', '{"occurredAt":01}'],
    ['a limit', '{"timeoutMs":0}'],
    ['null', '{"type":null}'],
    ['an end too early', '{"type":"a"'],
    ['an end right behind what most begin with', '{"type":"HEARTBEAT","occurredAt":'],
    ['something after the end', '{"type":"a"}}'],
    ['nothing in it', '{}'],
    ['a comma too many', '{"type":"a",}'],
    ['a control character', '{"type":"a\u0001"}'],
  ])('leaves alone: %s', (_what, text) => {
    expect(scanned(Buffer.from(text))).toBeUndefined();
  });
});
