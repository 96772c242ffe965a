// Batches for tests of cursors to read, and the naive reading that they are judged by.
import { expect } from '@jest/globals';
import type { RecordCursor } from '@flatline/ports';
import type { AbortedTransaction } from './aborted-transactions.ts';
import { type BuiltBatch, reseal } from './batch-builder.fixture.ts';
import { BatchCursor } from './batch-cursor.ts';
import { scanBatches } from './batch-scan.ts';

export const source = { topic: 'visits', partition: 3 };

export interface Seen {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly (readonly [string, string | null])[];
}

export function cursorOver(
  parts: readonly Buffer[],
  askedOffset = 0,
  aborted: readonly AbortedTransaction[] = [],
  passesUnreadable = false,
): BatchCursor {
  // The answer's own bytes come before and after those of a fetch.
  const bytes = Buffer.concat([Buffer.alloc(13, 0xee), ...parts]);
  const { end, nextOffset } = scanBatches(bytes, 13, bytes.length, askedOffset);
  return new BatchCursor({ source, bytes, start: 13, end, askedOffset, nextOffset, aborted, passesUnreadable });
}

export function text(bytes: Uint8Array, start: number, length: number): string | null {
  return length < 0 ? null : Buffer.from(bytes.subarray(start, start + length)).toString('latin1');
}

export function walk(cursor: RecordCursor): Seen[] {
  const seen: Seen[] = [];
  while (cursor.next()) {
    expect(cursor.position).toBe(cursor.offset + 1);
    seen.push({
      offset: cursor.offset,
      timestamp: cursor.timestamp,
      key: text(cursor.bytes, cursor.keyStart, cursor.keyLength),
      value: text(cursor.bytes, cursor.valueStart, cursor.valueLength),
      headers: cursor.headers().map(({ name, value }) => [name, value && text(value, 0, value.length)] as const),
    });
  }
  return seen;
}

export const keysOf = (cursor: RecordCursor): (string | null)[] => walk(cursor).map(({ key }) => key);

/** The naive reading of one built batch. */
export function expected(batch: BuiltBatch): Seen[] {
  const latin = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('latin1');
  const { baseTimestamp = 1_000 } = batch;
  const greatest =
    batch.greatestTimestamp ?? Math.max(...batch.records.map((record) => baseTimestamp + record.timestampDelta));
  return batch.records.map((record) => ({
    offset: batch.baseOffset + record.offsetDelta,
    timestamp: batch.logAppendTime === true ? greatest : baseTimestamp + record.timestampDelta,
    key: latin(record.key),
    value: latin(record.value),
    headers: (record.headers ?? []).map(({ name, value }) => [name, latin(value)] as const),
  }));
}

/** The batch with some bytes changed and a checksum that agrees with them. */
export function resealed(batch: Buffer, edits: readonly (readonly [number, number])[]): Buffer {
  const changed = Buffer.from(batch);
  for (const [at, value] of edits) changed[at] = value;
  return reseal(changed);
}
