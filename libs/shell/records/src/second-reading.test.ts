// The oracle parses values a second time (libs/core/oracle/src/logs). Here the two are held against each other: where they
// part, one of them is wrong, and `flatline verify` would blame the processor or miss its fault.
import { beforeAll, expect, test } from '@jest/globals';
import { fuzz as damage } from '@flatline/base/fuzz';
import { blankEvent } from '@flatline/ports/formats';
import { ValueFormats } from '@flatline/oracle';
import fc from 'fast-check';
import { openEventEncoder } from './events/event-encoder.ts';
import { EventFormats } from './events/event-formats.ts';
import type { InputFormat } from './format.ts';
import { fuzz } from './fuzz.fixture.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { sampleEvent } from './records.fixture.ts';
import { anyEvent, anySummary } from './records.fixture.ts';
import { MemorySchemaRegistry } from './registry/memory-schema-registry.fixture.ts';
import { openSummaryEncoder } from './summaries/summary-formats.ts';

const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
const registry = new MemorySchemaRegistry();
const FORMATS: readonly InputFormat[] = ['auto', 'json', 'avro'];
const texts = (...values: readonly string[]): Uint8Array[] => values.map((value) => new TextEncoder().encode(value));

const record = (fields: readonly object[], name = 'SessionEvent'): string =>
  JSON.stringify({ type: 'record', name, namespace: 'another', fields });
