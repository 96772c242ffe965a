import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { blankEvent, type CloseReason, type SessionSummary } from '@flatline/ports/formats';
import avsc from 'avsc';
import { openEventEncoder } from './events/event-encoder.ts';
import { EVENT_SCHEMA, EventFormats } from './events/event-formats.ts';
import { EVENT_SHAPE } from './events/event-shape.ts';
import { LEASE_EVENT_SCHEMA } from './leases/lease-event-encoder.ts';
import { LEASE_EVENT_SHAPE } from './leases/lease-event-shape.ts';
import { REQUEST_SCHEMA } from './leases/request-formats.ts';
import { REQUEST_SHAPE } from './leases/request-shape.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import type { SchemaRegistry } from './registry/schema-registry.ts';
import { openSummaryEncoder, SUMMARY_SCHEMA, SummaryFormats } from './summaries/summary-formats.ts';
import { SUMMARY_SHAPE } from './summaries/summary-shape.ts';

/** Golden Avro values bear this id, so that byte order shows. */
const SCHEMA_ID = 0x0102;
const WIRE_HEADER = '0000000102';

interface Golden {
  readonly name: string;
  /** As in the schema, but for a summary's `key`: the record key in hex. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The value's text, as UTF-8 the bytes. */
  readonly json: string;
  /** The value's bytes in hex, with the wire format's five. */
  readonly avro: string;
}

function goldens(name: string): readonly Golden[] {
  return JSON.parse(readFileSync(fileOf(`golden/${name}.json`), 'utf8')) as Golden[];
}

function fileOf(path: string): URL {
  return new URL(`../../../../schemas/${path}`, import.meta.url);
}

/** Knows one schema, under the golden id. */
function registryOf(schema: string): SchemaRegistry {
  return {
    name: 'golden',
    schemaById: (id) => Promise.resolve(id === SCHEMA_ID ? { schemaType: 'AVRO', schema } : undefined),
    schemaId: () => Promise.resolve(SCHEMA_ID),
    check: () => Promise.resolve(),
  };
}

function mapOf<Value>(value: unknown): Map<string, Value> {
  return new Map(Object.entries((value ?? {}) as Record<string, Value>));
}

describe.each(goldens('session-event'))('golden event: $name', ({ value, json, avro }) => {
  const registry = registryOf(EVENT_SCHEMA.text);
  const attributes = mapOf<string>(value['attributes']);
  const event = { ...value, ...(attributes.size > 0 && { attributes }) };

  test('its bytes, in JSON and Avro', async () => {
    const asJson = (await openEventEncoder('json', 'events', undefined)).encode(event);
    const asAvro = (await openEventEncoder('avro', 'events', registry)).encode(event);
    expect(Buffer.from(asJson).toString()).toBe(json);
    expect(Buffer.from(asAvro).toString('hex')).toBe(avro);
  });

  test('read back from either', async () => {
    const formats = new EventFormats({ format: 'auto', registry, clock: new ManualClock() });
    await formats.prepare(SCHEMA_ID);
    for (const bytes of [Buffer.from(json), Buffer.from(avro, 'hex')]) {
      const target = blankEvent();
      expect(formats.decode(bytes, 0, bytes.length, target)).toEqual({ kind: 'event' });
      expect(target).toEqual({ ...blankEvent(), ...event });
    }
  });

  test('avsc writes the same bytes by the schema file', () => {
    const type = avsc.Type.forSchema(JSON.parse(readFileSync(fileOf('session-event.avsc'), 'utf8')) as avsc.Schema);
    expect(`${WIRE_HEADER}${type.toBuffer(value).toString('hex')}`).toBe(avro);
  });
});

describe.each(goldens('session-summary'))('golden summary: $name', ({ value, json, avro }) => {
  const registry = registryOf(SUMMARY_SCHEMA.text);
  const key = Buffer.from(value['key'] as string, 'hex');
  const summary = {
    ...value,
    key,
    countsByType: mapOf<number>(value['countsByType']),
    attributes: mapOf<string>(value['attributes']),
  } as unknown as SessionSummary;

  test('its bytes, in JSON and Avro', async () => {
    const asJson = (await openSummaryEncoder('json', 'visits', undefined)).encode(summary);
    const asAvro = (await openSummaryEncoder('avro', 'visits', registry)).encode(summary);
    expect(Buffer.from(asJson).toString()).toBe(json);
    expect(Buffer.from(asAvro).toString('hex')).toBe(avro);
  });

  test('read back from either', async () => {
    const formats = new SummaryFormats({ format: 'auto', registry, clock: new ManualClock() });
    for (const bytes of [Buffer.from(json), Buffer.from(avro, 'hex')]) {
      expect(await formats.read(bytes)).toEqual({ kind: 'summary', summary });
    }
  });

  test('avsc writes the same bytes by the schema file', () => {
    const type = avsc.Type.forSchema(JSON.parse(readFileSync(fileOf('session-summary.avsc'), 'utf8')) as avsc.Schema);
    const { sessionId, sessionKeyBase64 = null } = JSON.parse(json) as Record<string, unknown>;
    const bytes = type.toBuffer({ ...value, sessionId, sessionKeyBase64 });
    expect(`${WIRE_HEADER}${bytes.toString('hex')}`).toBe(avro);
  });
});

describe('schema files and the fields in code', () => {
  interface SchemaField {
    readonly name: string;
    readonly type: unknown;
    readonly default?: unknown;
  }
  const plainName = (type: unknown): unknown => {
    if (typeof type === 'string') return type;
    const { type: name, values } = type as { readonly type: string; readonly values?: unknown };
    return name === 'map' ? `map of ${String(values)}` : name;
  };
  const fieldsOf = (text: string): readonly SchemaField[] =>
    (JSON.parse(text) as { readonly fields: readonly SchemaField[] }).fields;

  test.each([
    ['session-event', EVENT_SCHEMA.text, EVENT_SHAPE],
    ['session-summary', SUMMARY_SCHEMA.text, SUMMARY_SHAPE],
    ['lease-request', REQUEST_SCHEMA.text, REQUEST_SHAPE],
    ['lease-event', LEASE_EVENT_SCHEMA.text, LEASE_EVENT_SHAPE],
  ] as const)('%s: same names, order, types and obligations', (_name, schema, shape) => {
    const plain = {
      text: 'string',
      boolean: 'boolean',
      long: 'long',
      textMap: 'map of string',
      longMap: 'map of long',
      texts: 'array',
      bytes: 'bytes',
      any: 'bytes',
      items: 'array',
    };
    const said = fieldsOf(schema).map(({ name, type, default: fallback }) => ({
      name,
      type: plainName(Array.isArray(type) ? type[1] : type),
      nullable: Array.isArray(type) && type[0] === 'null',
      required: fallback === undefined,
    }));
    expect(said).toEqual(
      shape.map(({ name, kind, nullable, required }) => ({ name, type: plain[kind], nullable, required })),
    );
  });

  test('the reasons of CloseReason stand in the schema', () => {
    const reasons: Record<CloseReason, true> = { TIMEOUT: true, ENDED: true, MAX_DURATION: true, EVICTED: true };
    for (const reason of Object.keys(reasons)) expect(SUMMARY_SCHEMA.text).toContain(reason);
  });
});
