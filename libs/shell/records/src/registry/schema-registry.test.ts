// Promises of both adapters of the port, tried on the one in memory and on a real registry: the one SCHEMA_REGISTRY_URL names,
// else one started here.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startBroker, type RunningBroker } from '@flatline/dev-broker';
import { blankEvent } from '@flatline/ports/formats';
import { SchemaRegistry as OtherClient } from '@kafkajs/confluent-schema-registry';
import { openEventEncoder } from '../events/event-encoder.ts';
import { EVENT_SCHEMA, openEventDecoder } from '../events/event-formats.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { sampleSummary } from '../records.fixture.ts';
import { openSummaryEncoder, SUMMARY_SCHEMA, SummaryFormats } from '../summaries/summary-formats.ts';
import { CERTIFICATE, GuardedRegistry } from './guarded-registry.fixture.ts';
import { HttpSchemaRegistry } from './http-schema-registry.ts';
import { MemorySchemaRegistry } from './memory-schema-registry.fixture.ts';
import { valueSubject, type SchemaRegistry } from './schema-registry.ts';

const START_TIMEOUT_MS = 180_000;
const clock = new ManualClock();
let broker: RunningBroker | undefined;
let guarded: GuardedRegistry;
let url = '';

const auth = { username: 'us@er', password: 'pass:wörd' };
const tls = { ca: CERTIFICATE };

beforeAll(async () => {
  url = process.env['SCHEMA_REGISTRY_URL'] ?? '';
  if (url === '') {
    broker = await startBroker({ ephemeral: true, shortLived: true, registry: true });
    url = broker.registryUrl!;
  }
  guarded = await GuardedRegistry.open(url, `${auth.username}:${auth.password}`);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await guarded.close();
  await broker?.stop();
}, START_TIMEOUT_MS);

const adapters: readonly (readonly [string, () => SchemaRegistry])[] = [
  ['in memory', () => new MemorySchemaRegistry()],
  ['over HTTP, a real one', () => new HttpSchemaRegistry({ url, clock })],
  ['over TLS and behind a password, a real one', () => new HttpSchemaRegistry({ url: guarded.url, clock, auth, tls })],
];

/** Registries outlive a run: every test has topics of its own. */
function newTopic(): string {
  return `codec test/${randomUUID()}`;
}

describe.each(adapters)('schema registry %s', (_name, open) => {
  test('answers', async () => {
    await expect(open().check()).resolves.toBeUndefined();
  });

  test('the same schema under the same subject has one id, which gives it back', async () => {
    const registry = open();
    const subject = valueSubject(newTopic());
    const id = await registry.schemaId(subject, EVENT_SCHEMA.text);
    expect(await registry.schemaId(subject, EVENT_SCHEMA.text)).toBe(id);
    const found = await registry.schemaById(id);
    expect(found?.schemaType).toBe('AVRO');
    expect(JSON.parse(found?.schema ?? '')).toEqual(JSON.parse(EVENT_SCHEMA.text));
  });

  test('an id it never gave is unknown', async () => {
    expect(await open().schemaById(2_000_000_000)).toBeUndefined();
  });

  test('events: what a producer encodes, a decoder that has never seen the schema reads', async () => {
    const registry = open();
    const topic = newTopic();
    const event = { type: 'page_view', occurredAt: 1_700_000_000_123, attributes: new Map([['page', '/ä']]) };
    const bytes = (await openEventEncoder('avro', topic, registry)).encode(event);
    const decoder = await openEventDecoder(topic, { format: 'avro', registry, clock });
    const target = blankEvent();
    const first = decoder.decode(bytes, 0, bytes.length, target);
    if (first.kind !== 'unknownSchema') throw new Error('the decoder cannot know the schema yet');
    await decoder.prepare(first.schemaId);
    expect(decoder.decode(bytes, 0, bytes.length, target)).toEqual({ kind: 'event' });
    expect(target).toEqual({ ...blankEvent(), ...event });
  });

  test('summaries: what an output holds, a reader reads', async () => {
    const registry = open();
    const encoder = await openSummaryEncoder('avro', newTopic(), registry);
    const formats = new SummaryFormats({ format: 'auto', registry, clock });
    const summary = sampleSummary();
    expect(await formats.read(encoder.encode(summary))).toEqual({
      kind: 'summary',
      summary: { ...summary, key: Buffer.from(summary.key) },
    });
  });
});

