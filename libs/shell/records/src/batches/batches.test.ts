import { describe, expect, test } from '@jest/globals';
import type { DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import avsc from 'avsc';
import fc from 'fast-check';
import { AvroBatches } from './avro-batches.ts';
import { JsonBatches } from './json-batches.ts';
import { BATCH_SCHEMA } from './open-batch-encoder.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

function batchOf(values: readonly Uint8Array[], changes: Partial<DebouncedBatch> = {}): DebouncedBatch {
  return {
    key: bytes('user-1'),
    windowId: '3-7',
    reason: 'QUIET',
    openedAt: 1_700_000_000_000,
    firedAt: 1_700_000_001_000,
    part: 0,
    last: true,
    count: values.length,
    bytes: values.reduce((sum, { length }) => sum + length, 0),
    duplicates: 0,
    firstOffset: 7,
    lastOffset: 7 + values.length,
    items: values.map((value, i) => ({ offset: 7 + i, timestamp: 1_700_000_000_000 + i, value })),
    ...changes,
  };
}

const fromJson = (encoded: Uint8Array): Record<string, unknown> =>
  JSON.parse(Buffer.from(encoded).toString('utf8')) as Record<string, unknown>;
const type = avsc.Type.forSchema(JSON.parse(BATCH_SCHEMA.text) as avsc.Schema, { wrapUnions: 'never' });
const fromAvro = (encoded: Uint8Array): Record<string, unknown> =>
  type.fromBuffer(Buffer.from(encoded.subarray(5))) as Record<string, unknown>;

describe('batches', () => {
  test('[B3] in JSON: a value is itself where it is JSON, else text, else base64', () => {
    const values = ['{"a": 1}', ' 17', '"x"', 'null', 'plain "text" é', '{"a":', '', '-', '\u0000'].map(bytes);
    const { items, ...rest } = fromJson(new JsonBatches(1e6).encode(batchOf([...values, Uint8Array.of(0xff, 0xfe)])));
    expect((items as { value: unknown }[]).map(({ value }) => value)).toEqual([
      { a: 1 },
      17,
      'x',
      null,
      'plain "text" é',
      '{"a":',
      '',
      '-',
      '\u0000',
      { base64: '//4=' },
    ]);
    expect((items as unknown[])[1]).toEqual({ offset: 8, timestamp: 1_700_000_000_001, value: 17 });
    expect(rest).toEqual({
      key: 'user-1',
      windowId: '3-7',
      reason: 'QUIET',
      openedAt: 1_700_000_000_000,
      firedAt: 1_700_000_001_000,
      part: 0,
      last: true,
      count: 10,
      bytes: values.reduce((sum, { length }) => sum + length, 2),
      duplicates: 0,
      firstOffset: 7,
      lastOffset: 17,
    });
  });

  test('[B3] in JSON: numbers are not rounded, and a key that is no text is shown as bytes, too', () => {
    const encoded = new JsonBatches(1e6).encode(
      batchOf([bytes('12345678901234567890.10')], { key: Uint8Array.of(0x80) }),
    );
    expect(Buffer.from(encoded).toString()).toContain('"value":12345678901234567890.10}');
    expect(fromJson(encoded)).toMatchObject({ key: '\ufffd', keyBase64: 'gA==' });
  });

  test('[B3] in Avro: values are bytes as they came', () => {
    const values = [bytes('{"a": 1}'), bytes(''), Uint8Array.of(0xff, 0xfe)];
    const encoded = new AvroBatches(258, 1e6).encode(
      batchOf(values, { key: Uint8Array.of(0x80), part: 2, last: false }),
    );
    expect([...encoded.subarray(0, 5)]).toEqual([0, 0, 0, 1, 2]);
    const { items, ...rest } = fromAvro(encoded);
    expect((items as { value: Buffer }[]).map(({ value }) => [...value])).toEqual(values.map((value) => [...value]));
    expect(rest).toMatchObject({ key: '\ufffd', keyBase64: 'gA==', windowId: '3-7', part: 2, last: false, count: 3 });
    expect(fromAvro(new AvroBatches(1, 1e6).encode(batchOf([])))).toMatchObject({ items: [], keyBase64: null });
  });

  test.each<[string, DebouncedBatchEncoder]>([
    ['JSON', new JsonBatches(1e6)],
    ['Avro', new AvroBatches(2 ** 31 - 1, 1e6)],
  ])('[B2] in %s: a batch is never longer than what was said of its items and its key', (_, encoder) => {
    const most = Number.MAX_SAFE_INTEGER;
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map(bytes);
    const value = fc.oneof(
      text,
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map(bytes),
      fc.constant(bytes('\u0001'.repeat(50))),
    );
    const key = fc.oneof(text, fc.uint8Array({ maxLength: 60 }), fc.constant(new Uint8Array(60).fill(1)));
    fc.assert(
      fc.property(key, fc.array(value, { maxLength: 6 }), (of, values) => {
        const whole = { key: of, windowId: `${2 ** 31 - 1}-${most}`, reason: 'MAX_ITEMS' } as const;
        const sums = { count: most, bytes: most, duplicates: most, firstOffset: most };
        const numbers = { openedAt: most, firedAt: most, part: most, ...sums };
        const items = values.map((each) => ({ offset: most, timestamp: most, value: each }));
        const batch = batchOf([], { ...whole, ...numbers, lastOffset: most, last: false, items });
        const said = values.reduce(
          (sum, each) => sum + encoder.itemBytes(each, 0, each.length),
          encoder.aroundBytes(of.length),
        );
        expect(encoder.encode(batch).length).toBeLessThanOrEqual(said);
      }),
    );
  });
});
