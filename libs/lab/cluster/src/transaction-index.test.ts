import { describe, expect, test } from '@jest/globals';
import type { LogBatch, Marker } from './log-batch.ts';
import { TransactionIndex } from './transaction-index.ts';

const PRODUCER_ID = 7;

function batch(baseOffset: number, marker?: Marker): LogBatch {
  const record = { offset: baseOffset, timestamp: 0, logAppendTime: false, key: null, value: null, headers: [] };
  return {
    baseOffset,
    lastOffset: baseOffset,
    records: marker === undefined ? [record] : [],
    producer: { producerId: PRODUCER_ID, epoch: 0, baseSequence: baseOffset, transactional: true },
    marker,
    leaderEpoch: 0,
    maxTimestamp: 0,
    logAppendTime: true,
    checksum: 0,
    byteLength: 0,
  };
}

function indexOf(...batches: LogBatch[]): TransactionIndex {
  const index = new TransactionIndex();
  for (const each of batches) index.appended(each);
  return index;
}

describe('the transactions of one partition', () => {
  test('TX1 a marker decides when the high watermark has passed it, not when it is appended', () => {
    const index = indexOf(batch(0), batch(1, 'abort'));
    index.replicated(1);
    expect(index.lastStableOffset(1)).toBe(0);
    expect(index.isAborted(batch(0))).toBe(false);
    index.replicated(2);
    expect(index.lastStableOffset(2)).toBe(2);
    expect(index.isAborted(batch(0))).toBe(true);
  });

  test('a marker that is taken away leaves its transaction open for the next one', () => {
    const index = indexOf(batch(0), batch(1, 'abort'));
    index.cut(1, [batch(0)]);
    index.replicated(5);
    expect(index.lastStableOffset(5)).toBe(0);
    index.appended(batch(5, 'commit'));
    index.replicated(6);
    expect(index.lastStableOffset(6)).toBe(6);
    expect(index.isAborted(batch(0))).toBe(false);
  });

  test('a transaction that is taken away whole holds back nothing', () => {
    const index = indexOf(batch(0), batch(1, 'commit'), batch(2));
    index.replicated(2);
    expect(index.lastStableOffset(9)).toBe(2);
    index.cut(2, [batch(0), batch(1, 'commit')]);
    expect(index.lastStableOffset(9)).toBe(9);
  });

  test('what an unclean election leaves of an aborted transaction stays aborted, its offsets written again do not', () => {
    const index = indexOf(batch(0), batch(1), batch(2, 'abort'));
    index.replicated(3);
    index.cut(1, [batch(0)]);
    expect(index.isAborted(batch(0))).toBe(true);
    expect(index.isAborted(batch(1))).toBe(false);
  });

  test('sequences are taken back with what is taken away', () => {
    const index = indexOf(batch(0), batch(1));
    const producer = { producerId: PRODUCER_ID, epoch: 0, baseSequence: 1, transactional: true };
    expect(index.admit(producer, undefined, 1)).toEqual({ kind: 'duplicate', baseOffset: 1 });
    index.cut(1, [batch(0)]);
    expect(index.admit(producer, undefined, 1)).toEqual({ kind: 'next' });
  });
});
