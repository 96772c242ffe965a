// A request as it is found in its bytes, beside the one that is read from its headers.
import { describe, expect, test } from '@jest/globals';
import { ByteWriter, type Calendar } from '@flatline/base';
import type { KeyGroup, RecordHeader } from '@flatline/ports';
import { ASKING_HEADERS, COMMAND_HEADER } from '@flatline/ports/formats';
import fc from 'fast-check';
import { messageOf } from './message.ts';
import { PlainRequest } from './plain-request.ts';
import { type Asked, readAsked } from './request-reader.ts';
import type { ScheduleRules } from './schedule-rules.ts';
import { ONCE } from './specification.ts';

const CLOCK = 1_800_000_000_000;
const RULES: ScheduleRules = {
  maxHorizonMs: 1e12,
  minEveryMs: 1,
  missed: 'once',
  maxCatchUp: 1,
  catchUpWindowMs: 1,
  receipts: 'none',
  maxMessageBytes: 1e9,
  maxSchedulesPerKey: 1,
  targets: ['mail'],
  outputTopic: 'runs',
};
const calendar: Calendar = { version: '', next: () => undefined, fault: () => undefined };
/** As names of headers are read: what is no UTF-8 becomes U+FFFD. */
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const utf8 = new TextEncoder();

/** A name and a value as bytes; a value of null is none. */
type Sent = readonly [name: Uint8Array, value: Uint8Array | null];

interface Request {
  readonly headers: readonly Sent[];
  readonly value: Uint8Array | null;
}

interface Laid {
  readonly bytes: Uint8Array;
  readonly group: KeyGroup;
}

/** The record between others' bytes. */
function laid({ headers, value }: Request): Laid {
  const out = new ByteWriter();
  out.text('before');
  const valueStart = out.length;
  out.raw(value ?? new Uint8Array(0));
  const headersStart = out.length;
  out.signedVarint(headers.length);
  for (const [name, of] of headers) {
    out.signedVarint(name.length);
    out.raw(name);
    out.signedVarint(of === null ? -1 : of.length);
    if (of !== null) out.raw(of);
  }
  const headersEnd = out.length;
  out.text('behind');
  const one = (number: number): Int32Array => Int32Array.of(number);
  const group = {
    count: 1,
    starts: one(0),
    lengths: one(1),
    valueStarts: one(valueStart),
    valueLengths: one(value === null ? -1 : value.length),
    headersStarts: one(headersStart),
    headersEnds: one(headersEnd),
    offsetDeltas: one(0),
  };
  return { bytes: out.copy(), group };
}

/** undefined: it is none. */
function found({
  bytes,
  group,
}: Laid): { id: string; dueAt: number; messageLength: number; message: string } | undefined {
  const request = new PlainRequest();
  if (!request.find(bytes, group, 0)) return undefined;
  const out = new ByteWriter();
  request.writeMessage(bytes, group, 0, out);
  const { idStart, idLength, messageLength } = request;
  const id = lenient.decode(bytes.subarray(idStart, idStart + idLength));
  return { id, dueAt: request.dueAt(CLOCK), messageLength, message: hexOf(out.copy()) };
}

