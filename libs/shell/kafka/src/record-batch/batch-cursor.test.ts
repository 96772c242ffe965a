import { describe, expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import { KEY_GROUP_MAX } from '@flatline/ports';
import fc from 'fast-check';
import {
  bare,
  buildBatch,
  buildMarker,
  type BuiltBatch,
  type BuiltCompression,
  type BuiltRecord,
} from './batch-builder.fixture.ts';
import { cursorOver, expected, keysOf, resealed, source, text, walk } from './batch-cursor.fixture.ts';
import { BatchCursor } from './batch-cursor.ts';

const octets = fc.option(fc.uint8Array({ maxLength: 200 }), { nil: null });
const headers = fc.array(fc.record({ name: fc.string(), value: octets }), { maxLength: 3 });
const record = fc.record({
  gap: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 ** 24 })),
  timestampDelta: fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.integer({ min: -(2 ** 45), max: 2 ** 45 })),
  key: octets,
  value: octets,
  headers,
});
const compression = fc.constantFrom<BuiltCompression>('none', 'gzip', 'snappy', 'xerial', 'lz4', 'zstd');
const batchSpec = fc.record({
  before: fc.integer({ min: 0, max: 50 }),
  after: fc.integer({ min: 0, max: 50 }),
  records: fc.array(record, { minLength: 1, maxLength: 30 }),
  compression,
  logAppendTime: fc.boolean(),
});

function batchesFrom(specs: readonly (typeof batchSpec extends fc.Arbitrary<infer T> ? T : never)[]): BuiltBatch[] {
  let next = 1_000;
  return specs.map(({ before, after, records, ...rest }) => {
    const baseOffset = next + before;
    let delta = -1;
    const built: BuiltRecord[] = records.map(({ gap, ...fields }) => ({ ...fields, offsetDelta: (delta += gap) }));
    next = baseOffset + delta + after + 1;
    return { ...rest, baseOffset, records: built, lastOffsetDelta: delta + after, baseTimestamp: 2 ** 46 };
  });
}

