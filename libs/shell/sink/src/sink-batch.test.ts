import { expect, test } from '@jest/globals';
import { SinkBatch, type Taken } from './sink-batch.ts';

const at = { partition: 3, epoch: '1', from: 10 };
const summary = (offset: number, incarnation: string): Taken => ({
  offset,
  bytes: 100,
  row: { incarnation, final: false },
  incarnation,
});
const tombstone = (offset: number, incarnation: string): Taken => ({ offset, bytes: 0, row: undefined, incarnation });

test('[O7] a part reaches from where its partition stood to behind its last record, whatever became of it', () => {
  const batch = new SinkBatch(1_000_000);
  expect(batch.isEmpty()).toBe(true);
  batch.take(at, summary(12, '3-1'));
  batch.take({ ...at, partition: 4, from: 0 }, tombstone(7, '4-1'));
  batch.take({ ...at, from: 13 }, { offset: 15, bytes: 9, row: undefined, incarnation: undefined });
  expect(batch.parts.map(({ partition, from, to, rows }) => [partition, from, to, rows.length])).toEqual([
    [3, 10, 16, 1],
    [4, 0, 8, 0],
  ]);
});

test('[O7][S9] a tombstone makes the newest row of its incarnation final, here or in the table', () => {
  const batch = new SinkBatch(1_000_000);
  batch.take(at, summary(10, '3-1'));
  batch.take(at, summary(11, '3-1'));
  batch.take(at, tombstone(12, '3-1'));
  batch.take(at, tombstone(13, '3-0'));
  const [part] = batch.parts;
  expect(part!.rows.map(({ final }) => final)).toEqual([false, true]);
  // The table may have the row already: then it is not this batch's that is kept.
  expect(part!.ends).toEqual(['3-1', '3-0']);
});

test('[X6] a batch is full by the bytes of its records', () => {
  const batch = new SinkBatch(1_000);
  for (let offset = 10; !batch.isFull(); offset += 1) batch.take(at, summary(offset, '3-1'));
  expect(batch.records).toBe(4);
});