describe('a registry that is guarded', () => {
  const retries = 0;

  test.each<[string, typeof auth | undefined]>([
    ['none', undefined],
    ['another', { ...auth, password: 'word' }],
  ])('refuses %s password, and the message says where to put one', async (_what, given) => {
    const setting = 'schemaRegistryUrl';
    const registry = new HttpSchemaRegistry({
      url: guarded.url,
      clock,
      tls,
      retries,
      setting,
      ...(given && { auth: given }),
    });
    await expect(registry.check()).rejects.toThrow(
      /answered 401 .*"Unauthorized".* Put a user and password it accepts into schemaRegistryAuth/,
    );
  });

  test('is not asked where its certificate is not trusted, and the message says how to trust it', async () => {
    const registry = new HttpSchemaRegistry({ url: guarded.url, clock, auth, retries });
    await expect(registry.check()).rejects.toThrow(
      'cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT). Trust its certificate with schemaRegistrySsl.ca, or correct SCHEMA_REGISTRY_URL.',
    );
  });
});

describe('another client of the same registry', () => {
  test('reads the summaries we write', async () => {
    const registry = new HttpSchemaRegistry({ url, clock });
    const encoder = await openSummaryEncoder('avro', newTopic(), registry);
    const read: unknown = await new OtherClient({ host: url }).decode(Buffer.from(encoder.encode(sampleSummary())));
    expect(read).toMatchObject({
      sessionId: 'session-1',
      reason: 'ENDED',
      attributes: { country: 'NL' },
      truncated: true,
    });
  });

  test('writes events that we read', async () => {
    const registry = new HttpSchemaRegistry({ url, clock });
    const id = await registry.schemaId(valueSubject(newTopic()), EVENT_SCHEMA.text);
    const event = { type: 'page_view', occurredAt: 1, eventId: 'e', sequence: null, timeoutMs: null };
    const bytes = await new OtherClient({ host: url }).encode(id, { ...event, attributes: { page: '/' } });
    const decoder = await openEventDecoder('events', { format: 'auto', registry, clock });
    await decoder.prepare(id);
    const target = blankEvent();
    expect(decoder.decode(bytes, 0, bytes.length, target)).toEqual({ kind: 'event' });
    expect(target).toEqual({
      ...blankEvent(),
      type: 'page_view',
      occurredAt: 1,
      eventId: 'e',
      attributes: new Map([['page', '/']]),
    });
  });
});

describe('a real registry under full compatibility', () => {
  const evolved = (name: string): string =>
    JSON.stringify(JSON.parse(readFileSync(new URL(`../evolution/${name}.avsc`, import.meta.url), 'utf8')));

  async function subjectOfFullCompatibility(): Promise<string> {
    const subject = valueSubject(newTopic());
    const response = await fetch(`${url}/config/${encodeURIComponent(subject)}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ compatibility: 'FULL' }),
    });
    expect(response.status).toBe(200);
    return subject;
  }

  async function compatibilityOf(subject: string): Promise<unknown> {
    const response = await fetch(`${url}/config/${encodeURIComponent(subject)}`);
    return ((await response.json()) as { readonly compatibilityLevel?: unknown }).compatibilityLevel;
  }

  test.each([
    ['session-event', EVENT_SCHEMA.text],
    ['session-summary', SUMMARY_SCHEMA.text],
  ])('%s: older, ours, newer are accepted one after the other, and the setting stays', async (name, ours) => {
    const registry = new HttpSchemaRegistry({ url, clock });
    const subject = await subjectOfFullCompatibility();
    const ids: number[] = [];
    for (const schema of [evolved(`${name}.older`), ours, evolved(`${name}.newer`)]) {
      ids.push(await registry.schemaId(subject, schema));
    }
    expect(new Set(ids).size).toBe(3);
    expect(await compatibilityOf(subject)).toBe('FULL');
  });

  test('a schema that does not fit the subject is refused, and the message says what to do', async () => {
    const registry = new HttpSchemaRegistry({ url, clock });
    const subject = await subjectOfFullCompatibility();
    const other = {
      type: 'record',
      name: 'SessionSummary',
      namespace: 'flatline',
      fields: [{ name: 'a', type: 'int' }],
    };
    await registry.schemaId(subject, JSON.stringify(other));
    await expect(registry.schemaId(subject, SUMMARY_SCHEMA.text)).rejects.toThrow(/Give the output another topic/);
  });
});