function asked({ headers, value }: Request): Asked | undefined {
  const read: RecordHeader[] = headers.map(([name, of]) => ({ name: lenient.decode(name), value: of }));
  const bytes = value ?? new Uint8Array(0);
  const said = readAsked({ headers: read, bytes, start: 0, length: value?.length ?? -1 }, RULES, calendar);
  return 'kind' in said ? undefined : said;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Headers by name, in that order. */
function request(headers: Readonly<Record<string, string | null>>, value: string | null = 'v'): Request {
  const sent = Object.entries(headers).map(([name, of]): Sent => [
    utf8.encode(name),
    of === null ? null : utf8.encode(of),
  ]);
  return { headers: sent, value: value === null ? null : utf8.encode(value) };
}

const DUE = { 'flatline-due-at': '1800000000500' };

describe('a plain request', () => {
  test.each<[string, Request]>([
    ['an instant', request(DUE)],
    ['an instant and an empty message', request(DUE, '')],
    ['a delay', request({ 'flatline-delay-ms': '500' })],
    ['leading zeros', request({ 'flatline-delay-ms': '000000000000500' })],
    ['a name', request({ 'flatline-schedule-id': 'tea', ...DUE })],
    ['the longest name', request({ 'flatline-schedule-id': 'x'.repeat(256), ...DUE })],
    [
      'foreign headers, empty and without a value',
      request({ trace: 'é', '': '', none: null, ...DUE, flatline: 'x', a: '' }),
    ],
    ['long ones', request({ ['n'.repeat(200)]: 'v'.repeat(20_000), ...DUE }, 'm'.repeat(70_000))],
  ])('[D1] of %s is found, with the message that is made of its headers', (_, plain) => {
    const said = asked(plain);
    const { id, dueAt, messageLength, message } = found(laid(plain))!;
    expect(said).toMatchObject({ does: 'schedule', id: id === '' ? undefined : id, when: ONCE, target: undefined });
    if (said?.does !== 'schedule') throw new Error('it asks for a schedule');
    expect(dueAt).toBe(said.dueAt ?? CLOCK + said.delayMs!);
    expect([messageLength, message]).toEqual([said.message.length, hexOf(said.message)]);
  });

  test.each<[string, Request]>([
    ['no instant', request({ trace: 'x' })],
    ['no header', request({})],
    ['an instant and a delay', request({ ...DUE, 'flatline-delay-ms': '5' })],
    ['an instant that is a text', request({ 'flatline-due-at': '2027-01-15T08:00:07Z' })],
    ['an instant of 16 digits', request({ 'flatline-due-at': '0001800000000500' })],
    ['an empty instant', request({ 'flatline-due-at': '' })],
    ['an instant without a value', request({ 'flatline-due-at': null })],
    ['an empty name', request({ ...DUE, 'flatline-schedule-id': '' })],
    ['too long a name', request({ ...DUE, 'flatline-schedule-id': 'x'.repeat(257) })],
    ['a name beyond ASCII', request({ ...DUE, 'flatline-schedule-id': 'thé' })],
    ['a command', request({ ...DUE, 'flatline-command': 'PAUSE' })],
    ['an expiry', request({ ...DUE, 'flatline-expires-ms': '5' })],
    ['a header of ours that says nothing', request({ ...DUE, 'flatline-replayed-from': 'x' })],
    ['a foreign name beyond ASCII', request({ ...DUE, é: 'x' })],
    ['no message', request(DUE, null)],
    [
      'more headers than a byte counts',
      request({ ...DUE, ...Object.fromEntries(Array.from({ length: 127 }, (__, i) => [`h${i}`, ''])) }),
    ],
  ])('[D1] none is found in one of %s: its headers are read', (_, other) => {
    expect(found(laid(other))).toBeUndefined();
  });

  test('[D1] none is found where a name comes twice', () => {
    const { headers, value } = request({ ...DUE, 'flatline-schedule-id': 'tea' });
    for (const again of headers) expect(found(laid({ headers: [...headers, again], value }))).toBeUndefined();
  });

  test('[D1] none is found where the headers do not lie in the bytes', () => {
    const { bytes, group } = laid(request(DUE));
    expect(found({ bytes, group: { ...group, headersEnds: group.headersStarts } })).toBeUndefined();
  });
});

const NAMES = [
  ...ASKING_HEADERS,
  COMMAND_HEADER,
  'flatline-',
  'flatline',
  'flatline-due-a',
  'Flatline-due-at',
  'flatline-run',
  '',
  'a',
  'é',
];
const NUMBERS = ['0', '7', '1800000000500', '999999999999999', '1000000000000000', '-1', '1e3'];
const TEXTS = ['', 'tea', 'thé', 'mail', 'PAUSE', 'x'.repeat(256)];
/** One of these, or anything. */
const bytesOf = (...texts: readonly string[]): fc.Arbitrary<Uint8Array> => {
  const known = fc.constantFrom(...texts).map((text) => utf8.encode(text));
  return fc.oneof({ arbitrary: known, weight: 19 }, fc.uint8Array({ maxLength: 20 }));
};
const value = (...texts: readonly string[]): fc.Arbitrary<Uint8Array | null> =>
  fc.option(bytesOf(...texts), { freq: 19 });
const sent: fc.Arbitrary<Sent> = fc.oneof(
  fc.tuple(bytesOf('flatline-due-at', 'flatline-delay-ms'), value(...NUMBERS)),
  fc.tuple(bytesOf('flatline-schedule-id', 'a', 'trace'), value(...TEXTS)),
  fc.tuple(bytesOf(...NAMES), value(...NUMBERS, ...TEXTS)),
);
const anyRequest: fc.Arbitrary<Request> = fc.record({
  headers: fc.array(sent, { minLength: 1, maxLength: 4 }),
  value: fc.option(fc.uint8Array({ maxLength: 300 }), { freq: 9 }),
});

test('[D1][I1] whatever the headers are, what is found in them is what is read from them', () => {
  let plain = 0;
  const property = fc.property(anyRequest, (sentRequest) => {
    const seen = found(laid(sentRequest));
    if (seen === undefined) return;
    plain += 1;
    const said = asked(sentRequest);
    if (said?.does !== 'schedule') throw new Error('what is found asks for a schedule');
    const { id = '', dueAt, delayMs, message, ...rest } = said;
    expect(seen).toEqual({
      id,
      dueAt: dueAt ?? CLOCK + delayMs!,
      messageLength: message.length,
      message: hexOf(message),
    });
    expect(rest).toEqual({ does: 'schedule', when: ONCE, target: undefined, reset: false });
  });
  fc.assert(property, { numRuns: 5_000 });
  expect(plain).toBeGreaterThan(200);
});

test('[D1][I1] a section that is cut short, or damaged, is not read beyond its end', () => {
  const plain = {
    headers: request({ trace: 'x', ...DUE, 'flatline-schedule-id': 'tea', none: null }).headers,
    value: utf8.encode('v'),
  };
  const { bytes, group } = laid(plain);
  const [start, end] = [group.headersStarts[0]!, group.headersEnds[0]!];
  expect(found({ bytes, group })).toBeDefined();
  for (let cut = start; cut < end; cut += 1)
    expect(found({ bytes, group: { ...group, headersEnds: Int32Array.of(cut) } })).toBeUndefined();
  const damage = fc.tuple(fc.integer({ min: start, max: end - 1 }), fc.integer({ min: 0, max: 255 }));
  const property = fc.property(damage, ([at, byte]) => {
    const damaged = bytes.slice();
    damaged[at] = byte;
    const seen = found({ bytes: damaged, group });
    if (seen === undefined) return;
    const section = sectionIn(damaged, start, end);
    const { message, id } = seen;
    const foreign = section.filter(({ name }) => !name.startsWith('flatline-'));
    expect(message).toBe(hexOf(messageOf(foreign, damaged, group.valueStarts[0]!, 1)));
    expect(id).toBe(textOf(section, 'flatline-schedule-id') ?? '');
  });
  fc.assert(property, { numRuns: 3_000 });
});

function textOf(section: readonly RecordHeader[], wanted: string): string | undefined {
  const value = section.find(({ name }) => name === wanted)?.value;
  return value === undefined || value === null ? undefined : lenient.decode(value);
}

/** Read plainly: numbers of a few bytes. @throws where it is not whole. */
function sectionIn(bytes: Uint8Array, start: number, end: number): RecordHeader[] {
  let at = start;
  const number = (): number => {
    let value = 0;
    for (let weight = 1; ; weight *= 128) {
      if (at >= end) throw new Error('cut off');
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  };
  const raw = (length: number): Uint8Array => {
    if (length < 0 || at + length > end) throw new Error('cut off');
    at += length;
    return bytes.slice(at - length, at);
  };
  return Array.from({ length: number() }, () => {
    const name = lenient.decode(raw(number()));
    const length = number();
    return { name, value: length === -1 ? null : raw(length) };
  });
}
