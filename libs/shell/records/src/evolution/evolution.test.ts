// Readers and writers that are one version apart, in both directions. The older and newer schemas beside this file exist for
// these tests only; the ones in force are in `schemas/`.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import avsc, { type Type } from 'avsc';
import { openEventEncoder } from '../events/event-encoder.ts';
import { EVENT_SCHEMA, EventFormats } from '../events/event-formats.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { sampleSummary } from '../records.fixture.ts';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import {
  openSummaryEncoder,
  SUMMARY_SCHEMA,
  SummaryFormats,
  type SummaryOutcome,
} from '../summaries/summary-formats.ts';

function evolved(name: string): { readonly text: string; readonly type: Type } {
  const text = readFileSync(new URL(`${name}.avsc`, import.meta.url), 'utf8');
  return { text, type: avsc.Type.forSchema(JSON.parse(text) as avsc.Schema, { wrapUnions: 'never' }) };
}

function without<Members extends object>(members: Members, ...names: (keyof Members & string)[]): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !(names as string[]).includes(name)));
}

/** A value in the wire format, under the id a registry gives the writer's schema. */
function wireFormat(
  registry: MemorySchemaRegistry,
  writer: { readonly text: string; readonly type: Type },
  value: object,
) {
  const id = registry.add({ schemaType: 'AVRO', schema: writer.text });
  const head = Buffer.from([0, 0, 0, 0, id]);
  return { id, bytes: Buffer.concat([head, writer.type.toBuffer(value)]) };
}

async function decodedEvent(writer: ReturnType<typeof evolved>, value: object): Promise<SessionEvent> {
  const registry = new MemorySchemaRegistry();
  const { id, bytes } = wireFormat(registry, writer, value);
  const formats = new EventFormats({ format: 'auto', registry, clock: new ManualClock() });
  await formats.prepare(id);
  const target = blankEvent();
  expect(formats.decode(bytes, 0, bytes.length, target)).toEqual({ kind: 'event' });
  return target;
}

async function decodedSummary(writer: ReturnType<typeof evolved>, value: object): Promise<SummaryOutcome> {
  const registry = new MemorySchemaRegistry();
  const { bytes } = wireFormat(registry, writer, value);
  return new SummaryFormats({ format: 'auto', registry, clock: new ManualClock() }).read(bytes);
}

/** Reads our bytes as a reader of another version does, by avsc's schema resolution. */
function readBy(reader: ReturnType<typeof evolved>, ours: string, wire: Uint8Array): Record<string, unknown> {
  const writer = avsc.Type.forSchema(JSON.parse(ours) as avsc.Schema, { wrapUnions: 'never' });
  return reader.type.fromBuffer(Buffer.from(wire.subarray(5)), reader.type.createResolver(writer)) as Record<
    string,
    unknown
  >;
}

const event = {
  type: 'page_view',
  occurredAt: 1_700_000_000_123,
  eventId: 'e-1',
  sequence: 7,
  timeoutMs: 60_000,
  attributes: new Map([['country', 'NL']]),
};
const attributes = { country: 'NL' };

describe('session-event', () => {
  const older = evolved('session-event.older');
  const newer = evolved('session-event.newer');

  test('ours reads what a producer one version older writes', async () => {
    const known = without(event, 'sequence', 'timeoutMs');
    expect(await decodedEvent(older, { ...known, attributes })).toEqual({ ...blankEvent(), ...known });
  });

  test('ours reads what a producer one version newer writes', async () => {
    const known = without(event, 'timeoutMs');
    const sample = { at: 1, level: 0.5, raw: Buffer.from('abc'), next: null };
    const added = { device: 'd', samples: [sample, { ...sample, next: sample }], quality: 'POOR' };
    expect(await decodedEvent(newer, { ...known, attributes, ...added })).toEqual({ ...blankEvent(), ...known });
  });

  test.each([
    ['older', older, { type: 'page_view', eventId: 'e-1', attributes }],
    [
      'newer',
      newer,
      { type: 'page_view', eventId: 'e-1', attributes, sequence: 7, device: null, samples: [], quality: 'GOOD' },
    ],
  ] as const)('a reader one version %s reads what ours writes', async (_name, reader, wanted) => {
    const encoder = await openEventEncoder('avro', 'events', new MemorySchemaRegistry());
    expect(readBy(reader, EVENT_SCHEMA.text, encoder.encode(event))).toMatchObject({ ...wanted });
  });

  test('JSON: fields of a newer producer are ignored, missing ones take their default', () => {
    const formats = new EventFormats({ format: 'auto', registry: undefined, clock: new ManualClock() });
    const bytes = Buffer.from('{"device":{"model":["x"]},"type":"page_view","samples":[{"at":1}]}');
    const target = blankEvent();
    expect(formats.decode(bytes, 0, bytes.length, target)).toEqual({ kind: 'event' });
    expect(target).toEqual({ ...blankEvent(), type: 'page_view' });
  });
});

describe('session-summary', () => {
  const older = evolved('session-summary.older');
  const newer = evolved('session-summary.newer');
  const summary = sampleSummary();
  const plain = {
    ...summary,
    sessionId: 'session-1',
    sessionKeyBase64: null,
    countsByType: { page_view: 61 },
    attributes,
  };

  test('ours reads what a processor one version older writes', async () => {
    expect(await decodedSummary(older, plain)).toEqual({
      kind: 'summary',
      summary: { ...summary, lateCount: 0, truncated: false, capped: false },
    });
  });

  test('ours reads what a processor one version newer writes, a reason unknown to it included', async () => {
    const added = { absorbed: ['3-1', '3-2'], statistics: { median: 0.5, runs: 3, exact: true }, reason: 'MOVED' };
    expect(await decodedSummary(newer, { ...plain, ...added })).toEqual({
      kind: 'summary',
      summary: {
        ...summary,
        reason: 'MOVED',
        outOfOrderCount: 0,
        missingCount: 0,
        absorbed: added.absorbed,
        capped: false,
      },
    });
  });

  test.each([
    [
      'older',
      older,
      { sessionId: 'session-1', revision: 1, reason: 'ENDED', missingCount: 5, countsByType: { page_view: 61 } },
    ],
    [
      'newer',
      newer,
      { sessionId: 'session-1', revision: 1, reason: 'ENDED', truncated: true, absorbed: null, statistics: null },
    ],
  ] as const)('a reader one version %s reads what ours writes', async (_name, reader, wanted) => {
    const encoder = await openSummaryEncoder('avro', 'visits', new MemorySchemaRegistry());
    expect(readBy(reader, SUMMARY_SCHEMA.text, encoder.encode(summary))).toMatchObject({ ...wanted });
  });

  test('JSON: fields of a newer processor are ignored, missing ones take their default, required ones are missed', async () => {
    const formats = new SummaryFormats({ format: 'auto', registry: undefined, clock: new ManualClock() });
    const encoder = await openSummaryEncoder('json', 'visits', undefined);
    const members = JSON.parse(Buffer.from(encoder.encode(summary)).toString()) as Record<string, unknown>;
    const newer = Buffer.from(JSON.stringify({ ...without(members, 'lateCount'), statistics: { runs: 3 } }));
    expect(await formats.read(newer)).toEqual({ kind: 'summary', summary: { ...summary, lateCount: 0 } });
    const nameless = without(members, 'incarnation');
    expect(formats.decode(Buffer.from(JSON.stringify(nameless)))).toEqual({
      kind: 'bad',
      reason: 'missing-field',
      detail: 'incarnation is missing',
    });
  });
});
