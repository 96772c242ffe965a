import { expect, test } from '@jest/globals';
import type { OutgoingRecord } from '@flatline/ports';
import fc from 'fast-check';
import { BatchCursor } from './batch-cursor.ts';
import { scanBatches } from './batch-scan.ts';
import { type Compression } from './compressor.ts';
import { RecordBatchEncoder, UNSEQUENCED } from './encoder.ts';

const nullable = (maxLength: number): fc.Arbitrary<Uint8Array | null> =>
  fc.option(fc.uint8Array({ maxLength }), { nil: null });

const outgoing: fc.Arbitrary<OutgoingRecord> = fc.record({
  key: nullable(200),
  value: nullable(500),
  timestamp: fc.oneof(fc.integer({ min: -1, max: 4_000_000_000_000 }), fc.integer({ min: 0, max: 2 ** 50 })),
  headers: fc.array(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 30 }), value: nullable(50) }), {
    maxLength: 3,
  }),
});

const compressions: readonly Compression[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

test.each(compressions)(
  'what the encoder writes the cursor reads, packed by %s (rerun: the printed seed)',
  (compression) => {
    const encoder = new RecordBatchEncoder(compression);
    fc.assert(
      fc.property(fc.array(outgoing, { minLength: 1, maxLength: 50 }), (records) => {
        for (const record of records) encoder.add(record, 0);
        expect(readBack(Buffer.from(encoder.seal(UNSEQUENCED)))).toEqual(records);
      }),
    );
  },
);

function readBack(bytes: Buffer): OutgoingRecord[] {
  const { end, nextOffset } = scanBatches(bytes, 0, bytes.length, 0);
  const source = { topic: 'test', partition: 0 };
  const cursor = new BatchCursor({ source, bytes, start: 0, end, askedOffset: 0, nextOffset, aborted: [] });
  const records: OutgoingRecord[] = [];
  const copy = (start: number, length: number): Uint8Array | null =>
    length < 0 ? null : Uint8Array.from(cursor.bytes.subarray(start, start + length));
  while (cursor.next()) {
    records.push({
      key: copy(cursor.keyStart, cursor.keyLength),
      value: copy(cursor.valueStart, cursor.valueLength),
      timestamp: cursor.timestamp,
      headers: cursor.headers().map(({ name, value }) => ({ name, value: value && Uint8Array.from(value) })),
    });
  }
  return records;
}
