import { describe, expect, test } from '@jest/globals';
import { fuzz as damage } from '@flatline/base/fuzz';
import type { DebouncedBatch } from '@flatline/ports/formats';
import { ManualClock } from '@flatline/base/manual-clock';
import { MemorySchemaRegistry } from '../registry/memory-schema-registry.fixture.ts';
import { BatchFormats } from './batch-formats.ts';
import { BATCH_SCHEMA, openBatchEncoder } from './open-batch-encoder.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const VALUES = [
  ...['{"a": 1}', '17', '"x"', 'null', 'plain é', '', '{"base64":"YQ=="}'].map(bytes),
  Uint8Array.of(0xff, 0xfe),
];
const SAID = [{ a: 1 }, 17, 'x', null, 'plain é', '', { base64: 'YQ==' }, Uint8Array.of(0xff, 0xfe)];

const BATCH: DebouncedBatch = {
  key: bytes('doc'),
  windowId: '3-7',
  reason: 'MAX_WAIT',
  openedAt: 1_700_000_000_000,
  firedAt: 1_700_000_001_000,
  part: 2,
  last: false,
  count: 9,
  bytes: 99,
  duplicates: 1,
  firstOffset: 7,
  lastOffset: 2 ** 40,
  items: VALUES.map((value, i) => ({ offset: 7 + i, timestamp: 1_700_000_000_000 + i, value })),
};

const registry = new MemorySchemaRegistry();
const formats = new BatchFormats({ format: 'auto', registry, clock: new ManualClock() });

async function encoded(format: 'json' | 'avro', batch = BATCH): Promise<Uint8Array> {
  return (await openBatchEncoder(format, 'batches', registry)).encode(batch);
}

describe('batches, as their readers get them', () => {
  test.each(['json', 'avro'] as const)('[B3] in %s: every field, and each item as what it is', async (format) => {
    const outcome = await formats.read(await encoded(format));
    const items = BATCH.items.map(({ offset, timestamp, value }, i) => ({
      offset,
      timestamp,
      value: SAID[i],
      bytes: format === 'avro' ? value : undefined,
    }));
    expect(outcome).toEqual({ kind: 'batch', batch: { ...BATCH, key: 'doc', items } });
  });

  test.each(['json', 'avro'] as const)('[B3] in %s: no item of a cancelled window', async (format) => {
    const outcome = await formats.read(await encoded(format, { ...BATCH, reason: 'CANCELLED', items: [] }));
    expect(outcome).toMatchObject({ kind: 'batch', batch: { reason: 'CANCELLED', items: [] } });
  });

  test('[B3] fields of a newer writer are passed over, within items, too', async () => {
    const schema = JSON.parse(BATCH_SCHEMA.text) as {
      fields: { name: string; type: { items: { fields: object[] } } }[];
    };
    const items = schema.fields.find(({ name }) => name === 'items')!;
    items.type.items.fields.unshift({ name: 'source', type: ['null', 'string'], default: null });
    const id = registry.add({ schema: JSON.stringify(schema), schemaType: 'AVRO' });
    const written = await encoded('avro', { ...BATCH, items: BATCH.items.slice(0, 1) });
    const at = Buffer.from(written).indexOf(Buffer.from('{"a": 1}')) - 1;
    // Before the item's own bytes: its offset (1 byte: 14) and its timestamp (6 bytes). The string "s" goes in front.
    const newer = Buffer.concat([written.subarray(0, at - 7), Uint8Array.of(2, 2, 0x73), written.subarray(at - 7)]);
    newer.writeUInt32BE(id, 1);
    expect(await formats.read(newer)).toMatchObject({
      kind: 'batch',
      batch: { items: [{ offset: 7, value: { a: 1 } }] },
    });
  });

  test.each([
    ['a summary', '{"sessionId":"a"}', 'missing-field'],
    ['items that are none', '{"items":7}', 'missing-field'],
  ])('%s is none', async (_, value, reason) => {
    expect(await formats.read(bytes(value))).toMatchObject({ kind: 'bad', reason });
  });

  test('an item without an offset, and items that are no list, are named', async () => {
    const text = Buffer.from(await encoded('json', { ...BATCH, items: [] })).toString();
    const withItems = (items: string): Uint8Array => bytes(text.replace('"items":[]', `"items":${items}`));
    expect(await formats.read(withItems('{}'))).toMatchObject({ kind: 'bad', reason: 'invalid-items' });
    expect(await formats.read(withItems('[7]'))).toMatchObject({ kind: 'bad', reason: 'invalid-items' });
    expect(await formats.read(withItems('[{"value":1}]'))).toMatchObject({ kind: 'bad', reason: 'invalid-offset' });
  });

  test('[F14] damaged batches are read or refused, in no time and with a short reason', async () => {
    const corpus = [await encoded('json'), await encoded('avro')];
    await formats.read(corpus[1]!);
    damage(
      {
        name: 'records/batch',
        corpus,
        regressions: new URL('../fuzz-regressions.txt', import.meta.url),
        feed: (value) => {
          const outcome = formats.decode(value);
          if (outcome.kind === 'bad') expect(outcome.detail.length).toBeLessThan(1_000);
        },
      },
      10_000,
    );
  });
});
