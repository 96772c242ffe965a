import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { boundedText, fuzz } from '../fuzz.fixture.ts';
import { JsonRecordWriter } from '../json/json-record.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { anySummary, sampleSummary } from '../records.fixture.ts';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { openSummaryEncoder, summaryEncoder, SummaryFormats } from './summary-formats.ts';
import type { SessionSummary } from '@flatline/ports/formats';
import { SUMMARY_SHAPE } from './summary-shape.ts';

const TOPIC = 'visits';

async function both() {
  const registry = new MemorySchemaRegistry();
  const avro = await openSummaryEncoder('avro', TOPIC, registry);
  const json = await openSummaryEncoder('json', TOPIC, undefined);
  const formats = new SummaryFormats({ format: 'auto', registry, clock: new ManualClock() });
  await formats.prepare(1);
  return { registry, avro, json, formats };
}

async function members(key: Uint8Array): Promise<Record<string, unknown>> {
  const { json } = await both();
  return JSON.parse(Buffer.from(json.encode(sampleSummary({ key }))).toString()) as Record<string, unknown>;
}

describe('round trip', () => {
  test('any summary, whatever its key, in JSON and Avro (rerun: the printed seed)', async () => {
    const { avro, json, formats } = await both();
    fc.assert(
      fc.property(anySummary, (summary) => {
        for (const encoder of [avro, json]) {
          expect(formats.decode(encoder.encode(summary))).toEqual({
            kind: 'summary',
            summary: { ...summary, key: Buffer.from(summary.key) },
          });
        }
      }),
      fuzz(1_000),
    );
  });

  test('JSON is what the table of the fields makes of any summary (rerun: the printed seed)', async () => {
    const { json } = await both();
    const byTable = new JsonRecordWriter(SUMMARY_SHAPE);
    const heldMs = fc.option(fc.maxSafeNat(), { nil: undefined });
    const absorbed = fc.option(fc.array(boundedText(64), { maxLength: 16 }), { nil: undefined });
    fc.assert(
      fc.property(anySummary, heldMs, absorbed, (summary, held, names) => {
        const both = { ...summary, heldMs: held, absorbed: names };
        expect(Buffer.from(json.encode(both)).toString()).toBe(Buffer.from(byTable.encode(both)).toString());
      }),
      fuzz(1_000),
    );
  });

  const NONE = { duplicateCount: 0, outOfOrderCount: 0, lateCount: 0, missingCount: 0 };
  const PLAIN: Partial<SessionSummary> = {
    ...NONE,
    reason: 'TIMEOUT',
    truncated: false,
    capped: false,
    countsByType: new Map([['HEARTBEAT', 3]]),
    attributes: new Map(),
  };
  test.each<[string, Partial<SessionSummary>]>([
    ['only beats and times out', {}],
    ['one of each count', { ...NONE, missingCount: 1 }],
    ['another reason', { reason: 'ENDED' }],
    ['no event', { countsByType: new Map() }],
    ['one type that is none of heartbeats', { countsByType: new Map([['VIEW', 3]]) }],
    ['heartbeats and another', { countsByType: new Map([['HEARTBEAT', 3]]).set('VIEW', 1) }],
    ['an attribute', { attributes: new Map([['a', 'b']]) }],
    ['truncated', { truncated: true }],
    ['capped', { capped: true }],
    ['lives', { state: 'UPDATED', reason: '' }],
  ])('JSON of a session that has %s, too, which is said in fewer pieces', async (_, over) => {
    const { json } = await both();
    const summary = sampleSummary({ ...PLAIN, ...over });
    const expected = Buffer.from(new JsonRecordWriter(SUMMARY_SHAPE).encode(summary)).toString();
    expect(Buffer.from(json.encode(summary)).toString()).toBe(expected);
  });

  test('what was encoded stays what it was when more is encoded', async () => {
    const { avro, json } = await both();
    for (const encoder of [avro, json]) {
      const first = encoder.encode(sampleSummary());
      const kept = Buffer.from(first).toString('hex');
      encoder.encode(sampleSummary({ incarnation: 'another and longer one' }));
      expect(Buffer.from(first).toString('hex')).toBe(kept);
    }
  });

  test('[O2] a view has the bytes that are encoded', async () => {
    const { avro, json } = await both();
    const reduced = summaryEncoder(7, true);
    const result = { json: '{"sum":7}', avro: Uint8Array.of(14) };
    for (const encoder of [avro, json, reduced])
      for (const summary of [
        sampleSummary(),
        sampleSummary({ incarnation: 'another and longer one', reduced: result }),
      ])
        expect(Buffer.from(encoder.view(summary)).toString('hex')).toBe(
          Buffer.from(encoder.encode(summary)).toString('hex'),
        );
  });
});

