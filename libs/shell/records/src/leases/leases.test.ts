// Requests and events of leases as bytes, beside avsc, which reads the schema files by itself.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { fuzz as damage } from '@flatline/base/fuzz';
import { blankEvent, blankLeaseRequest, type LeaseEvent, type LeaseRequest } from '@flatline/ports/formats';
import avsc from 'avsc';
import fc from 'fast-check';
import { EVENT_SCHEMA, EventFormats } from '../events/event-formats.ts';
import { anyText, fuzz } from '../fuzz.fixture.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { LEASE_EVENT_SCHEMA, leaseEventBytes, openLeaseEventEncoder } from './lease-event-encoder.ts';
import { LeaseEventFormats } from './lease-event-formats.ts';
import { openRequestDecoder, REQUEST_SCHEMA, RequestFormats } from './request-formats.ts';

const registry = new MemorySchemaRegistry();
const clock = new ManualClock();
const typeOf = (schema: string): avsc.Type =>
  avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema, { wrapUnions: 'never' });
const requestType = typeOf(REQUEST_SCHEMA.text);
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function inAvro(schema: string, value: object): Buffer {
  const id = registry.add({ schema, schemaType: 'AVRO' });
  return Buffer.concat([Buffer.from([0, 0, 0, 0, id]), typeOf(schema).toBuffer(value)]);
}

const requests = new RequestFormats({ format: 'auto', registry, clock });
beforeAll(async () => {
  for (const schema of [REQUEST_SCHEMA.text, EVENT_SCHEMA.text])
    await requests.prepare(registry.add({ schema, schemaType: 'AVRO' }));
});

function read(value: Uint8Array): LeaseRequest | string {
  const target = blankLeaseRequest();
  const outcome = requests.decode(value, 0, value.length, target);
  return outcome.kind === 'event' ? target : outcome.kind === 'bad' ? outcome.reason : outcome.kind;
}

const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
/** avsc writes no greater one. */
const long = fc.maxSafeNat().map((value) => Math.min(value, 2 ** 53 - 2));
const anyRequest = fc.record({
  type: fc.constantFrom('STARTED', 'ENDED', 'HEARTBEAT', 'WORKING'),
  timeoutMs: optional(long.filter((ms) => ms > 0)),
  token: optional(long),
  requestId: optional(anyText.filter((id) => id.length >= 1 && id.length <= 256)),
  waitMs: optional(long),
  attributes: fc.dictionary(anyText, anyText, { maxKeys: 3, noNullPrototype: true }),
});
const nulls = Object.fromEntries(Object.entries(blankLeaseRequest()).map(([name, value]) => [name, value ?? null]));

describe('a request', () => {
  test('[L1][L5] says the same in JSON and in Avro', () => {
    fc.assert(
      fc.property(anyRequest, ({ attributes, ...said }) => {
        const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
        const found = read(json({ ...given, attributes, unknown: [1] }));
        const texts = new Map(Object.entries(attributes));
        expect(found).toEqual({ ...blankLeaseRequest(), ...said, attributes: texts.size === 0 ? undefined : texts });
        expect(read(inAvro(REQUEST_SCHEMA.text, { ...nulls, ...given, attributes }))).toEqual(found);
      }),
      fuzz(300),
    );
  });

  test.each([
    [{ token: -1 }, 'invalid-token'],
    [{ token: 1.5 }, 'invalid-token'],
    [{ token: '7' }, 'invalid-token'],
    [{ token: 2 ** 53 }, 'invalid-token'],
    [{ requestId: '' }, 'invalid-request-id'],
    [{ requestId: 'x'.repeat(257) }, 'invalid-request-id'],
    [{ requestId: 7 }, 'invalid-request-id'],
    [{ requestId: '\ud800' }, 'invalid-utf8'],
    [{ waitMs: -1 }, 'invalid-wait-ms'],
    [{ timeoutMs: 0 }, 'invalid-timeout-ms'],
    [{ attributes: { host: 1 } }, 'invalid-attributes'],
    [{ type: '' }, 'invalid-type'],
    [[], 'unknown-format'],
  ])('[I1] %j is bad input: %s', (value, reason) => {
    expect(read(json(value))).toBe(reason);
  });

  test('[L1] an event of the older schema is one, and a lease request is an event', async () => {
    const start = { type: 'STARTED', occurredAt: null, eventId: null, sequence: null, timeoutMs: 5, attributes: {} };
    expect(read(inAvro(EVENT_SCHEMA.text, start))).toEqual({ ...blankLeaseRequest(), type: 'STARTED', timeoutMs: 5 });
    const value = inAvro(REQUEST_SCHEMA.text, { ...nulls, ...start, token: 9, requestId: 'r', waitMs: 1 });
    const events = new EventFormats({ format: 'auto', registry, clock });
    await events.prepare(value.readInt32BE(1));
    const event = blankEvent();
    expect(events.decode(value, 0, value.length, event)).toEqual({ kind: 'event' });
    expect(event).toEqual({ ...blankEvent(), type: 'STARTED', timeoutMs: 5 });
    expect(requestType.isValid({ ...nulls, ...start })).toBe(true);
  });

  test('[F14] damaged bytes are read or refused with a reason', () => {
    const whole = { type: 'STARTED', timeoutMs: 5_000, token: 7, requestId: 'r', waitMs: 9, attributes: { a: '🎈' } };
    const corpus = [json(whole), inAvro(REQUEST_SCHEMA.text, { ...nulls, ...whole })];
    const regressions = new URL('../fuzz-regressions.txt', import.meta.url);
    const feed = (bytes: Uint8Array): void => {
      const found = read(bytes);
      if (typeof found === 'string') expect(found).toMatch(/^[a-z0-9-]{1,64}$|^unknownSchema$/);
    };
    damage({ name: 'records/lease-request', corpus, regressions, feed }, 10_000);
  });

  test('where Avro is asked for there must be a registry', async () => {
    await expect(openRequestDecoder('asks', { format: 'avro', registry: undefined, clock })).rejects.toThrow(/asks/);
    await expect(openLeaseEventEncoder('avro', 'leases', undefined)).rejects.toThrow(/leases/);
  });
});

