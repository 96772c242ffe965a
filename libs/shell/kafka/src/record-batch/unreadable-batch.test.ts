import { describe, expect, test } from '@jest/globals';
import { bare, buildBatch, buildMarker } from './batch-builder.fixture.ts';
import { cursorOver, resealed } from './batch-cursor.fixture.ts';
import type { BatchCursor } from './batch-cursor.ts';

describe('[I1] a batch that is as it was written, and cannot be unpacked', () => {
  const first = buildBatch({ baseOffset: 0, records: [bare(0, 'a')] });
  const last = buildBatch({ baseOffset: 4, records: [bare(0, 'e')] });
  const bomb = buildBatch({
    baseOffset: 1,
    compression: 'zstd',
    baseTimestamp: 5_000,
    logAppendTime: true,
    records: [bare(0, 'b'), { ...bare(1, 'c'), value: Buffer.alloc(70 * 1024 * 1024) }, bare(2, 'd')],
  });
  const malformed = resealed(
    buildBatch({ baseOffset: 1, records: [bare(0, 'b'), bare(1, 'c'), bare(2, 'd')] }),
    // The length of the second record leads out of the batch.
    [[61 + 8, 0x7e]],
  );
  const shown = (cursor: BatchCursor): unknown[] => {
    const seen: unknown[] = [];
    while (cursor.next()) {
      const { offset, position, unreadable, keyLength, valueLength, hasHeaders } = cursor;
      if (unreadable === undefined) seen.push(offset);
      else seen.push({ offset, position, unreadable, keyLength, valueLength, hasHeaders });
    }
    return [...seen, cursor.position];
  };
  const NOTHING = { keyLength: -1, valueLength: -1, hasHeaders: false };

  test('[I1][X6] one that unpacks beyond the limit is shown once, for what it is, and passed over', () => {
    expect(bomb.length).toBeLessThan(100_000);
    const unreadable = {
      reason: 'batch-too-large',
      lastOffset: 3,
      records: 3,
      detail: 'records 1 to 3 of the batch at offset 1 cannot be read: it unpacks to more than 67108864 bytes',
    };
    const expected = [0, { offset: 1, position: 4, unreadable, ...NOTHING }, 4, 5];
    expect(shown(cursorOver([first, bomb, last], 0, [], true))).toEqual(expected);
  });

  test('[I1] what comes before the damage is shown, and the rest once, also to a cursor that begins in between', () => {
    const rest = (offset: number): unknown => ({
      offset,
      position: 4,
      ...NOTHING,
      unreadable: {
        reason: 'batch-unreadable',
        lastOffset: 3,
        records: 4 - offset,
        detail: expect.stringMatching(
          `^records ${offset} to 3 of the batch at offset 1 cannot be read: a record does not`,
        ),
      },
    });
    const parts = [first, malformed, last];
    expect(shown(cursorOver(parts, 0, [], true))).toEqual([0, 1, rest(2), 4, 5]);
    expect(shown(cursorOver(parts, 2, [], true))).toEqual([rest(2), 4, 5]);
    expect(shown(cursorOver(parts, 4, [], true))).toEqual([4, 5]);
  });

  test('[I1] has the time of its batch', () => {
    const cursor = cursorOver([bomb], 0, [], true);
    expect(cursor.next()).toBe(true);
    expect(cursor).toMatchObject({ logAppendTime: true, timestamp: cursor.batchTimestamp });
    expect(cursor.timestamp).toBeGreaterThanOrEqual(5_000);
  });

  test("of an aborted transaction it is none of the reader's business", () => {
    const aborted = buildBatch({ baseOffset: 1, records: [bare(0, 'b')], transactional: true, producerId: 7 });
    const parts = [first, resealed(aborted, [[22, 0x10 | 6]]), buildMarker(2, 7, 'abort')];
    expect(shown(cursorOver(parts, 0, [{ producerId: 7, firstOffset: 1 }], true))).toEqual([0, 3]);
  });

  test.each([bomb, malformed])(
    '[R3] stops a reader that may not pass over it, without talk of damaged copies',
    (batch) => {
      const cursor = cursorOver([first, batch]);
      expect(() => shown(cursor)).toThrow(/visits-3: the batch at offset 1 .*its checksum is right/);
      expect(() => shown(cursorOver([first, batch]))).not.toThrow(/copy|another replica, then/);
    },
  );

  test('RG2 offsets that go back, or leave the batch, are damage', () => {
    const back = buildBatch({ baseOffset: 1, records: [bare(0, 'b'), bare(0, 'c'), bare(2, 'd')] });
    const beyond = buildBatch({ baseOffset: 1, records: [bare(0, 'b'), bare(9, 'c')] });
    for (const batch of [back, resealed(beyond, [[26, 1]])]) {
      const cursor = cursorOver([batch], 0, [], true);
      expect(cursor.next() && cursor.offset).toBe(1);
      expect(cursor.next() && cursor.unreadable?.reason).toBe('batch-unreadable');
    }
  });
});