describe('the key as text', () => {
  test('UTF-8 is shown as it is, and nothing is added', async () => {
    const shown = await members(Buffer.from('café 🎈'));
    expect(shown['sessionId']).toBe('café 🎈');
    expect(shown).not.toHaveProperty('sessionKeyBase64');
  });

  test('[I3] other bytes are shown with U+FFFD, and given in base64', async () => {
    expect(await members(Buffer.from('61ff62', 'hex'))).toMatchObject({
      sessionId: 'a\uFFFDb',
      sessionKeyBase64: 'Yf9i',
    });
  });

  test('a key that holds U+FFFD itself is UTF-8', async () => {
    expect(await members(Buffer.from('\uFFFD'))).not.toHaveProperty('sessionKeyBase64');
  });

  test('base64 that is none is bad input', async () => {
    const { formats } = await both();
    const value = Buffer.from(JSON.stringify({ ...(await members(Buffer.from('a'))), sessionKeyBase64: 'Yf9i=' }));
    expect(formats.decode(value)).toMatchObject({ kind: 'bad', reason: 'invalid-session-key-base64' });
  });
});

describe('opening an encoder', () => {
  test('Avro registers the schema under <topic>-value, once', async () => {
    const { registry, avro } = await both();
    const again = await openSummaryEncoder('avro', TOPIC, registry);
    expect(avro.encode(sampleSummary())).toEqual(again.encode(sampleSummary()));
    expect((await registry.schemaById(1))?.schema).toContain('"name":"SessionSummary"');
    expect(await registry.schemaById(2)).toBeUndefined();
  });

  test('Avro without a registry: the message names the output, the setting and the way out', async () => {
    await expect(openSummaryEncoder('avro', TOPIC, undefined)).rejects.toThrow(
      'The output visits has the format avro, which needs a schema registry. Set SCHEMA_REGISTRY_URL, or the format json.',
    );
  });
});

describe('bad values', () => {
  test.each<[string, object | string, string]>([
    ['a field of another type', { truncated: 'no' }, 'invalid-truncated'],
    ['a count that is not whole', { eventCount: 1.5 }, 'invalid-event-count'],
    ['a count in a map that is not whole', { countsByType: { a: 0.5 } }, 'invalid-counts-by-type'],
    ['a required field of null', { startedAt: null }, 'missing-field'],
  ])('%s', async (_what, over, reason) => {
    const { formats } = await both();
    const value = Buffer.from(JSON.stringify({ ...(await members(Buffer.from('a'))), ...(over as object) }));
    expect(formats.decode(value)).toMatchObject({ kind: 'bad', reason });
  });

  test('any damage: an outcome, never a throw (rerun: the printed seed)', async () => {
    const { avro, json, formats } = await both();
    const change = fc.tuple(fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(
        anySummary,
        fc.boolean(),
        fc.array(change, { maxLength: 4 }),
        fc.nat(),
        (summary, asJson, changes, cut) => {
          const bytes = (asJson ? json : avro).encode(summary);
          for (const [where, byte] of changes) bytes[where % bytes.length] = byte;
          const outcome = formats.decode(bytes.subarray(0, bytes.length - (cut % 3)));
          expect(['summary', 'bad', 'unknownSchema']).toContain(outcome.kind);
        },
      ),
      fuzz(3_000),
    );
  });
});