const GRANTED: LeaseEvent = {
  key: Buffer.from('job'),
  type: 'GRANTED',
  token: 8_191 * 2 ** 40 + 42,
  requestId: 'r-1',
  reason: undefined,
  holder: undefined,
  retryAt: undefined,
  timeoutMs: 10_000,
  grantedAt: 1_795_278_324_502,
  deadlineAt: 1_795_278_334_502,
  at: 1_795_278_324_502,
  renewals: 0,
  heldMs: undefined,
  endsAt: undefined,
  attributes: new Map([['host', 'a']]),
  partition: 3,
  offset: 42,
};
const EXPIRED: LeaseEvent = {
  ...GRANTED,
  type: 'EXPIRED',
  reason: 'TIMEOUT',
  offset: undefined,
  heldMs: 7,
  renewals: 2,
};
const REJECTED: LeaseEvent = {
  ...EXPIRED,
  key: Uint8Array.of(0xff, 0x61),
  type: 'REJECTED',
  reason: 'LOCK_DELAY',
  holder: new Map(),
  retryAt: 1,
  token: undefined,
};

const WITHDRAWN: LeaseEvent = {
  ...GRANTED,
  type: 'REJECTED',
  token: undefined,
  reason: 'WITHDRAWN',
  holder: new Map([['host', 'b']]),
  timeoutMs: undefined,
  grantedAt: undefined,
  renewals: undefined,
};

describe('an event', () => {
  test('[L1] has the names of the interface, in its order, and leaves out what says nothing', async () => {
    const encoder = await openLeaseEventEncoder('json', 'leases', undefined);
    expect(Buffer.from(encoder.encode(GRANTED)).toString()).toBe(
      '{"leaseId":"job","type":"GRANTED","token":9006099743113258,"requestId":"r-1","timeoutMs":10000,"grantedAt":1795278324502,' +
        '"deadlineAt":1795278334502,"at":1795278324502,"renewals":0,"attributes":{"host":"a"},"partition":3,"offset":42}',
    );
    expect(Buffer.from(encoder.encode(WITHDRAWN)).toString()).toBe(
      '{"leaseId":"job","type":"REJECTED","requestId":"r-1","reason":"WITHDRAWN","holder":{"host":"b"},' +
        '"deadlineAt":1795278334502,"at":1795278324502,"attributes":{"host":"a"},"partition":3,"offset":42}',
    );
  });

  test('[L4] in Avro, too', async () => {
    const id = registry.add({ schema: LEASE_EVENT_SCHEMA.text, schemaType: 'AVRO' });
    const encoder = await openLeaseEventEncoder('avro', 'leases', registry);
    const bytes = Buffer.from(encoder.encode(WITHDRAWN));
    const begin = [0, 0, 0, 0, id];
    expect(bytes.subarray(0, 5)).toEqual(Buffer.from(begin));
    // The lease, the type, no token, the request id, the reason, the holder's attributes.
    expect(bytes.subarray(5, 45).toString('hex')).toBe(
      '066a6f62' + '1052454a4543544544' + '00' + '0206722d31' + '021257495448445241574e' + '020208686f7374026200',
    );
  });

  test.each([GRANTED, EXPIRED, REJECTED, WITHDRAWN])(
    '[L1][I3] %#: says the same in JSON and in Avro, to any reader',
    async (event) => {
      const inJson = (await openLeaseEventEncoder('json', 'leases', undefined)).encode(event);
      const avro = Buffer.from((await openLeaseEventEncoder('avro', 'leases', registry)).encode(event));
      const found = JSON.parse(Buffer.from(inJson).toString()) as object;
      const type = typeOf((await registry.schemaById(avro.readInt32BE(1)))!.schema);
      const said = JSON.parse(JSON.stringify(type.fromBuffer(avro.subarray(5)))) as object;
      expect(Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null))).toEqual(found);
      expect([leaseEventBytes('json', event), leaseEventBytes('avro', event)]).toEqual([inJson.length, avro.length]);
      expect(LEASE_EVENT_SCHEMA.text).toContain(event.type);
      expect(LEASE_EVENT_SCHEMA.text).toContain(event.reason ?? event.type);
    },
  );

  test.each([GRANTED, EXPIRED, REJECTED, WITHDRAWN])(
    '[L8] %#: is read back from either; what is no event is none',
    async (event) => {
      const formats = new LeaseEventFormats({ format: 'auto', registry, clock });
      for (const format of ['json', 'avro'] as const) {
        const value = (await openLeaseEventEncoder(format, 'leases', registry)).encode(event);
        const { key, ...said } = event;
        expect(await formats.read(value)).toEqual({ ...said, leaseId: Buffer.from(key).toString() });
      }
      expect(await formats.read(Buffer.from('{"type":1}'))).toBeUndefined();
    },
  );

  test('[I3] a key that is not UTF-8 is there in bytes', async () => {
    const encoder = await openLeaseEventEncoder('json', 'leases', undefined);
    const said = JSON.parse(Buffer.from(encoder.encode(REJECTED)).toString()) as object;
    expect(said).toMatchObject({ leaseId: '\ufffda', leaseKeyBase64: '/2E=', holder: {} });
  });
});