describe('BatchCursor', () => {
  test('shows every record of every batch, in any compression, from any offset (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(
        fc.array(batchSpec, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (specs, at) => {
          const batches = batchesFrom(specs);
          const all = batches.flatMap(expected);
          const from = all[Math.floor(at * (all.length - 1))]!.offset;
          const containing = batches.filter(({ baseOffset, lastOffsetDelta }) => baseOffset + lastOffsetDelta! >= from);
          const cursor = cursorOver(containing.map(buildBatch), from);
          expect(walk(cursor)).toEqual(all.filter(({ offset }) => offset >= from));
          const last = batches.at(-1)!;
          expect(cursor.position).toBe(last.baseOffset + last.lastOffsetDelta! + 1);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('[kafkajs 4] interleaved aborted transactions leave nothing behind, committed ones stay whole', () => {
    // Producers 1 and 2 overlap: 1 aborts while 2 is open and commits; then 1 commits and 2 aborts, overlapping too.
    const log = [
      buildBatch({ baseOffset: 0, records: [bare(0, '1-aborted')], producerId: 1, transactional: true }),
      buildBatch({ baseOffset: 1, records: [bare(0, '2-committed')], producerId: 2, transactional: true }),
      buildBatch({ baseOffset: 2, records: [bare(0, '1-aborted-too')], producerId: 1, transactional: true }),
      buildMarker(3, 1, 'abort'),
      buildBatch({ baseOffset: 4, records: [bare(0, '2-still')], producerId: 2, transactional: true }),
      buildBatch({ baseOffset: 5, records: [bare(0, '1-committed')], producerId: 1, transactional: true }),
      buildMarker(6, 2, 'commit'),
      buildBatch({ baseOffset: 7, records: [bare(0, '2-aborted')], producerId: 2, transactional: true }),
      buildMarker(8, 1, 'commit'),
      buildBatch({ baseOffset: 9, records: [bare(0, 'plain')] }),
      buildMarker(10, 2, 'abort'),
      buildBatch({ baseOffset: 11, records: [bare(0, '2-last')], producerId: 2, transactional: true }),
    ];
    const aborted = [
      { producerId: 2, firstOffset: 7 },
      { producerId: 1, firstOffset: 0 },
    ];
    expect(keysOf(cursorOver(log, 0, aborted))).toEqual(['2-committed', '2-still', '1-committed', 'plain', '2-last']);
  });

  test('[kafkajs 4] the transactions of one producer are told apart: aborted, committed, aborted', () => {
    const step = (at: number, key: string, end: 'abort' | 'commit'): Buffer[] => [
      buildBatch({ baseOffset: at, records: [bare(0, key)], producerId: 9, transactional: true }),
      buildMarker(at + 1, 9, end),
    ];
    const log = [
      ...step(0, 'a', 'abort'),
      ...step(2, 'b', 'commit'),
      ...step(4, 'c', 'abort'),
      ...step(6, 'd', 'commit'),
    ];
    const aborted = [
      { producerId: 9, firstOffset: 0 },
      { producerId: 9, firstOffset: 4 },
    ];
    expect(keysOf(cursorOver(log, 0, aborted))).toEqual(['b', 'd']);
  });

  test('[kafkajs 4] a record keyed by four zero bytes is data, not the end of its transaction', () => {
    const zeros = { offsetDelta: 0, timestampDelta: 0, key: Buffer.alloc(4), value: Buffer.alloc(6) };
    const log = [
      buildBatch({ baseOffset: 0, records: [zeros], producerId: 5, transactional: true }),
      buildBatch({ baseOffset: 1, records: [bare(0, 'aborted')], producerId: 5, transactional: true }),
      buildMarker(2, 5, 'abort'),
      buildBatch({ baseOffset: 3, records: [zeros] }),
    ];
    expect(keysOf(cursorOver(log, 0, [{ producerId: 5, firstOffset: 0 }]))).toEqual(['\0\0\0\0']);
  });

  test('[kafkajs 4] a plain batch is never taken for part of an aborted transaction', () => {
    const log = [
      buildBatch({ baseOffset: 0, records: [bare(0, 'aborted')], producerId: 5, transactional: true }),
      buildBatch({ baseOffset: 1, records: [bare(0, 'idempotent')], producerId: 5 }),
    ];
    expect(keysOf(cursorOver(log, 0, [{ producerId: 5, firstOffset: 0 }]))).toEqual(['idempotent']);
  });

  test('[kafkajs 5] batches that show nothing are passed: markers, aborted, emptied by compaction', () => {
    const log = [
      buildMarker(10, 1, 'commit'),
      buildBatch({ baseOffset: 11, records: [bare(0, 'aborted')], producerId: 2, transactional: true }),
      buildMarker(12, 2, 'abort'),
      buildBatch({ baseOffset: 13, records: [], lastOffsetDelta: 40, greatestTimestamp: 77, leaderEpoch: 9 }),
    ];
    const cursor = cursorOver(log, 10, [{ producerId: 2, firstOffset: 11 }]);
    expect(cursor.next()).toBe(false);
    expect(cursor.position).toBe(54);
    expect(cursor.batchTimestamp).toBe(77);
    expect(cursor.batchLeaderEpoch).toBe(9);
    expect(cursor.next()).toBe(false);
  });

  test('[kafkajs 6] offsets of a batch spread over the whole range of its deltas', () => {
    const records = [
      bare(0, 'first'),
      { ...bare(200_000, 'far'), timestampDelta: 5_000_000_000 },
      bare(2 ** 31 - 2, 'last'),
    ];
    const seen = walk(cursorOver([buildBatch({ baseOffset: 2 ** 40, records })]));
    expect(seen.map(({ offset }) => offset)).toEqual([2 ** 40, 2 ** 40 + 200_000, 2 ** 40 + 2 ** 31 - 2]);
    expect(seen[1]!.timestamp).toBe(5_000_001_000);
  });

  test('[kafkajs 6] a delta beyond 2^53 keeps its sign, and is the nearest double', () => {
    const deltas = [-(2 ** 63), -(2 ** 56), -(2 ** 53) - 2, 2 ** 53 + 2, 2 ** 56, 2 ** 62];
    const records = deltas.map((timestampDelta, i) => ({ ...bare(i, `key-${i}`), timestampDelta }));
    const seen = walk(cursorOver([buildBatch({ baseOffset: 0, records, baseTimestamp: 0 })]));
    expect(seen.map(({ timestamp }) => timestamp)).toEqual(deltas);
  });

  test('a batch stamped by the broker gives each record the batch timestamp', () => {
    const batch = {
      baseOffset: 0,
      records: [bare(0, 'a'), bare(5, 'b')],
      logAppendTime: true,
      greatestTimestamp: 123_456,
    };
    const cursor = cursorOver([buildBatch(batch)]);
    expect(walk(cursor).map(({ timestamp }) => timestamp)).toEqual([123_456, 123_456]);
    expect(cursor.logAppendTime).toBe(true);
  });

  test('the keys of a group are those of the records it goes on to show', () => {
    const keys = Array.from({ length: 3 * KEY_GROUP_MAX + 1 }, (_, i) => (i % 5 === 4 ? null : `key-${i}`));
    const records = keys.map((key, i) => ({ ...bare(i, ''), key: key === null ? null : Buffer.from(key) }));
    const rest = records.slice(2).map((record, i) => ({ ...record, offsetDelta: i }));
    const first = buildBatch({ baseOffset: 0, records: records.slice(0, 2) });
    const cursor = cursorOver([first, buildBatch({ baseOffset: 2, records: rest, compression: 'gzip' })], 1);
    const seen: (string | null)[] = [];
    let expected: (string | null)[] = [];
    while (cursor.next()) {
      const { count, starts, lengths } = cursor.group;
      if (cursor.groupIndex === 0)
        expected = Array.from({ length: count }, (_, i) => text(cursor.bytes, starts[i]!, lengths[i]!));
      const key = text(cursor.bytes, cursor.keyStart, cursor.keyLength);
      expect(key).toBe(expected[cursor.groupIndex]);
      seen.push(key);
    }
    expect(seen).toEqual(keys.slice(1));
  });

  test('what comes before a record that does not fit is shown first', () => {
    const batch = buildBatch({ baseOffset: 7, records: [bare(0, 'a'), bare(1, 'b'), bare(2, 'c')] });
    // The last record claims a byte more than there is.
    const at = batch.length - (batch.length - 61) / 3;
    const cursor = cursorOver([resealed(batch, [[at, batch[at]! + 2]])]);
    expect([cursor.next(), cursor.next()]).toEqual([true, true]);
    expect(cursor.offset).toBe(8);
    expect(() => cursor.next()).toThrow(/visits-3: the batch at offset 7 cannot be read: a record does not fit/);
    expect(() => cursor.next()).toThrow(PartitionStopped);
  });

  test('the fingerprint is that of the batch that holds the offset before the position', () => {
    const first = buildBatch({ baseOffset: 0, records: [bare(0, 'a'), bare(1, 'b')], leaderEpoch: 3 });
    const second = buildBatch({ baseOffset: 2, records: [bare(0, 'c')], leaderEpoch: 4, baseTimestamp: 9_000 });
    const cursor = cursorOver([first, second]);
    const marks: unknown[] = [];
    while (cursor.next())
      marks.push([cursor.position, cursor.batchChecksum, cursor.batchLeaderEpoch, cursor.batchTimestamp]);
    expect(marks).toEqual([
      [1, first.readUInt32BE(17), 3, 1_001],
      [2, first.readUInt32BE(17), 3, 1_001],
      [3, second.readUInt32BE(17), 4, 9_000],
    ]);
  });

  test('a batch cut off by the byte limit is left for the next answer', () => {
    const whole = buildBatch({ baseOffset: 0, records: [bare(0, 'a')] });
    const next = buildBatch({ baseOffset: 1, records: [bare(0, 'b')] });
    for (let kept = 0; kept < next.length; kept += 1) {
      const cursor = cursorOver([whole, next.subarray(0, kept)]);
      expect(keysOf(cursor)).toEqual(['a']);
      expect(cursor.position).toBe(1);
    }
  });

  test('any single changed byte of the checked part stops the partition, with the offset named (rerun: the printed seed)', () => {
    const batch = buildBatch({ baseOffset: 41, records: [bare(0, 'a'), bare(1, 'b')], compression: 'lz4' });
    fc.assert(
      fc.property(fc.integer({ min: 17, max: batch.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(batch);
        damaged[at] = damaged[at]! ^ flip;
        const fetched = {
          source,
          bytes: damaged,
          start: 0,
          end: damaged.length,
          askedOffset: 41,
          nextOffset: 43,
          aborted: [],
        };
        expect(() => new BatchCursor(fetched).next()).toThrow(
          /visits-3: the batch at offset 41 cannot be read: its checksum/,
        );
      }),
    );
  });

  test.each([true, false])(
    'bytes that are wrong under a right checksum stop the partition, or are passed over (%p), and never hang (rerun: the printed seed)',
    (passesUnreadable) => {
      const sound = [
        bare(0, 'abc'),
        { ...bare(1, 'd'), headers: [{ name: 'n', value: Buffer.from('v') }] },
        bare(2, 'e'),
      ];
      const batch = buildBatch({ baseOffset: 0, records: sound });
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.integer({ min: 57, max: batch.length - 1 }), fc.nat(255)), { minLength: 1 }),
          (edits) => {
            const damaged = resealed(batch, edits);
            const cursor = cursorOver([damaged], 0, [], passesUnreadable);
            try {
              for (let shown = 0; cursor.next(); shown += 1) {
                cursor.headers();
                expect(cursor.valueStart + cursor.valueLength).toBeLessThanOrEqual(damaged.length + 13);
                expect(shown).toBeLessThan(damaged.length);
              }
              // Control batches are the broker's own, and none of these are.
              if (passesUnreadable) expect(cursor.position).toBe(3);
            } catch (error) {
              if (passesUnreadable || !(error instanceof PartitionStopped)) throw error;
            }
          },
        ),
        { numRuns: 2_000 },
      );
    },
  );

  test.each([
    ['compression 6 is not known', 6],
    ['cannot unpack gzip', 1],
    ['cannot unpack snappy|a snappy block has no length|unpacks to', 2],
    ['no lz4 frame', 3],
    ['cannot unpack zstd', 4],
  ])('says what is wrong with a packed batch: %s', (message, code) => {
    const batch = buildBatch({ baseOffset: 0, records: [bare(0, 'abc')] });
    expect(() => cursorOver([resealed(batch, [[22, code]])]).next()).toThrow(new RegExp(message));
  });
});
