import { describe, expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import avsc from 'avsc';
import { sampleSummary } from '../records.fixture.ts';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { openSummaryEncoder, reducedSchema, SUMMARY_SCHEMA, SummaryFormats } from './summary-formats.ts';

const RESULT = JSON.stringify({
  type: 'record',
  name: 'Reduced',
  fields: [
    { name: 'total', type: 'double' },
    { name: 'tags', type: { type: 'map', values: ['null', 'long', 'string'] } },
    { name: 'raw', type: 'bytes' },
    { name: 'mood', type: { type: 'enum', name: 'Mood', symbols: ['GOOD', 'BAD'] } },
  ],
});
const VALUE = { total: 0.1, tags: { ['__proto__']: { long: 3 }, a: null }, raw: Buffer.from([255]), mood: 'BAD' };
const avro = avsc.Type.forSchema(JSON.parse(RESULT) as avsc.Schema, { wrapUnions: 'always' }).toBuffer({
  ...VALUE,
  tags: { a: null, b: { long: 3 } },
});
const reduced = { avro, json: '{"total":0.1,"tags":{"__proto__":3,"é":null}}' };

async function formatsOf(format: 'json' | 'avro') {
  const registry = new MemorySchemaRegistry();
  const encoder = await openSummaryEncoder(format, 'visits', registry, RESULT);
  const formats = new SummaryFormats({ format: 'auto', registry, clock: new ManualClock() });
  await formats.prepare(1);
  return { registry, encoder, formats };
}

describe('[S10] what a reducer came to, in a summary', () => {
  test('in JSON it is the last member, as it was handed over', async () => {
    const { encoder, formats } = await formatsOf('json');
    const value = encoder.encode(sampleSummary({ reduced }));
    expect(Buffer.from(value).toString()).toMatch(
      /"capped":true,"reduced":\{"total":0\.1,"tags":\{"__proto__":3,"é":null\}\}\}$/,
    );
    const read = formats.decode(value);
    expect(JSON.stringify((read as unknown as { summary: { reduced: unknown } }).summary.reduced)).toBe(reduced.json);
  });

  test('in Avro it has the declared schema, and readers of the former schema read the rest', async () => {
    const { registry, encoder, formats } = await formatsOf('avro');
    const value = encoder.encode(sampleSummary({ reduced }));
    const registered = JSON.parse((await registry.schemaById(1))!.schema) as {
      fields: { name: string; type: unknown }[];
    };
    expect(registered.fields.at(-1)).toEqual({ name: 'reduced', type: ['null', JSON.parse(RESULT)], default: null });
    expect(formats.decode(value)).toMatchObject({
      kind: 'summary',
      summary: {
        capped: true,
        reduced: { total: 0.1, tags: { a: null, b: 3 }, raw: Uint8Array.of(255), mood: 'BAD' },
      },
    });
    const type = (text: string): avsc.Type =>
      avsc.Type.forSchema(JSON.parse(text) as avsc.Schema, { wrapUnions: 'always' });
    const [writer, former] = [type(reducedSchema(RESULT).text), type(SUMMARY_SCHEMA.text)];
    const bytes = Buffer.from(value.subarray(5));
    expect(former.fromBuffer(bytes, former.createResolver(writer))).toMatchObject({ capped: true });
    expect(writer.fromBuffer(bytes)).toMatchObject({ reduced: { ['flatline.Reduced']: { total: 0.1 } } });
  });

  test('that could not be finished is null, and without a reducer there is none', async () => {
    for (const format of ['json', 'avro'] as const) {
      const { encoder, formats } = await formatsOf(format);
      const read = formats.decode(encoder.encode(sampleSummary({ reduced: null })));
      expect(read).toMatchObject({ kind: 'summary', summary: { capped: true } });
      expect((read as unknown as { summary: { reduced: unknown } }).summary.reduced ?? undefined).toBeUndefined();
    }
    const plain = await openSummaryEncoder('json', 'visits', undefined);
    expect(Buffer.from(plain.encode(sampleSummary())).toString()).not.toContain('reduced');
  });
});
