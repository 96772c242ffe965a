import { expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import { type OutgoingRecord, RecordPacker, type UntimedRecord } from '@flatline/ports';
import fc from 'fast-check';
import { type Compression } from './compressor.ts';
import { RecordBatchEncoder, UNSEQUENCED } from './encoder.ts';
import { recordsIn } from './records-in.ts';

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
        const batch = Buffer.from(encoder.seal(UNSEQUENCED));
        expect(recordsIn(batch, { topic: 'test', partition: 0 })).toEqual(records);
      }),
    );
  },
);

test('records that are bytes already come to the same batches, as long as they fit (rerun: the printed seed)', () => {
  const [asObjects, asBytes] = [new RecordBatchEncoder(), new RecordBatchEncoder()];
  const now = 1_800_000_000_000;
  fc.assert(
    fc.property(
      fc.array(outgoing, { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 100, max: 8_000 }),
      (all, most) => {
        const records = all.map(({ key, value, headers }): UntimedRecord => ({ key, value, headers: headers! }));
        const packer = new RecordPacker(new ReusedMemory(0));
        for (const record of records) packer.add(record, 0);
        const cursor = packer.takeAll().cursor();
        for (const record of records) {
          for (const bytesMax of [most, Infinity]) {
            const fits = asObjects.addWithin(record, now, bytesMax);
            expect(asBytes.addPacked(cursor, now, bytesMax)).toBe(fits);
            if (fits) break;
            if (asObjects.count > 0) expect(asBytes.seal(UNSEQUENCED)).toEqual(asObjects.seal(UNSEQUENCED));
          }
          cursor.next();
        }
        expect(cursor.isOn).toBe(false);
        expect(asBytes.seal(UNSEQUENCED)).toEqual(asObjects.seal(UNSEQUENCED));
      },
    ),
  );
});
