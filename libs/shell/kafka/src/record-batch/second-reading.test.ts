// The oracle reads batches a second time (libs/core/oracle/src/logs/record-batch.ts). Here it is held against the cursor:
// where they part, one of them is wrong, and `flatline verify` would blame the processor or miss its fault.
import { describe, expect, test } from '@jest/globals';
import { MalformedBytes, PartitionStopped } from '@flatline/base';
import { fuzz } from '@flatline/base/fuzz';
import { BrokenBytes, readBatches } from '@flatline/oracle';
import { bare, buildBatch, type BuiltCompression, buildMarker, reseal } from './batch-builder.fixture.ts';
import { BatchCursor } from './batch-cursor.ts';
import { scanBatches } from './batch-scan.ts';
import { unpack } from './decompressor.ts';

const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
const source = { topic: 'visits', partition: 3 };
const header = { name: 'trace', value: Buffer.from([1, 2]) };
const records = [
  { ...bare(0, 'first'), headers: [header, { name: 'none', value: null }, header] },
  { ...bare(1, 'k'.repeat(90)), value: Buffer.from('{"type":"A"}'), timestampDelta: -5 },
  { ...bare(4, ''), key: null, value: null, headers: [header] },
  { ...bare(5, ''), timestampDelta: 2 ** 45 },
  ...Array.from({ length: 40 }, (_, i) => bare(6 + i, `key-${i}`)),
];
const packings: readonly BuiltCompression[] = ['none', 'gzip', 'snappy', 'xerial', 'lz4', 'zstd'];
const aborted = [
  { producerId: 5, firstOffset: 10 },
  { producerId: 5, firstOffset: 300 },
  { producerId: 6, firstOffset: 120 },
];
const of = (baseOffset: number, producerId: number): Buffer =>
  buildBatch({ baseOffset, records, producerId, transactional: true });
const CORPUS = [
  ...packings.map((compression) => buildBatch({ baseOffset: 10, records, compression })),
  buildBatch({ baseOffset: 10, records, logAppendTime: true, lastOffsetDelta: 80, greatestTimestamp: 77 }),
  buildBatch({ baseOffset: 10, records: [], lastOffsetDelta: 7, greatestTimestamp: 5 }),
];
const TRANSACTIONS = Buffer.concat([
  of(10, 5),
  of(60, 6),
  buildMarker(110, 5, 'abort'),
  buildMarker(111, 6, 'commit'),
  of(120, 6),
  of(180, 5),
  buildMarker(230, 5, 'commit'),
  buildMarker(231, 6, 'abort'),
  buildBatch({ baseOffset: 240, records }),
  of(300, 5),
]);

interface Shown {
  readonly records: readonly object[];
  readonly nextOffset: number;
}

const REFUSED = 'refused';

function byCursor(bytes: Buffer, from: number, passesUnreadable: boolean): Shown | typeof REFUSED {
  const shown: object[] = [];
  try {
    const { end, nextOffset } = scanBatches(bytes, 0, bytes.length, from);
    const fetched = { source, bytes, start: 0, end, askedOffset: from, nextOffset, aborted, passesUnreadable };
    const cursor = new BatchCursor(fetched);
    const part = (start: number, length: number): Uint8Array | null =>
      length < 0 ? null : Uint8Array.from(cursor.bytes.subarray(start, start + length));
    while (cursor.next()) {
      const { offset, timestamp, logAppendTime, unreadable } = cursor;
      const headers = cursor.headers().map(({ name, value }) => ({ name, value: value && Uint8Array.from(value) }));
      const place = { offset, timestamp, logAppendTime, headers: unreadable === undefined ? headers : [] };
      const key = part(cursor.keyStart, cursor.keyLength);
      const value = part(cursor.valueStart, cursor.valueLength);
      shown.push(
        unreadable === undefined
          ? { ...place, key, value }
          : { ...place, key, value, lastOffset: unreadable.lastOffset },
      );
    }
    return { records: shown, nextOffset };
  } catch (error) {
    if (error instanceof PartitionStopped || error instanceof MalformedBytes) return REFUSED;
    throw error;
  }
}

function byOracle(bytes: Buffer, from: number, isInput: boolean): Shown | typeof REFUSED {
  const reading = {
    from,
    aborted,
    isInput,
    unpack: (code: number, packed: Uint8Array) => unpack(code, Buffer.from(packed)),
  };
  try {
    const { records: read, nextOffset } = readBatches(bytes, reading);
    return { records: read, nextOffset };
  } catch (error) {
    if (error instanceof BrokenBytes) return REFUSED;
    throw error;
  }
}

function compare(bytes: Buffer): void {
  for (const from of [0, 12, 130])
    for (const isInput of [true, false]) expect(byOracle(bytes, from, isInput)).toEqual(byCursor(bytes, from, isInput));
}

/** One batch with a length and a checksum that are right: as a producer would send it that writes batches of its own making. */
function resized(batch: Buffer): Buffer {
  batch.writeInt32BE(batch.length - 12, 8);
  return reseal(batch);
}

describe('batches', () => {
  test('[V6][V7] in transactions: the same records count, and marks say who wrote what and how it ended', () => {
    compare(TRANSACTIONS);
    const { batches } = readBatches(TRANSACTIONS, {
      from: 0,
      aborted,
      isInput: true,
      unpack: (_code, packed) => packed,
    });
    expect(
      batches.map(({ baseOffset, lastOffset, producerId, marker }) => [baseOffset, lastOffset, producerId, marker]),
    ).toEqual([
      [10, 55, 5, undefined],
      [60, 105, 6, undefined],
      [110, 110, 5, 'abort'],
      [111, 111, 6, 'commit'],
      [120, 165, 6, undefined],
      [180, 225, 5, undefined],
      [230, 230, 5, 'commit'],
      [231, 231, 6, 'abort'],
      [240, 285, -1, undefined],
      [300, 345, 5, undefined],
    ]);
    expect(batches.map(({ transactional, producerEpoch }) => [transactional, producerEpoch]).at(-2)).toEqual([
      false,
      -1,
    ]);
  });

  test('[R3] cut off where an answer ends, or going back in the log', () => {
    for (const cut of [1, 30, 61, 100]) compare(TRANSACTIONS.subarray(0, TRANSACTIONS.length - cut));
    compare(Buffer.concat([of(300, 5), of(10, 5)]));
  });

  test('[F14][I1] sound or damaged: the oracle shows what the cursor shows, and refuses what it refuses', () => {
    const feed = (bytes: Uint8Array): void => {
      const damaged = Buffer.from(bytes);
      // Offsets beyond 2^53 are none.
      damaged.fill(0, 0, Math.min(2, damaged.length));
      compare(damaged);
      if (damaged.length >= 61) compare(resized(Buffer.from(damaged)));
    };
    fuzz({ name: 'kafka/second-reading', corpus: CORPUS, regressions, feed }, 1_000);
  });
});