/** Schemas that producers may have registered. */
const SCHEMAS = [
  record([
    { name: 'deep', type: ['null', 'SessionEvent', { type: 'array', items: 'bytes' }] },
    { name: 'odd', type: { type: 'map', values: ['double', 'float', { type: 'fixed', name: 'F', size: 5 }] } },
    { name: 'nothings', type: { type: 'array', items: { type: 'record', name: 'Nothing', fields: [] } } },
    { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A', 'B'] } },
    { name: 'type', type: 'bytes' },
    { name: 'sequence', type: ['int', 'null', 'long'] },
    { name: 'attributes', type: { type: 'map', values: ['string', 'bytes'] } },
    { name: 'again', type: ['F', 'another.Kind', 'boolean'] },
  ]),
  record([{ name: 'occurredAt', type: { type: 'long', logicalType: 'timestamp-micros' } }]),
  record([{ name: 'occurredAt', type: ['null', { type: 'long', logicalType: 'timestamp-millis' }] }]),
  record([{ name: 'type', type: ['null', 'string'] }]),
  record([{ name: 'timeoutMs', type: 'double' }]),
  record([{ name: 'eventId', type: { type: 'string', 'avro.java.string': 'String' } }]),
  record([{ name: 'type', type: 'string' }], 'Order'),
  '"string"',
];

interface Pair {
  readonly codec: EventFormats;
  readonly oracle: ValueFormats;
}

const pairs: Pair[] = [];
const corpus: Uint8Array[] = [];

beforeAll(async () => {
  for (const format of ['json', 'avro'] as const) {
    const encoder = await openEventEncoder(format, 'events', registry);
    corpus.push(encoder.encode(sampleEvent), encoder.encode({}));
  }
  corpus.push(
    ...texts(
      '{"a":[[[{"b":{"c":null}}]],1e308,-0.5],"type":"\\ud83c\\udf88","occurredAt":1.7e12}',
      '{"type":"\\ud83c","sequence":-0,"attributes":{"2":"b","1":"a","type":""}}',
      '{"type":null,"timeoutMs":0,"eventId":"","attributes":null}',
      '\uFEFF{"type":"A"}',
      `{"source":"\u20ac","sequence":1,"attributes":{}}`,
      `{ "source" : "${'\u20ac'.repeat(22)}" }`,
      '{"source":"\\u20ac"}',
      '{"source":""}',
      '{"source":7}',
      '{"sequence":1,"source":7}',
      '{"source":{"app":"x"},"type":"A","sequence":3}',
      '{"source":["a"],"sequence":null}',
      '{"source":"\\ud800"}',
      `{"source":"${'x'.repeat(65)}","sequence":3}`,
      `{"source":"${'x'.repeat(65)}","type":"A"}`,
    ),
  );
  for (const schema of SCHEMAS) {
    const id = registry.add({ schema, schemaType: 'AVRO' });
    corpus.push(Uint8Array.of(0, 0, 0, 0, id, 2, 0, 0, 4, 0, 2, 2, 0x41, 0, 8, 2, 2, 0x62, 0, 2, 0x63, 0, 2, 1));
    corpus.push(Uint8Array.of(0, 0, 0, 0, id, 4, 2, 2, 0x41, 0, 0), Uint8Array.of(0, 0, 0, 0, id, 2, 0x42, 0x43));
  }
  registry.add({ schema: '{}', schemaType: 'PROTOBUF' });
  for (const format of FORMATS) {
    const pair = {
      codec: new EventFormats({ format, registry, clock: new ManualClock() }),
      oracle: new ValueFormats(format),
    };
    pairs.push(pair);
    for (let id = 0; id < SCHEMAS.length + 4; id += 1) {
      await pair.codec.prepare(id);
      const found = await registry.schemaById(id);
      pair.oracle.learn(id, found?.schemaType === 'AVRO' ? found.schema : undefined);
    }
  }
});

/** @throws where the two say different things. */
function compare(bytes: Uint8Array): void {
  for (const { codec, oracle } of pairs) {
    const target = blankEvent();
    const outcome = codec.decode(bytes, 0, bytes.length, target);
    // An unknown id: neither reading can say more.
    if (outcome.kind === 'unknownSchema') continue;
    expect(oracle.event(bytes)).toEqual(outcome.kind === 'event' ? { ...target } : 'bad');
    if (outcome.kind === 'event')
      expect([...((oracle.event(bytes) as typeof target).attributes ?? [])]).toEqual([...(target.attributes ?? [])]);
  }
}

test('[F14][I1] events, sound or damaged: the oracle reads what the codec reads, and refuses what it refuses', () => {
  const feed = (bytes: Uint8Array): void => {
    if (bytes.length > 0) compare(bytes);
  };
  damage({ name: 'records/second-reading', corpus, regressions, feed }, 8_000);
});

test('[I5] any event that may be sent is read alike (rerun: the printed seed)', async () => {
  const encoders = [
    await openEventEncoder('avro', 'events', registry),
    await openEventEncoder('json', 'events', undefined),
  ];
  fc.assert(
    fc.property(anyEvent, (event) => {
      for (const encoder of encoders) compare(encoder.encode(event));
    }),
    fuzz(500),
  );
});

/** Maps as objects, and nothing for null. */
function plain(fields: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  const present = Object.entries(fields ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(
    present.map(([name, value]): [string, unknown] => [
      name,
      value instanceof Map ? Object.fromEntries([...value] as [string, unknown][]) : value,
    ]),
  );
}

test('[I5] any summary, in JSON and Avro, says the same to the oracle (rerun: the printed seed)', async () => {
  const oracle = new ValueFormats('auto');
  const avro = await openSummaryEncoder('avro', 'sums', registry);
  const json = await openSummaryEncoder('json', 'sums', undefined);
  fc.assert(
    fc.property(anySummary, (summary) => {
      const bytes = avro.encode(summary);
      const id = oracle.lacks(bytes);
      if (id !== undefined) oracle.learn(id, schemaOf(id));
      expect(plain(oracle.summary(bytes))).toEqual(plain(oracle.summary(json.encode(summary))));
    }),
    fuzz(500),
  );
});

let known: readonly (string | undefined)[] = [];
const schemaOf = (id: number): string | undefined => known[id];
beforeAll(async () => {
  await openSummaryEncoder('avro', 'sums', registry);
  known = await Promise.all(
    Array.from({ length: SCHEMAS.length + 8 }, async (_, id) => (await registry.schemaById(id))?.schema),
  );
});
