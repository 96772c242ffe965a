import { describe, expect, test } from '@jest/globals';
import type { OutgoingRecord } from '@flatline/ports';
import fc from 'fast-check';
import { createRequire } from 'node:module';
import { RecordBatchEncoder, UNSEQUENCED } from './encoder.ts';
import { RECORDS_AT } from './layout.ts';
import { varintSize, varlongSize, writeVarint, writeVarlong } from './encoding.ts';

const utf8 = new TextEncoder();

/** Written by the Java client's MemoryRecordsBuilder (4.1.1) from the records of `goldenRecords`. */
const goldenHex =
  '000000000000000000000193ffffffff02c66cb0b40010000000030000018bcfe568000000046a91d99400000000000000126700070001e240' +
  '000000041c000000066b65790a76616c7565003e00f601020100041c666c61746c696e652d636c6f636b010a6ec3a46d6502762400cf0f0416' +
  `612d746f6d6273746f6e650100bc040080b0a19fd8b701069003${'00'.repeat(200)}8c01${'00'.repeat(70)}020000`;

const goldenRecords: readonly OutgoingRecord[] = [
  { key: utf8.encode('key'), value: utf8.encode('value'), timestamp: 1_700_000_000_000 },
  {
    key: null,
    value: new Uint8Array(0),
    timestamp: 1_700_000_000_123,
    headers: [
      { name: 'flatline-clock', value: null },
      { name: 'näme', value: utf8.encode('v') },
    ],
  },
  { key: utf8.encode('a-tombstone'), value: null, timestamp: 1_699_999_999_000 },
  {
    key: new Uint8Array(200),
    value: new Uint8Array(70),
    timestamp: 1_700_000_000_000 + 3_155_760_000_000,
    headers: [{ name: '', value: new Uint8Array(0) }],
  },
];

interface DecodedRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly timestamp: string;
  readonly offset: string;
}

interface KafkaJsDecoder {
  readonly buffer: Buffer;
  offset: number;
}

const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => KafkaJsDecoder;
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (
  decoder: KafkaJsDecoder,
) => Promise<{ readonly records: readonly DecodedRecord[] }>;

/** kafkajs' own decoder: written by others, so it shares no mistake with the encoder. */
async function decodeByKafkaJs(batch: Buffer): Promise<readonly DecodedRecord[]> {
  return (await decodeBatch(new Decoder(batch))).records;
}

const bytes = (maxLength: number): fc.Arbitrary<Uint8Array | null> =>
  fc.option(fc.uint8Array({ maxLength }), { nil: null });
const timestamp = fc.oneof(fc.integer({ min: -1, max: 4_000_000_000_000 }), fc.integer({ min: 0, max: 2 ** 50 }));
const outgoing = fc.record({ key: bytes(300), value: bytes(300), timestamp });

describe('RecordBatchEncoder', () => {
  test('writes the bytes the Java client writes, null header values included [kafkajs 20]', () => {
    const encoder = new RecordBatchEncoder();
    for (const record of goldenRecords) encoder.add(record, 0);
    const batch = encoder.seal({ producerId: 4711n, producerEpoch: 7, baseSequence: 123_456, transactional: true });
    expect(batch.toString('hex')).toBe(goldenHex);
  });

  test('a record without a timestamp takes the time it is handed', async () => {
    const encoder = new RecordBatchEncoder();
    encoder.add({ key: null, value: null }, 1234);
    encoder.add({ key: null, value: null, timestamp: 99 }, 1235);
    const records = await decodeByKafkaJs(encoder.seal(UNSEQUENCED));
    expect(records.map((record) => record.timestamp)).toEqual(['1234', '99']);
  });

  test('what an independent decoder reads is what was written, batch after batch from one encoder (rerun: the printed seed)', async () => {
    const encoder = new RecordBatchEncoder();
    await fc.assert(
      fc.asyncProperty(fc.array(outgoing, { minLength: 1, maxLength: 200 }), async (records) => {
        for (const record of records) encoder.add(record, 0);
        const decoded = await decodeByKafkaJs(encoder.seal(UNSEQUENCED));
        expect(decoded.length).toBe(records.length);
        records.forEach((record, index) => {
          expect(decoded[index]!.key).toEqual(record.key === null ? null : Buffer.from(record.key));
          expect(decoded[index]!.value).toEqual(record.value === null ? null : Buffer.from(record.value));
          expect(decoded[index]!.timestamp).toBe(String(record.timestamp));
          expect(decoded[index]!.offset).toBe(String(index));
        });
        expect(encoder.count).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  test('addWithin fills a batch to the byte, and leaves what does not fit (rerun: the printed seed)', () => {
    const headers = fc.array(fc.record({ name: fc.string({ maxLength: 40 }), value: bytes(100) }), { maxLength: 4 });
    const record = fc.record({ key: bytes(300), value: bytes(300), timestamp: fc.nat(), headers });
    fc.assert(
      fc.property(fc.array(record), record, (before, last) => {
        const [encoder, whole] = [new RecordBatchEncoder(), new RecordBatchEncoder()];
        for (const each of before) encoder.add(each, 0);
        for (const each of [...before, last]) whole.add(each, 0);
        const { byteLength, count } = encoder;
        expect(encoder.addWithin(last, 0, whole.byteLength - 1)).toBe(false);
        expect([encoder.byteLength, encoder.count]).toEqual([byteLength, count]);
        expect(encoder.addWithin(last, 0, whole.byteLength)).toBe(true);
        expect(encoder.seal(UNSEQUENCED)).toEqual(whole.seal(UNSEQUENCED));
      }),
    );
  });

  test('many records to one partition fit one batch [kafkajs 14]', async () => {
    const encoder = new RecordBatchEncoder();
    const key = utf8.encode('session');
    for (let index = 0; index < 50_000; index += 1) encoder.add({ key, value: null, timestamp: index }, 0);
    const batch = encoder.seal(UNSEQUENCED);
    expect(batch.readInt32BE(57)).toBe(50_000);
    expect(batch.length).toBeLessThan(RECORDS_AT + 50_000 * 24);
    expect((await decodeByKafkaJs(batch))[49_999]!.offset).toBe('49999');
  });
});

describe('varints', () => {
  test('sizes and bytes agree (rerun: the printed seed)', () => {
    const target = new Uint8Array(16);
    const int = fc.integer({ min: -(2 ** 30), max: 2 ** 30 - 1 });
    fc.assert(
      fc.property(int, (value) => {
        expect(writeVarint(target, 0, value)).toBe(varintSize(value));
      }),
    );
    const long = fc.oneof(int, fc.integer({ min: -(2 ** 51), max: 2 ** 51 }));
    fc.assert(
      fc.property(long, (value) => {
        expect(writeVarlong(target, 0, value)).toBe(varlongSize(value));
      }),
    );
  });
});
